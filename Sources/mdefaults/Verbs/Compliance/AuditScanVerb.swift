import MDCompliance
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// `audit scan`: looks for stored values that a forced value hides.
enum AuditScanVerb: Verb {
    static let name = ["audit", "scan"]
    static let summary = "find stored values that forced values hide, and record them"
    static let usage = ["audit scan [--user NAME] [--json]"]
    static let help = """
        Looks at the preference files of every user whom a report covers, or of NAME, for values that a forced value hides:
        a program that never asks the library may have stored them. Each home is read as the user whose it is. Nothing in
        a home is changed.

        A value that is found for the first time is recorded in the audit log (kind override, src scan, outcome hidden,
        via file; the note names the file), and is not recorded again while it stays; digests in
        /var/lib/managed-defaults/scan.register say which ones are. What was gone and came back is recorded anew. A value
        that equals the forced one hides nothing. Of one user at most 1024 values are recorded one by one; the number of
        the others is recorded with kind drop. Only root, or the owner of the folder of --root, can scan.

        JSON: {"users","findings":[{"user","domain","key","file","value","sensitive":bool,"new":bool,
        "origin":{"policy","file","line","column"}}],"problems":[sentence]}
        "users" counts the homes that were read. The value of a sensitive key is missing.

        exit codes: 0 nothing is hidden; 1 values are hidden, or a home could not be read; 2 wrong command line; 4 not
        permitted, policy is unknown, or findings could not be recorded.
        """
    static let accepts: GlobalOptions.Kinds = [.root, .json, .user]

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        try arguments.requireEnd()
        let root = try context.root()
        guard PolicyStore(root: root).mayWrite else {
            throw Failure(
                code: .inputOutput,
                message: "Only root, or the owner of the folder of --root, can look at what every user has stored.")
        }
        let machine = try context.machine()
        try context.requireKnownPolicy()
        let only = context.options.user == nil ? nil : try context.account()
        let scan = StoredValueScan(of: machine, only: only)
        if context.options.json {
            try context.print(document(of: scan, root))
        } else {
            for finding in scan.findings {
                for line in Layout.wrap(Printable.escape(text(of: finding, root)), indent: 4, first: "") {
                    try context.console.line(line)
                }
            }
        }
        for problem in scan.problems { context.console.say(problem) }
        if let failure = scan.failure { throw Failure(code: .inputOutput, message: failure) }
        return scan.findings.isEmpty && scan.problems.isEmpty ? .success : .no
    }

    /// A finding as a line.
    private static func text(of finding: StoredValueScan.Finding, _ root: Root) -> String {
        let value = finding.isSensitive ? ValueText.sensitive : ValueText.line(finding.value.value)
        let origin = finding.entry.origin
        return
            "\(finding.isNew ? "new    " : "known  ") \(finding.account.name)  \(finding.value.domain) \(finding.key) = "
            + "\(value)  in \(root.display(finding.value.file)), hidden by \(origin.policy) "
            + "(\(root.display(origin.file)):\(origin.position.line))"
    }

    /// The result as JSON.
    private static func document(of scan: StoredValueScan, _ root: Root) -> JSONWriter {
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.field("users", scan.users)
        json.member("findings")
        json.beginArray()
        for finding in scan.findings {
            json.beginObject()
            json.field("user", finding.account.name)
            json.field("domain", finding.value.domain.string)
            json.field("key", finding.key.string)
            json.field("file", root.display(finding.value.file))
            if !finding.isSensitive { json.field("value", finding.value.value) }
            json.field("sensitive", finding.isSensitive)
            json.field("new", finding.isNew)
            json.origin(finding.entry.origin, in: root)
            json.endObject()
        }
        json.endArray()
        json.member("problems")
        json.beginArray()
        for problem in scan.problems { json.string(problem) }
        json.endArray()
        json.endObject()
        return json
    }
}
