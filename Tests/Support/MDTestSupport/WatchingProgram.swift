import Foundation

/// A program of the library that looks at a key all the time, and what it has said so far.
package final class WatchingProgram {
    /// The program.
    private let program: SpawnedProgram
    /// Where its output goes.
    private let output: String
    /// The longest wait for a line, in seconds; far above any real one.
    private static let limit = 60.0

    /// Starts it, in a shell that did something before.
    package init(
        _ machine: TemporaryMachine, domain: String = "org.example.App", key: String,
        in script: String = "exec \"$@\""
    ) throws {
        output = Scratch.makeFolder() + "/output"
        try Data().write(to: URL(fileURLWithPath: output))
        program = try SpawnedProgram(
            "/bin/sh",
            ["-c", script, "sh", BuiltProgram.path("library-probe"), machine.path, "pupil", domain, key, "watch"],
            environment: [:], folder: "/", streams: ("/dev/null", output, "/dev/null"))
    }

    deinit {
        program.send(SIGKILL)
        _ = try? program.code(within: 60)
        try? FileManager.default.removeItem(atPath: output)
    }

    /// Everything that it said.
    package var lines: [String] {
        ((try? String(contentsOfFile: output, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    /// Waits until a line is the last one.
    package func waits(for line: String) -> Bool { waits { lines.last == line } }

    /// Waits until a condition is true.
    package func waits(until condition: () -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: WatchingProgram.limit)
        while Date() < end {
            if condition() { return true }
            usleep(2_000)
        }
        return false
    }

    /// The inodes that the kernel watches for it.
    package var watchedInodes: Set<UInt64> {
        let folder = "/proc/\(program.id)/fdinfo"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.reduce(into: []) { found, name in
            let text = (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? ""
            for line in text.split(separator: "\n") where line.hasPrefix("inotify ") {
                let field = line.split(separator: " ").first { $0.hasPrefix("ino:") }
                if let inode = field.flatMap({ UInt64($0.dropFirst(4), radix: 16) }) { found.insert(inode) }
            }
        }
    }

    /// How many threads it has.
    package var threads: Int {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(program.id)/task")) ?? []).count
    }
}
