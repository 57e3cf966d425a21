import Engine
import Platform
import Policy
import PropertyList

/// `policy diff`: what changes for a user between two policies.
enum PolicyDiffVerb: Verb {
    static let name = ["policy", "diff"]
    static let summary = "show what changes for a user between two policies"
    static let usage = ["policy diff A B [--json]"]
    static var takes: GlobalOptions.Kinds { .question }
    static let help = """
        What policy A says for the user and what policy B says instead: what is added (+), removed (-) and changed (~) of
        forced, absent, recommended and set-once entries, sealed domains, waived keys and constraints, each with the
        place where it stands; shadow behind one is its OnOverride, where that is not refuse. Who the user is, the host, its tags and the time are those of this machine, or of --root,
        --user, --host, --at and --facts, for both sides; so nothing but policy makes a difference.

        A and B are each one of
          a number      that generation of policy history, of this machine or of --root, without /run
          a root        a folder with etc/managed-defaults or run/managed-defaults, / for example: what is in force there
          a directory   its files as if they lay in policies.d; where it has none, those of a policies.d in it
          a file        as if it were the only one
        A file whose name is a number is written ./12. Owners, modes and signatures count beneath a root only. A
        directory without policy files is compared as policy that says nothing, and named; two of them are not.

        JSON: [{"domain","key","change":"added"|"removed"|"changed",
        "before":{"level","value","constraint","onOverride":"refuse"|"shadow","occasion",
        "origins":[{"policy","file","line","column"}]},"after":{…}}]
        "level" is forced, absent, sealed, waived, recommended, setOnce or constraint. A sealed domain has no "key". An
        added entry has no "before", a removed one no "after". "constraint" has the members "Minimum", "Maximum",
        "OneOf" and "Pattern" that are given. "onOverride" is that of what is forced, absent or sealed. "occasion" is what
        an entry is set once for: its policy with the version, or the stamp of a profile; another one sets it once again,
        over what users have chosen since. Of a sensitive key "value" and "constraint" are missing, and "sensitive"
        is true. A key is sensitive where A, B or the machine says so, whichever of their files does.

        exit codes: 0 no difference; 1 differences; 2 wrong command line; 4 could not read; 5 a file has errors, or there
        is no policy file.
        """

    static func run(_ words: inout Words, _ context: Context) throws(Failure) -> ExitCode {
        let (first, second) = (try words.next("a policy"), try words.next("a second policy"))
        try words.end()
        let machine = try context.machine()
        let subject = machine.subject(for: try context.account())
        var sides: [(side: ComparedPolicy, resultant: ResultantSet)] = []
        for word in [first, second] {
            let side = try ComparedPolicy(word, machine, for: PolicyDiffVerb.self)
            try side.requireWholeness()
            if side.set.files.isEmpty, side.kind != .generation {
                context.console.say("\(Printable.escape(word)) has no policy file, so everything differs from nothing.")
            }
            sides.append((side, side.set.resolve(for: subject)))
        }
        if sides.allSatisfy({ $0.side.kind == .files && $0.side.set.files.isEmpty }) {
            throw Failure(code: .badInput, message: "There is no policy to compare.")
        }
        // What one machine's manifests call sensitive is shown of neither side.
        let domains = sides.reduce(into: Set<Key>()) { $0.formUnion($1.resultant.describedDomains) }
        for root in [machine.root] + sides.map(\.side.root) {
            let manifests = ManifestSet(root: root, of: domains)
            for index in sides.indices { sides[index].resultant = sides[index].resultant.described(by: manifests) }
        }
        let differences = PolicyDifference.between(
            sides[0].resultant, sides[1].resultant, besides: machine.policies.resolve(for: subject))
        let output = DiffOutput(before: sides[0].side.root, after: sides[1].side.root)
        if context.options.json {
            try context.print(output.document(differences))
        } else {
            for line in differences.flatMap(output.lines) { try context.console.line(line) }
        }
        return differences.isEmpty ? .success : .no
    }
}
