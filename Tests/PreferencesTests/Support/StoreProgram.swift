import Foundation
import TestSupport

/// The built `store-test-program`, which uses a store in a process of its own.
enum StoreProgram {
    /// The program, which lies beside the test bundle.
    static let path: String = {
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return (bundle as NSString).deletingLastPathComponent + "/store-test-program"
    }()

    /// Starts the program on a home.
    static func start(_ verb: String, _ home: TemporaryHome, _ rest: [String] = []) throws -> SpawnedProgram {
        try SpawnedProgram(
            path, [verb, home.path] + rest, environment: [:], folder: "/",
            streams: (input: "/dev/null", output: "/dev/null", error: "/dev/null"))
    }

    /// Runs the program on a home, to its end.
    static func run(_ verb: String, _ home: TemporaryHome, _ rest: [String] = []) throws -> SpawnedProgram.Result {
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
