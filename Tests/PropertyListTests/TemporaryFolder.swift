import Foundation

/// A folder that is removed at the end.
final class TemporaryFolder {
    /// Its path.
    let path: String

    /// Makes a folder.
    init() throws {
        path = NSTemporaryDirectory() + "plist-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file, and gives its path.
    func write(_ bytes: [UInt8], as name: String) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
        return "\(path)/\(name)"
    }

    /// Reads a file.
    func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
    }
}
