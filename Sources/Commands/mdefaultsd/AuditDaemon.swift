import MDAuditClient
import MDAuditDaemon
import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDTools

/// The program of the audit service: reads its arguments, serves until SIGTERM or SIGINT, and turns failures into
/// sentences and exit codes.
@main
struct AuditDaemon {
    /// The exit codes.
    private enum ExitCode {
        /// It ended as requested.
        static let success: Int32 = 0
        /// It could not begin.
        static let failure: Int32 = 1
        /// The arguments are wrong.
        static let usage: Int32 = 2
    }

    /// The text of `--help`.
    private static let help = """
        usage: mdefaultsd [--root DIR]

        Stores the audit records of processes that may not write the log themselves.
        Listens on \(ServiceProtocol.socketPath), or on the socket that a service manager passes,
        and ends on SIGTERM or SIGINT.

          --root DIR   serves the folder DIR, which represents a machine
          --hardware   writes digests of the hardware to \(Hardware.path), by which a log on
                       a copied disk is recognized, and ends; for root, before the service begins
          --help       prints this text
          --version    prints the version of the messages and of the log

        """

    /// Runs the program.
    static func main() {
        FileSizeSignal.ignore()
        ProcessExit.end(run(CurrentProcess.arguments))
    }

    /// Runs one command line.
    private static func run(_ arguments: [String]) -> Int32 {
        switch arguments {
        case ["--help"], ["-h"]: return say(help)
        case ["--version"]: return say("mdefaultsd, messages MD1, log \(AuditRecord.formatVersion)\n")
        case ["--hardware"]: return publishHardware()
        case []: return serve(.system)
        default:
            guard arguments.count == 2, arguments[0] == "--root" else {
                return fail("The arguments are wrong; --help lists them.", ExitCode.usage)
            }
            do {
                return serve(try Root(directory: arguments[1]))
            } catch {
                return fail("\(error).", ExitCode.failure)
            }
        }
    }

    /// Serves a root.
    private static func serve(_ root: Root) -> Int32 {
        let stop: StopSignal
        do {
            try? Hardware.publish(root)
            try ServiceUser.takeOn(under: root)
            if root.isSystem, CurrentProcess.euid == 0 {
                complain(
                    "It runs as root and reads what users send. It gives up the rights of root where the folder of the log "
                        + "belongs to another user, as in the package.")
            }
            stop = try StopSignal.ofTheProcess()
        } catch {
            return fail("\(error).", ExitCode.failure)
        }
        do {
            let keeper = GenerationKeeper(root: root)
            let service = try AuditService.open(root: root, stop: stop, keys: keeper.keys)
            keeper.begin()
            defer { keeper.end() }
            service.run()
            return ExitCode.success
        } catch {
            return fail("\(error).", ExitCode.failure)
        }
    }

    /// Writes the facts of hardware for the service, which may not read them.
    private static func publishHardware() -> Int32 {
        do {
            try Hardware.publish(.system)
            return ExitCode.success
        } catch {
            return fail("\(error).", ExitCode.failure)
        }
    }

    /// Prints a text.
    private static func say(_ text: String) -> Int32 {
        (try? StandardStream.output.write(Array(text.utf8))) == nil ? ExitCode.failure : ExitCode.success
    }

    /// Prints a sentence about a failure.
    private static func fail(_ sentence: String, _ code: Int32) -> Int32 {
        complain(sentence)
        return code
    }

    /// Prints a sentence about something that is wrong.
    private static func complain(_ sentence: String) {
        try? StandardStream.error.write(Array("mdefaultsd: \(sentence)\n".utf8))
    }
}
