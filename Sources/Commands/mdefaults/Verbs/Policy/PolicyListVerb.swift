import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// `policy list`: every policy file, whether it is in force, and whether it applies.
enum PolicyListVerb: Verb {
    static let name = ["policy", "list"]
    static var accepts: GlobalOptions.Kinds { .question }
    static let summary = "list the policy files, and whether they apply"
    static let usage = ["policy list [--json]"]
    static let help = """
        Every policy file in order of application: its name, its directory (etc or run), identifier and version,
        what of it is in force, and whether it applies to the user, with why not, when it ends and when time next changes
        that. Beneath a file stand its waivers for the user, in use or not, what is wrong with it, whether a good copy of
        it was recorded, and who signed it. Of a file in run, a grant or an exam for example, its keys, its waivers and
        what it is for stand there whomever it is for. At the end, the names that are not read.

        current            the file as it is
        last good          the recorded copy, because the file cannot be used as it is
        removed            the recorded copy of a file that is gone, until policy apply
        not recorded yet   nothing: the file cannot be used, and no copy of it was recorded
        no                 nothing, and that is recorded

        JSON: [{"policy","version","file","sha256","trusted":bool,"valid":bool,"applies":bool,"reason","nextChange","ends",
        "inForce":"current"|"last good"|"removed"|"unknown"|"not recorded yet"|"no","recorded":bool,"description","contact",
        "enforced":bool,"signature":{"state":"verified"|"not verified"|"refused","signer","reason"},
        "waivers":[{"domain","key","until","reason","approvedBy","expired":bool,"used":bool,"state":"in force"|"expired"|
        "in doubt"|"without effect","heldBy":{"policy","file","line","column"}}],
        "temporary":{"kind","set","forced":[{"domain","key"}],"absent","constraints","sealed":[domain],
        "waivers":[{"domain","key","users","groups","hosts","tags","until","reason","approvedBy"}]},
        "findings":[{"line","column","severity","code","message"}]}]
        "sha256" is that of the file as it lies there. "reason" says why a file does not apply, "ends" is its NotAfter:
        of a grant or an exam, its end. "heldBy" is the entry of an Enforced file that a waiver cannot lift, "temporary"
        what a file in run says. Where a file is not signed and need not be, "signature" is missing. A file that never
        was good has no "policy". Names that are not read follow as {"file","applies":false,"reason","ignored":true}.

        On a terminal, long lists of names are cut, and say how many more there are.

        exit codes: 0 listed; 2 wrong command line; 4 could not read: where it cannot be told what is forced, after what
        is known.
        """

    /// The most names of a list on a terminal; files and other programs get all.
    private static let longestList = 8

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        try arguments.requireEnd()
        let machine = try context.machine()
        let account = try context.account()
        var subject = machine.subject(for: account)
        if !context.options.json, StandardStream.output.isTerminal { subject.longestList = PolicyListVerb.longestList }
        let listing = PolicyListing(machine.policies, machine.policies.resolve(for: subject), in: machine.root)
        if context.options.json {
            try context.print(listing.document(in: machine.root))
            try context.requireKnownPolicy()
            return .success
        }
        for line in PolicyListText(listing, machine, account).lines { try context.console.line(line) }
        try context.requireKnownPolicy()
        return .success
    }
}
