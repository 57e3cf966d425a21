import Foundation
import Testing

@testable import Platform

/// A folder of its own for a test, removed with its value.
final class TemporaryFolder: Sendable {
    /// The absolute path, without links in it.
    let path: String

    init() throws {
        let base = NSTemporaryDirectory() + "managed-defaults-tests"
        try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
        let unique = base + "/" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: unique, withIntermediateDirectories: false)
        chmod(unique, 0o755)
        path = URL(fileURLWithPath: unique).resolvingSymlinksInPath().path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The absolute path of a name in the folder.
    func callAsFunction(_ name: String) -> String { path + "/" + name }

    /// Makes a directory, with those above it, and gives the last one a mode.
    func directory(_ name: String, mode: mode_t = 0o755) throws {
        try FileManager.default.createDirectory(atPath: self(name), withIntermediateDirectories: true)
        try #require(chmod(self(name), mode) == 0)
    }

    /// Writes a file with this mode, with the directories above it.
    func file(_ name: String, _ text: String, mode: mode_t = 0o644) throws {
        let parent = (self(name) as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: self(name)))
        try #require(chmod(self(name), mode) == 0)
    }

    /// Makes a symbolic link.
    func link(_ name: String, to target: String) throws {
        let parent = (self(name) as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: self(name), withDestinationPath: target)
    }

    /// The content of a file as text.
    func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: self(name))), as: UTF8.self)
    }

    /// The names in a directory, sorted.
    func names(_ name: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: self(name)).sorted()
    }

    /// The folder as a root.
    func root(_ resolution: PathResolution = .automatic) throws -> Root {
        try Root(directory: path, resolution: resolution)
    }
}
