package import Foundation

/// A folder for one test, removed with its value.
///
/// Names of files are paths beneath the folder, with or without a slash in front.
package class TemporaryFolder: @unchecked Sendable {
    // Sendable, although classes inherit from it: no stored property of any of them can change.

    /// The folder, without links in its path.
    package let path: String
    /// The folder above it, which holds nothing else, and is removed with it.
    package let folder: String

    /// Makes a folder.
    ///
    /// - Parameters:
    ///   - name: its last name.
    ///   - base: the folder to make it in; `nil` for that of the run.
    /// - Throws: if it cannot be made.
    package convenience init(named name: String = "folder", in base: String? = nil) throws {
        self.init(try Place(named: name, in: base))
    }

    /// Becomes the owner of a folder.
    package init(_ place: Place) {
        path = place.path
        folder = place.folder
    }

    /// A folder that a test owns.
    package struct Place {
        /// The folder.
        package let path: String
        /// What is removed with it.
        package let folder: String

        /// Makes a folder in one of its own.
        package init(named name: String, in base: String? = nil) throws {
            folder = Scratch.makeFolder(in: base)
            path = "\(folder)/\(name)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            chmod(path, 0o755)
        }

        /// Describes a folder that has no other one to itself.
        package init(existing path: String) {
            self.path = path
            folder = path
        }
    }

    deinit { Scratch.remove(folder) }

    /// The absolute path of a file.
    package func callAsFunction(_ name: String) -> String {
        name.isEmpty ? path : name.hasPrefix("/") ? path + name : "\(path)/\(name)"
    }

    /// The address of a file.
    package func url(_ name: String) -> URL { URL(fileURLWithPath: self(name)) }

    /// Makes a folder, with those above it, and gives it a mode.
    package func makeDirectory(_ name: String, mode: mode_t = 0o755) throws {
        try FileManager.default.createDirectory(
            atPath: self(name), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        try setMode(name, mode)
    }

    /// Writes a file with a mode, and makes the folders above it.
    package func write(_ name: String, _ text: String, mode: mode_t = 0o644) throws {
        try write(name, text.utf8, mode: mode)
    }

    /// Writes a file with a mode, and makes the folders above it.
    package func write(_ name: String, _ bytes: some Sequence<UInt8>, mode: mode_t = 0o644) throws {
        let url = url(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        try Data(bytes).write(to: url)
        try setMode(name, mode)
    }

    /// Makes a symbolic link, and the folders above it.
    package func link(_ name: String, to target: String) throws {
        try FileManager.default.createDirectory(
            at: url(name).deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        try FileManager.default.createSymbolicLink(atPath: self(name), withDestinationPath: target)
    }

    /// Changes the mode of a file.
    package func setMode(_ name: String, _ mode: mode_t) throws {
        guard chmod(self(name), mode) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    /// Whether there is a file or folder of a name; links are followed.
    package func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: self(name)) }

    /// Removes a file, or a folder with all in it.
    package func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: self(name)) }

    /// The bytes of a file.
    package func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: url(name))) }

    /// The content of a file as text.
    package func text(_ name: String) throws -> String { String(decoding: try read(name), as: UTF8.self) }

    /// The names in a folder, sorted; empty if there is none.
    package func names(_ name: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: self(name))) ?? []).sorted()
    }

    /// The paths of everything beneath the folder, sorted.
    package func all() -> [String] {
        (FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []).sorted()
    }
}
