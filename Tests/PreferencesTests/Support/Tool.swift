import Foundation
import TestSupport

/// A program that a test compares with.
struct Tool {
    /// Its absolute path, or `nil` where it is not installed.
    let path: String?

    /// Names a program by its path.
    init(path: String) {
        self.path = path
    }

    /// Looks for a program in the folders of PATH.
    init(_ name: String) {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        path = folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Whether the program is installed.
    var isAvailable: Bool { path != nil }

    /// Python 3, whose `plistlib` writes property lists.
    static let python3 = Tool("python3")
    /// GNUstep's `defaults`.
    static let defaults = Tool("defaults")
    /// Makes fifos and device files.
    static let mknod = Tool("mknod")

    /// Runs the program to its end.
    ///
    /// - Returns: its exit status.
    @discardableResult
    func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Int32 {
        try SpawnedProgram.run(
            path ?? "/nonexistent", arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }
        ).code
    }
}
