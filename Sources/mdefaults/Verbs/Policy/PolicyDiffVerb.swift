import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// `policy diff`: what changes for a user between two policies.
enum PolicyDiffVerb: Verb {
    static let name = ["policy", "diff"]
    static let summary = "show what changes for a user between two policies"
    static let usage = ["policy diff A B [--json]"]
    static var accepts: GlobalOptions.Kinds { .question }
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

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let (first, second) = (try arguments.next("a policy"), try arguments.next("a second policy"))
        try arguments.requireEnd()
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
        // A key that the manifests of one machine call sensitive is masked on both sides.
        let domains = sides.reduce(into: Set<Key>()) { $0.formUnion($1.resultant.describedDomains) }
        for root in [machine.root] + sides.map(\.side.root) {
            let manifests = ManifestSet(root: root, of: domains)
            for index in sides.indices { sides[index].resultant = sides[index].resultant.described(by: manifests) }
        }
        let differences = PolicyDifference.between(
            sides[0].resultant, sides[1].resultant, besides: machine.policies.resolve(for: subject))
        let output = PolicyDiffOutput(before: sides[0].side.root, after: sides[1].side.root)
        if context.options.json {
            try context.print(output.document(differences))
        } else {
            for line in differences.flatMap(output.lines) { try context.console.line(line) }
        }
        return differences.isEmpty ? .success : .no
    }
}

/// One side of `policy diff`: a generation, a machine, a directory or a file.
struct ComparedPolicy {
    /// The policy.
    let set: PolicySet
    /// The root that its paths belong to.
    let root: Root
    /// What it was read from.
    let kind: SideKind

    /// What a side can be read from.
    enum SideKind {
        /// A generation, possibly without files.
        case generation
        /// A machine, possibly without policy.
        case machine
        /// A directory of policy files, or one file.
        case files
    }

    /// Reads the side that a word means.
    ///
    /// - Throws: exit 4 if it does not exist or cannot be read; not exit 1, which means that the sides differ.
    init(_ word: String, _ machine: PolicyMachine, for verb: any Verb.Type) throws(Failure) {
        let accounts = machine.accounts
        let isNumber = !word.isEmpty && word.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        if isNumber {
            kind = .generation
            let number = try PolicyWriting.generation(word, of: verb)
            do throws(StoredFileError) {
                set = try PolicySet.ofGeneration(number, root: machine.root, accounts: accounts)
                root = machine.root
            } catch {
                let message = "\(error.description.prefix(1).uppercased())\(error.description.dropFirst())."
                throw Failure(code: .inputOutput, message: Printable.escape(message))
            }
            return
        }
        do throws(SystemError) {
            let path = try CallerPath.absolute(word)
            let status = try Root.system.status(path, followingLinks: true)
            if status.kind == .directory {
                // However `/` is spelled, it means this machine.
                let top = try Root.system.status("/", followingLinks: true)
                let isSystem = status.device == top.device && status.inode == top.inode
                let folder = isSystem ? Root.system : try Root(directory: path)
                let store = PolicyStore(root: folder, accounts: accounts, accountsDecide: !machine.root.isSystem)
                if isSystem || store.isManaged {
                    set = store.load()
                    (root, kind) = (folder, .machine)
                    return
                }
            }
            set = try ComparedPolicy.sources(at: path, machine.root, accounts)
            (root, kind) = (.system, .files)
        } catch {
            throw .of(error)
        }
    }

    /// Reads one file, or the policy files of a directory or, if it has none, of `policies.d` in it, as in a checkout.
    private static func sources(
        at path: String, _ root: Root, _ accounts: AccountDatabase
    ) throws(SystemError) -> PolicySet {
        let set = try PolicySet.ofSources(at: path, root: root, accounts: accounts)
        guard set.files.isEmpty else { return set }
        let inner = "\(path)/policies.d"
        do throws(SystemError) {
            guard try Root.system.status(inner, followingLinks: true).kind == .directory else { return set }
            return try PolicySet.ofSources(at: inner, root: root, accounts: accounts)
        } catch {
            if error.isMissing { return set }
            throw error
        }
    }

    /// Refuses a policy with an unreadable or broken file, because the comparison would be wrong.
    func requireWholeness() throws(Failure) {
        if let reason = set.uncertainty {
            throw Failure(code: .inputOutput, message: "\(Printable.escape(root.path)) cannot be read: \(reason).")
        }
        let broken = set.files.filter { $0.policy == nil }.flatMap(\.diagnostics).first { $0.severity == .error }
        guard let broken else { return }
        throw Failure(code: .badInput, message: Printable.escape("\(broken)."))
    }
}
