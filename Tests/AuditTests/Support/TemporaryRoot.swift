import Audit
import Foundation
import Platform
import PropertyList

/// A folder that is a root, removed with the value.
final class TemporaryRoot {
    /// The folder.
    let folder: URL
    /// The root.
    let root: Root
    /// The directory of the log.
    var logFolder: URL { folder.appending(path: "var/log/managed-defaults") }

    /// Makes an empty folder.
    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "audit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        root = try Root(directory: folder.path)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Reads a file of the log's directory.
    func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: logFolder.appending(path: name)))
    }

    /// Overwrites a file of the log's directory.
    func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: logFolder.appending(path: name))
    }

    /// Removes a file of the log's directory.
    func remove(_ name: String) throws {
        try FileManager.default.removeItem(at: logFolder.appending(path: name))
    }

    /// The names in the log's directory.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: logFolder.path).sorted()
    }

    /// Makes a log of short records, `batches` being the number of records of each command.
    func makeLog(batches: [Int]) throws {
        for count in batches {
            _ = try AuditLog(root: root).append((0..<count).map { _ in TemporaryRoot.record() })
        }
    }

    /// A short record.
    static func record(_ kind: RecordKind = .override) -> AuditRecord {
        var record = AuditRecord(kind: kind)
        (record.boot, record.host, record.mono) = ("b", "h", 7)
        record.key = "K"
        return record
    }
}
