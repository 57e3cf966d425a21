import MDPlatform
import MDPolicyAdministration
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// `policy delegates`: who besides root may start exams and grant keys.
enum PolicyDelegatesVerb: Verb {
    static let name = ["policy", "delegates"]
    static let summary = "show who besides root may start exams and grant keys"
    static let usage = ["policy delegates [--json]", "policy delegates --access|--serve"]
    static let help = """
        Shows what /etc/managed-defaults/delegates.json says, which belongs to root: for each delegation who the delegates
        are, which sets they may start with policy exam, which keys they may free with policy grant, how many hours ahead
        an end may be, and for whom. An entry with a mistake counts for nothing; the others count.

        A delegate types the same as root: mdefaults policy exam start SET --for 2h --reason TEXT. The command asks a program
        of root's over the socket /run/managed-defaults/delegate.sock. The kernel says who asks, the directory which
        groups that is in; if it does not answer, the request is refused. A set is one that is installed, by its name; a grant
        frees a key and gives it no value, lifts nothing of a file that is Enforced, such as those of an exam, and is for
        somebody else. A delegate stops only what he or she started. The audit log and policy exam list name the delegate.

          --access   lets the delegates connect to the socket, as they were recorded; the socket's unit and each recording
                     verb do so
          --serve    root's part: answers the connection on standard input

        JSON: [{"users":[…],"groups":[…],"sets":[…],"keys":{"DOMAIN":[…]},"hours","for":{"users":[…],"groups":[…],
        "everybody":bool},"mine":bool,"line"}]
        "mine" says whether the caller is one of these delegates, as root's part will judge; it is missing where that is
        unknown, for root and with --root.

        exit codes: 0 done; 1 there is no delegation; 2 wrong command line; 4 the socket's access could not be set; 5 an
        entry has mistakes.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let (isServing, setsAccess) = (arguments.flag("--serve"), arguments.flag("--access"))
        try arguments.requireEnd()
        let root = try context.root()
        guard isServing || setsAccess else { return try list(Delegates(of: root), root, context) }
        guard isServing != setsAccess, root.isSystem else {
            throw .usage("--serve and --access go alone, and not with --root.", of: self)
        }
        try PolicyWriting.requirePermission(for: PolicyStore(root: root), to: "serve delegates")
        do throws(SystemError) {
            if isServing { try DelegateService().run() } else { try DelegateAccess.renew(root) }
        } catch {
            throw .of(error)
        }
        return .success
    }

    private static func list(_ delegates: Delegates, _ root: Root, _ context: Context) throws(Failure) -> ExitCode {
        if context.options.json {
            try context.print(document(delegates, DelegateService.judge(of: CurrentProcess.uid, delegates, root)))
        } else {
            for entry in delegates.entries {
                for line in lines(of: entry).flatMap({ Layout.fold($0) }) { try context.console.line(line) }
            }
            if delegates.entries.isEmpty {
                try context.console.line("Nobody besides root may start exams or grant keys.")
            }
        }
        for finding in delegates.findings { context.console.sayPlain([Printable.escape(finding.description)]) }
        if !delegates.findings.isEmpty { return .badInput }
        return delegates.entries.isEmpty ? .no : .success
    }

    private static func lines(of entry: Delegates.Entry) -> [String] {
        var lines = ["\(words(entry.delegates)), up to \(entry.hours == 1 ? "1 hour" : "\(entry.hours) hours") ahead:"]
        let whom = words(entry.whom)
        if !entry.sets.isEmpty { lines.append("  exams \(joined(entry.sets)), for \(whom)") }
        for (domain, keys) in entry.keys.sorted(by: { $0.key < $1.key }) {
            lines.append("  grants of \(joined([domain])) \(joined(keys)), for \(whom)")
        }
        return lines
    }

    private static func words(_ people: Delegates.People) -> String {
        var parts: [String] = []
        if people.everybody { parts.append("everybody") }
        if !people.groups.isEmpty {
            parts.append("\(people.groups.count == 1 ? "group" : "groups") \(joined(people.groups))")
        }
        if !people.users.isEmpty {
            parts.append("\(people.users.count == 1 ? "user" : "users") \(joined(people.users))")
        }
        return parts.joined(separator: " and ")
    }

    private static func joined(_ names: [Key]) -> String {
        names.map { Printable.escape($0.string) }.joined(separator: ", ")
    }

    private static func document(_ delegates: Delegates, _ judge: DelegateJudge?) -> JSONWriter {
        func array(_ names: [Key]) -> Value { .array(names.map { .string($0.string) }) }
        var json = JSONWriter(pretty: true)
        json.beginArray()
        for entry in delegates.entries {
            json.beginObject()
            json.field("users", array(entry.delegates.users))
            json.field("groups", array(entry.delegates.groups))
            json.field("sets", array(entry.sets))
            json.field("keys", .dictionary(entry.keys.mapValues(array)))
            json.field("hours", entry.hours)
            json.member("for")
            json.beginObject()
            json.field("users", array(entry.whom.users))
            json.field("groups", array(entry.whom.groups))
            json.field("everybody", entry.whom.everybody)
            json.endObject()
            json.field("mine", judge?.isDelegate(of: entry))
            json.field("line", entry.position.line)
            json.endObject()
        }
        json.endArray()
        return json
    }
}
