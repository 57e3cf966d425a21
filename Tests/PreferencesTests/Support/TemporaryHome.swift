import Foundation
import Platform
import PropertyList

@testable import Preferences

/// A home folder for one test, removed with the value.
final class TemporaryHome: Sendable {
    /// The folder's absolute path.
    let path: String
    /// The folder of preference files.
    var config: String { path + "/.config" }

    /// Makes an empty home.
    init() throws {
        path = NSTemporaryDirectory() + "preferences-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The preferences of the home on the running system.
    func preferences(machineID: String? = "0123456789abcdef0123456789abcdef") -> PreferencesDirectory {
        PreferencesDirectory(
            root: .system, directory: config, machineID: machineID, owner: CurrentProcess.euid, home: path)
    }

    /// The preferences of a home in a folder that stands for a machine.
    func preferencesBeneathRoot() throws -> PreferencesDirectory {
        let root = try Root(directory: path)
        return PreferencesDirectory(
            root: root, directory: "/.config", machineID: nil, owner: root.owner, home: "/")
    }

    /// Writes a file below the home, with the folders above it.
    @discardableResult
    func put(_ bytes: some Sequence<UInt8>, at name: String) throws -> String {
        let file = URL(fileURLWithPath: path + "/" + name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
        return file.path
    }

    /// Writes text to a file below the home.
    @discardableResult
    func put(_ text: String, at name: String) throws -> String {
        try put(text.utf8, at: name)
    }

    /// The content of a file below the home.
    func bytes(at name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
    }

    /// The names in a folder below the home, sorted, without the lock file.
    func names(in name: String = ".config") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path + "/" + name).sorted()
            .filter { $0 != ".managed-defaults.lock" }
    }

    /// The permission bits of a file below the home.
    func mode(of name: String) throws -> UInt32 {
        try Root.system.status(path + "/" + name, followingLinks: false).mode
    }
}
