import Foundation

/// A program that was started with its three streams on files.
///
/// Foundation's `Process` reads past the end of a buffer in `run()` and now and then ends the tests with SIGSEGV, so
/// the program is started by `posix_spawn` itself.
package struct SpawnedProgram: Sendable {
    /// Why a program did not start or end.
    package struct Failure: Error, CustomStringConvertible {
        /// A sentence.
        package let description: String
    }

    /// The process, by its id.
    package let id: Int32

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: the program.
    ///   - arguments: its command line without its name.
    ///   - environment: the whole environment.
    ///   - folder: the folder in which it runs.
    ///   - streams: the files of standard input, output and error, which exist.
    /// - Throws: where it does not start.
    package init(
        _ path: String, _ arguments: [String], environment: [String: String], folder: String,
        streams: (input: String, output: String, error: String)
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, streams.input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, streams.output, O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, streams.error, O_WRONLY, 0)
        // Swift's Glibc lacks the action that changes the folder; env does it and becomes the program.
        let env = "/usr/bin/env"
        var words = ([env, "-C", folder, path] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var id: pid_t = 0
        let code = posix_spawn(&id, env, &actions, nil, &words, &variables)
        guard code == 0 else {
            throw Failure(description: "\(path) did not start: \(String(cString: strerror(code))).")
        }
        self.id = id
    }

    /// Sends the program a signal, if it has not ended yet.
    package func send(_ signal: Int32) {
        kill(id, signal)
    }

    /// Waits for the end, and ends the program where it takes too long.
    ///
    /// - Returns: the exit code; negative for the signal that ended it.
    /// - Throws: where it took too long.
    package func code(within seconds: Double) throws -> Int32 {
        let ended = DispatchSemaphore(value: 0)
        let box = Box()
        let id = id
        Thread.detachNewThread {
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            box.status = status
            ended.signal()
        }
        if ended.wait(timeout: .now() + seconds) == .timedOut {
            kill(id, SIGKILL)
            ended.wait()
            throw Failure(description: "The program did not end within \(seconds) s.")
        }
        let signal = box.status & 0x7f
        return signal == 0 ? (box.status >> 8) & 0xff : -signal
    }

    /// Carries the status between threads; the semaphore orders writing and reading.
    private final class Box: @unchecked Sendable {
        /// The status of `waitpid`.
        var status: Int32 = 0
    }
}

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
        // Files rather than pipes: whatever is printed, the program never waits for a reader.
        let scratch = Scratch.makeFolder()
        defer { Scratch.remove(scratch) }
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
