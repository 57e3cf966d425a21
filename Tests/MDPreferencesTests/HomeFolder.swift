import Foundation
import MDPlatform
import MDPropertyList
import MDTestSupport

@testable import MDPreferences

/// A home folder.
extension TemporaryFolder {
    /// The folder of preference files.
    var config: String { self(".config") }

    /// The preferences of the home on the running system.
    func preferences(machineID: String? = "0123456789abcdef0123456789abcdef") -> PreferencesDirectory {
        PreferencesDirectory(
            root: .system, directory: config, machineID: machineID, owner: CurrentProcess.euid, home: path)
    }

    /// The preferences of a home in a folder that represents a machine.
    func preferencesBeneathRoot() throws -> PreferencesDirectory {
        let root = try Root(directory: path)
        return PreferencesDirectory(
            root: root, directory: "/.config", machineID: nil, owner: root.owner, home: "/")
    }

    /// Writes a file below the home, with the folders above it.
    @discardableResult
    func put(_ bytes: some Sequence<UInt8>, at name: String) throws -> String {
        try write(name, bytes)
        return self(name)
    }

    /// Writes text to a file below the home.
    @discardableResult
    func put(_ text: String, at name: String) throws -> String {
        try put(text.utf8, at: name)
    }

    /// The content of a file below the home.
    func bytes(at name: String) throws -> [UInt8] {
        try read(name)
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

extension StorageReading {
    /// Whether nothing has changed.
    var isUnchanged: Bool {
        if case .unchanged = self { true } else { false }
    }

    /// Whether nothing is stored.
    var isMissing: Bool {
        if case .missing = self { true } else { false }
    }

    /// The values, if they were returned.
    var values: [Key: Value]? {
        if case .values(let values, _) = self { values } else { nil }
    }
}
