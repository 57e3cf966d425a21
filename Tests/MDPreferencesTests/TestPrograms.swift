import Foundation
import MDTestSupport

/// A program that a test compares with.
struct Tool {
    /// Its absolute path, or `nil` if it is not installed.
    let path: String?

    /// Names a program by its path.
    init(path: String) {
        self.path = path
    }

    /// Finds a program in the folders of PATH.
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

/// The built `store-test-program`, which uses a store in a process of its own.
enum StoreProgram {
    /// The program, which lies beside the test bundle.
    static let path = BuiltProgram.path("store-test-program")

    /// Starts the program on a home.
    static func start(_ verb: String, _ home: TemporaryFolder, _ rest: [String] = []) throws -> SpawnedProgram {
        try SpawnedProgram(
            path, [verb, home.path] + rest, environment: [:], folder: "/",
            streams: (input: "/dev/null", output: "/dev/null", error: "/dev/null"))
    }

    /// Runs the program on a home, to its end.
    static func run(_ verb: String, _ home: TemporaryFolder, _ rest: [String] = []) throws -> SpawnedProgram.Result {
        try SpawnedProgram.run(path, [verb, home.path] + rest, environment: [:])
    }

    /// Runs shell text in which `$program` is the program, in a mount namespace of its own.
    static func runMounting(_ script: String) throws -> SpawnedProgram.Result {
        try SpawnedProgram.run(
            "/usr/bin/unshare", ["-m", "/bin/sh", "-c", "set -e\nprogram='\(path)'\n\(script)"],
            environment: ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin"])
    }

    /// Whether this process may mount file systems in a namespace of its own.
    static let canMount: Bool = {
        let script = "mount -t tmpfs -o size=100k none /mnt"
        return (try? SpawnedProgram.run("/usr/bin/unshare", ["-m", "/bin/sh", "-c", script]).code) == 0
    }()
}
