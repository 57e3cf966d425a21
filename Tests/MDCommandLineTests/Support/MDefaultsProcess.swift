import Foundation
import MDTestSupport

/// The built `mdefaults`, run as a process as people run it.
struct MDefaultsProcess: Sendable {
    /// What a run came to.
    struct Result: Sendable {
        /// The exit code; negative for the signal that ended it.
        let code: Int32
        /// Standard output.
        let output: String
        /// Standard error.
        let error: String
    }

    /// Why a run could not be made.
    struct Failure: Error, CustomStringConvertible {
        /// A sentence.
        let description: String
    }

    /// The folder in which the process runs.
    let folder: String

    /// The built program, which lies beside the test bundle.
    static let path = BuiltProgram.path("mdefaults")

    /// The longest that a run may take, in seconds; far above any real one, so that only a hang meets it.
    private static let limit = 600.0

    /// Runs the program to its end.
    ///
    /// - Parameters:
    ///   - arguments: the command line without the program's name.
    ///   - environment: the whole environment.
    ///   - input: standard input.
    /// - Returns: exit code and what was printed.
    /// - Throws: where the program is not there, or does not end.
    func run(
        _ arguments: [String], environment: [String: String] = ["PATH": "/usr/bin:/bin"], input: String = ""
    ) throws -> Result {
        guard FileManager.default.isExecutableFile(atPath: MDefaultsProcess.path) else {
            throw Failure(
                description: "\(MDefaultsProcess.path) is missing: swift build makes it beside the test bundle.")
        }
        let run = try SpawnedProgram.run(
            MDefaultsProcess.path, arguments, environment: environment, folder: folder, input: input,
            within: MDefaultsProcess.limit)
        return Result(code: run.code, output: run.output, error: run.error)
    }
}
