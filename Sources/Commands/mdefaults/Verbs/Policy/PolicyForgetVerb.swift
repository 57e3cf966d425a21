import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// `policy forget`: ends what is recorded of missing policy directories, or a time floor ahead of the clock.
enum PolicyForgetVerb: Verb {
    static let name = ["policy", "forget"]
    static let summary = "end what is recorded of directories that are gone"
    static let usage = ["policy forget [--clock | --name NAME | --directory] [--json]"]
    static let help = """
        A policy file that is gone leaves the record by policy apply, but only from a directory that is there: where
        /etc/managed-defaults/policies.d or /run/managed-defaults/policies.d is missing, what was recorded of its files
        stays in force. This verb ends that, and what only those files forced is free at once, also in running programs.
        A directory that is there, or cannot be looked at, keeps what is recorded of it.
        Where /etc/managed-defaults and /var/lib/managed-defaults are both gone, running programs keep what was in force;
        this verb writes an empty record, in a new directory, which ends that.

        --clock   end a time floor instead: while the newest time that the machine has recorded lies ahead of the clock,
                  NotBefore counts as reached, and waivers and grants as ended. Set the clock first; from then on its
                  time is the newest one

        --name NAME   end what is recorded of a user or group that a directory had: what the directory answers now counts
                  at once. Without it a name that is not found any more keeps its id until every service says in all runs of
                  24 hours that it does not exist, and the one that had it finds another name
        --directory   the same for every name of a directory that answers otherwise now: after a migration. A name that no
                  service answers keeps its id

        Each thing that ends is in the audit log, as a record of kind policy; where that cannot be stored, nothing ends.
        Only root may; beneath --root, the owner of the folder.

        JSON: {"directories":[…],"changes":[{"file","change","from"}]}, with --clock {"files":[…]}: the files whose time lay
        ahead, with the other two {"changes":[{"file","change"}]}. "from" is the digest (SHA-256) of what was in force.

        exit codes: 0 ended; 1 there was nothing to end; 2 wrong command line; 4 could not be read, written or recorded.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let isAboutClock = arguments.flag("--clock")
        let isAboutDirectory = arguments.flag("--directory")
        let name = try arguments.option("--name")
        try arguments.requireEnd()
        let root = try context.root()
        let store = PolicyStore(root: root)
        try PolicyWriting.requirePermission(for: store, to: "forget what is recorded of policy")
        guard [isAboutClock, isAboutDirectory, name != nil].count(where: { $0 }) < 2 else {
            throw .usage("Only one of --clock, --name and --directory can be given.", of: self)
        }
        if isAboutDirectory || name != nil { return try forgetNames(name, store, context) }
        return try isAboutClock ? forgetClock(store, context) : forgetDirectories(store, context)
    }

    /// Ends what is recorded of missing policy directories.
    private static func forgetDirectories(_ store: PolicyStore, _ context: Context) throws(Failure) -> ExitCode {
        let root = store.root
        var ended: (places: [PolicyDirectory], changes: [PolicyChange]) = ([], [])
        let recorder = PolicyChangeRecorder(root: root)
        do throws(OperationError) {
            ended.places = try store.forget { changes in
                ended.changes = changes
                return recorder.record(changes)
            }
        } catch {
            throw failure(error)
        }
        let directories = ended.places.map { root.display($0.directory) }
        if context.options.json {
            var json = JSONWriter(pretty: true)
            json.beginObject()
            json.field("directories", .array(directories.map { .string($0) }))
            json.member("changes")
            json.beginArray()
            for change in ended.changes {
                json.beginObject()
                json.field("file", root.display(change.path))
                json.field("change", change.note)
                json.field("from", change.from?.hex)
                json.endObject()
            }
            json.endArray()
            json.endObject()
            try context.print(json)
        } else if directories.isEmpty {
            try context.console.line("Nothing is recorded of a directory that is gone.")
        } else {
            for change in ended.changes {
                try context.console.line(Printable.escape("\(root.display(change.path)): \(change.note)"))
            }
            for directory in directories {
                let sentence = "What was recorded of \(directory) is not in force any more."
                try context.console.line(Printable.escape(sentence))
            }
        }
        return directories.isEmpty ? .no : .success
    }

    /// Ends a time floor that is ahead of the clock.
    private static func forgetClock(_ store: PolicyStore, _ context: Context) throws(Failure) -> ExitCode {
        let root = store.root
        var paths: [String] = []
        if store.isManaged {
            let recorder = PolicyChangeRecorder(root: root)
            do throws(OperationError) {
                paths = try store.forgetClock { recorder.record($0) }
            } catch {
                throw failure(error)
            }
        }
        let files = paths.map { root.display($0) }
        if context.options.json {
            var json = JSONWriter(pretty: true)
            json.beginObject()
            json.field("files", .array(files.map { .string($0) }))
            json.endObject()
            try context.print(json)
        } else if files.isEmpty {
            try context.console.line("No recorded time lies ahead of the clock.")
        } else {
            let list = files.joined(separator: ", ")
            try context.console.line(Printable.escape("The times of these lay ahead of the clock, and end: \(list)."))
        }
        return files.isEmpty ? .no : .success
    }

    /// The failure of an operation that ended nothing.
    static func failure(_ error: OperationError) -> Failure {
        Failure(code: .inputOutput, message: Printable.escape("Nothing was ended: \(error.description)."))
    }
}
