import MDAuditRecord
import MDCare
import MDEngine
import MDPlatform
import MDPropertyList

/// `prepare-image`: clears what a disk image must not carry to other machines.
enum PrepareImageVerb: Verb {
    static let name = ["prepare-image"]
    static let summary = "clear what a disk image must not carry to other machines"
    static let usage = ["prepare-image [--yes] [--json]"]
    static let help = """
        For a machine whose disk becomes the image of others. Removes the audit log with its keys, the audit service's
        files (marks of values that users got once, numbers of what was not stored, keys), root's checkpoint of the log, the
        key of digests of sensitive values, what programs said of policy, who was here of directories, the private key that
        signs checkpoints, what the machine knows of its fleet, and exams and grants, which end.
        Other policy, its record and its copies stay.

        Stop the service first: systemctl stop mdefaultsd.socket mdefaultsd.service. What is in homes stays, users' own
        records that wait there too; an image has no users of its own. /etc/machine-id is the system's: systemd makes one at
        the next start where the file is empty.

        A machine that was copied without this begins a log of its own with its first record, and says so in it: see mdefaults
        help audit verify.

          --yes   do not ask; needed where nobody could answer

        JSON: {"cleared":[{"what","path"}],"machineID":bool}: whether the machine still has an id of its own.

        exit codes: 0 cleared, or nothing was there; 1 not agreed; 2 wrong command line; 4 could not be removed, or the
        service runs.
        """
    static let accepts: GlobalOptions.Kinds = [.root, .json]

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let isAgreed = arguments.flag("--yes")
        try arguments.requireEnd()
        let root = try PolicyWriting.root(context, to: "prepare an image")
        let preparation = ImagePreparation(root: root)
        let cleared = preparation.findings
        let lines = cleared.map { "\($0.what): \(Printable.escape(root.display($0.path)))" }
        if !cleared.isEmpty, !isAgreed {
            for line in lines { context.console.say(line) }
            try PolicyWriting.requireAgreement("Remove this?", orElse: "--yes says so", context, self)
        }
        do throws(AuditError) {
            try preparation.run()
        } catch {
            guard case .busy = error else {
                throw Failure(code: .inputOutput, message: "Not all could be removed: \(error).")
            }
            throw Failure(
                code: .inputOutput,
                message: "The audit service runs: systemctl stop mdefaultsd.socket mdefaultsd.service comes first.")
        }
        let hasID = Machine.machineID(root: root) != nil
        if context.options.json {
            var json = JSONWriter(pretty: true)
            json.beginObject()
            json.member("cleared")
            json.beginArray()
            for item in cleared {
                json.beginObject()
                json.field("what", item.what)
                json.field("path", root.display(item.path))
                json.endObject()
            }
            json.endArray()
            json.field("machineID", hasID)
            json.endObject()
            try context.print(json)
            return .success
        }
        for line in lines { try context.console.line("removed \(line)") }
        if cleared.isEmpty { try context.console.line("There was nothing to remove.") }
        if hasID {
            try context.console.line(
                "\(Printable.escape(root.display("/etc/machine-id"))) still has this machine's id; empty it last.")
        }
        return .success
    }
}
