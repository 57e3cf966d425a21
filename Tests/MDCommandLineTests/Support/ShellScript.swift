import Foundation
import MDTestSupport

/// A script for macOS, run with `mdefaults` in the place of `defaults`.
enum ShellScript {
    /// The text before every script: the name of the command is the only change.
    private static let prelude = """
        defaults() { "$MDEFAULTS" --root "$LAB" --user "$LAB_USER" "$@"; }
        plutil() { "$PLUTIL" "$@"; }

        """

    /// Runs a script in the folder around a lab.
    ///
    /// - Parameters:
    ///   - script: the text of the script.
    ///   - lab: the machine.
    ///   - user: the user who runs it, whose home is that of the machine.
    /// - Returns: what was printed, and the exit code.
    /// - Throws: where the shell does not start or end.
    static func run(_ script: String, in lab: Lab, as user: String) throws -> SpawnedProgram.Result {
        try SpawnedProgram.run(
            "/bin/sh", ["-c", prelude + script],
            environment: [
                "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "LAB": lab.path,
                "LAB_USER": user, "HOME": "/home/\(user)", "LC_ALL": "C.UTF-8", "MDEFAULTS": MDefaultsProcess.path,
                "PLUTIL": Tool.plutil ?? "plutil",
            ],
            folder: lab.folder)
    }
}
