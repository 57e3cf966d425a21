import Foundation

extension SpawnedProgram {
    /// What a run came to.
    package struct Result: Sendable {
        /// The exit code; negative for the signal that ended it.
        package let code: Int32
        /// Standard output.
        package let output: String
        /// Standard error.
        package let error: String
    }

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - path: the program.
    ///   - arguments: its command line without its name.
    ///   - environment: the whole environment; `nil` for that of the tests.
    ///   - folder: the folder in which it runs.
    ///   - input: standard input.
    ///   - seconds: how long it may take; far above any real run, so that only a hang meets it.
    /// - Returns: exit code and what was printed.
    /// - Throws: where it does not start or end.
    package static func run(
        _ path: String, _ arguments: [String], environment: [String: String]? = nil, folder: String = "/",
        input: String = "", within seconds: Double = 900
    ) throws -> Result {
        // Files rather than pipes: whatever is printed, nobody waits for a reader.
        let scratch = NSTemporaryDirectory() + "run-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        for name in ["out", "err"] { try Data().write(to: URL(fileURLWithPath: "\(scratch)/\(name)")) }
        try Data(input.utf8).write(to: URL(fileURLWithPath: scratch + "/in"))
        let program = try SpawnedProgram(
            path, arguments, environment: environment ?? ProcessInfo.processInfo.environment, folder: folder,
            streams: (input: scratch + "/in", output: scratch + "/out", error: scratch + "/err"))
        let code = try program.code(within: seconds)
        return Result(code: code, output: try text(scratch + "/out"), error: try text(scratch + "/err"))
    }

    /// A file's content as text.
    private static func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }
}
