import MDEngine
import MDFleet
import MDPlatform
import MDPrograms

/// `fleet demo`: a school in a folder.
enum FleetDemoVerb: Verb {
    static let name = ["fleet", "demo"]
    static var accepts: GlobalOptions.Kinds { [] }
    static let summary = "make a school of 30 machines in a folder, with its centre"
    static let usage = ["fleet demo FOLDER"]
    static let help = """
        Makes FOLDER: the centre of a fleet, and in FOLDER/machines 30 machines in two rooms, each a folder. They record what
        their people tried, and send it to the centre by the files and the code of a real fleet, for some hours of a clock
        that is given. The centre publishes policy twice, signed. One machine is set back to an earlier state, one falls
        silent, one does not take the newest policy, and one is copied with its disk. It needs no root, no server and no
        network, but openssl and ssh-keygen for the keys; without ssh-keygen nothing is published. Remove the folder when
        you are done.

        exit codes: 0 made; 2 wrong command line; 4 FOLDER is there already, or could not be written.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let word = try arguments.next("a folder")
        try arguments.requireEnd()
        let path: String
        do throws(SystemError) {
            path = try CallerPath.absolute(word)
            if Root.system.mayExist(path) {
                throw SystemError(operation: "make", path: word, code: 17, reason: "it is there already")
            }
        } catch {
            throw .of(error)
        }
        let fleet: DemoFleet
        do throws(FleetFault) {
            fleet = try DemoFleet(at: path, now: Clock.now(), version: ToolVersion.current) { root, time in
                PolicyMachine(root: root, expanding: .commonSettings(of: root)).policy(at: time)
            }
            _ = try fleet.run()
        } catch {
            throw Failure(code: .inputOutput, message: "\(Printable.escape("\(error)")).")
        }
        let (shown, special) = (Printable.escape(word), fleet.special)
        try context.console.line(
            "A school of 30 machines is in \(shown). \(special.setBack) was set back to an earlier state, "
                + "\(special.silent) is silent, "
                + (fleet.publishes ? "\(special.behind) does not take the newest policy, " : "")
                + "and another machine has a copy of the disk of \(special.copied). Try:")
        for line in [
            "\(shown) fleet page", "\(shown) fleet status",
            "\(shown)/machines/\(special.silent) fleet run", "\(shown) fleet collect",
            "\(shown)/machines/\(special.setBack) audit list",
        ] { try context.console.line("  mdefaults --root \(line)") }
        if fleet.publishes {
            try context.console.line("  mdefaults --root \(shown) fleet publish \(shown)\(DemoFleet.policies)")
        } else {
            context.console.say("Nothing was published, because ssh-keygen is not installed.")
        }
        return .success
    }
}
