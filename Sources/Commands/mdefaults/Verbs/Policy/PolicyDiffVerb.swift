import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// `policy diff`: what changes between two policies, for one user or for everybody.
enum PolicyDiffVerb: Verb {
    static let name = ["policy", "diff"]
    static let summary = "show what changes between two policies, and for whom"
    static let usage = ["policy diff [A] B [--hosts [FOLDER]] [--json]"]
    static var accepts: GlobalOptions.Kinds { .question }
    static let help = """
        What policy A says and what policy B says instead: what is added (+), removed (-) and changed (~) of
        forced, absent, recommended and set-once entries, sealed domains, waived keys and constraints, each with the
        place where it stands; shadow behind one is its OnOverride, where that is not refuse. Without --user that is said
        for everybody on the machine, those with equal differences together; values then keep their variables, as
        ${user}. With B alone, A is what is in force, and B is what it would be if policy install or policy rollback put it
        in place: temporary policy in /run stays on both sides. Who is asked about, the host, its tags and the time are
        those of this machine, or of --root, --user, --host, --at and --facts, for both sides; so nothing but policy makes
        a difference.

        --hosts FOLDER   for each machine whose policy facts are a file in FOLDER, those with equal answers together;
                         with B alone, A is what the facts say is in force there. Its content is found by its digest:
                         in B, here in what is and was in force, and in what a centre here published. What is not found
                         makes the answer for that machine unknown. A file of FOLDER that does not read is named, and
                         the others count. As the last word, without FOLDER, it asks for the hosts of the fleet whose centre
                         this machine is, by what each sent with its last report.

        A and B are each one of
          a number      that generation of policy history, of this machine or of --root, without /run
          a root        a folder with etc/managed-defaults or run/managed-defaults, / for example: what is in force there
          a directory   its files as if they lay in policies.d; where it has none, those of a policies.d in it
          a file        as if it were the only one; as B alone, as if it were put beside the others
        A file whose name is a number is written ./12. Owners, modes and signatures count beneath a root only. A
        directory without policy files is compared as policy that says nothing, and named; two of them are not.

        JSON: with --user [{"domain","key","change":"added"|"removed"|"changed",
        "before":{"level","value","constraint","onOverride":"refuse"|"shadow","occasion",
        "origins":[{"policy","file","line","column"}]},"after":{…}}]
        Else [{"users":[…],"differences":[…]}], with "hosts":[…] too for --hosts, and there {"hosts":[…],"unknown"} with a
        sentence and {"file","error"} for facts that do not read.
        "level" is forced, absent, sealed, waived, recommended, setOnce or constraint. A sealed domain has no "key". An
        added entry has no "before", a removed one no "after". "constraint" has the members "Minimum", "Maximum",
        "OneOf" and "Pattern" that are given. "onOverride" is that of what is forced, absent or sealed. "occasion" is what
        an entry is set once for: its policy with the version, or the stamp of a profile; another one sets it once again,
        over what users have chosen since. Of a sensitive key "value" and "constraint" are missing, and "sensitive"
        is true. A key is sensitive where A, B or the machine says so, whichever of their files does.

        exit codes: 0 no difference; 1 differences, unknown or broken facts; 2 wrong command line; 4 could not read; 5 a file has errors, or there
        is no policy file.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let isCentre = arguments.remaining.last == "--hosts" && arguments.flag("--hosts")
        let folder = isCentre ? nil : try arguments.option("--hosts")
        let first = try arguments.next("a policy")
        let second = arguments.next()
        try arguments.requireEnd()
        if isCentre || folder != nil,
            context.options.user != nil || context.options.host != nil || context.options.facts != nil
        {
            throw .usage(
                "--hosts asks about many machines and everybody there, not with --user, --host or --facts.", of: self)
        }
        let machine = try context.machine()
        let moment = try context.at().map { machine.moment.words(for: $0) }
        if isCentre || folder != nil {
            let facts =
                if let folder { try HostFactsFolder(folder) } else { try HostFactsFolder(ofCentre: machine.root) }
            return try compare(first, second, machine, facts, moment, context)
        }
        let pair = try pair(first, second, machine, context)
        if context.options.user != nil || context.options.facts != nil && machine.people.isEmpty {
            return try compare(pair, machine, moment, context)
        }
        let grouped = GroupedDifferences(pair, of: machine)
        let output = GroupedDiffOutput(grouped, pair.output, at: moment)
        if context.options.json {
            var json = JSONWriter(pretty: true)
            json.beginArray()
            output.write(to: &json)
            json.endArray()
            try context.print(json)
        } else {
            for line in output.lines { try context.console.line(context.console.ink.difference(line)) }
        }
        for sentence in grouped.limits { context.console.say(sentence) }
        return grouped.isEmpty ? .success : .no
    }

    /// Compares for the user of `--user`.
    private static func compare(
        _ pair: PolicyPair, _ machine: PolicyInForce, _ moment: String?, _ context: Context
    ) throws(Failure) -> ExitCode {
        let account = try context.account()
        let differences = pair.differences(for: account, of: machine)
        if context.options.json {
            try context.print(pair.output.document(differences))
        } else {
            let name = machine.shownName(of: account)
            let place = " on \(Printable.escape(machine.host.short))" + (moment.map { ", \($0)" } ?? "")
            let head = differences.isEmpty ? "No difference for \(name)\(place)." : "For \(name)\(place):"
            for line in [head] + differences.flatMap(pair.output.lines) {
                try context.console.line(context.console.ink.difference(line))
            }
        }
        return differences.isEmpty ? .success : .no
    }

    /// Reads the two policies.
    private static func pair(
        _ first: String, _ second: String?, _ machine: PolicyInForce, _ context: Context
    ) throws(Failure) -> PolicyPair {
        guard let second else {
            let present = PolicyStore(
                root: machine.root, accounts: machine.accounts, accountsDecide: !machine.root.isSystem
            ).load()
            let after = try ComparedPolicy(first, machine, beside: present, for: PolicyDiffVerb.self)
            try after.requireWholeness()
            return PolicyPair(present, after.set, roots: (machine.root, after.root), machine: machine)
        }
        var sides: [ComparedPolicy] = []
        for word in [first, second] {
            let side = try ComparedPolicy(word, machine, for: PolicyDiffVerb.self)
            try side.requireWholeness()
            if side.set.files.isEmpty, side.kind != .generation {
                context.console.say("\(Printable.escape(word)) has no policy file, so everything differs from nothing.")
            }
            sides.append(side)
        }
        if sides.allSatisfy({ $0.kind == .files && $0.set.files.isEmpty }) {
            throw Failure(code: .badInput, message: "There is no policy to compare.")
        }
        return PolicyPair(
            sides[0].set, sides[1].set, roots: (sides[0].root, sides[1].root), machine: machine)
    }

    /// Compares for every host whose facts are known; without A, with what is in force on each.
    private static func compare(
        _ first: String, _ second: String?, _ machine: PolicyInForce, _ facts: HostFactsFolder, _ moment: String?,
        _ context: Context
    ) throws(Failure) -> ExitCode {
        let fixed = try second.map { word throws(Failure) in try pair(first, word, machine, context) }
        // What is no folder or file of policy has no content that could be in force elsewhere.
        let input = try? PolicyInput([first], of: PolicyDiffVerb.self)
        var comparison = HostDifferences(
            machine, at: try context.at(), contents: input?.installation.files.map(\.bytes) ?? [])
        for host in facts.facts {
            if let fixed {
                comparison.add(host, fixed)
                continue
            }
            try comparison.add(host, inForce: host.policy) { present throws(Failure) in
                let after = try ComparedPolicy(first, machine, beside: present, for: PolicyDiffVerb.self)
                try after.requireWholeness()
                return (after.set, after.root)
            }
        }
        for (host, reason) in facts.unknown { comparison.addUnknown(host, reason) }
        for (file, error) in facts.broken { context.console.say(Printable.escape("\(file):\(error).")) }
        if context.options.json {
            var json = JSONWriter(pretty: true)
            json.beginArray()
            comparison.write(to: &json)
            for (file, error) in facts.broken {
                json.beginObject()
                json.field("file", file)
                json.field("error", error)
                json.endObject()
            }
            json.endArray()
            try context.print(json)
        } else {
            for line in comparison.lines(at: moment) { try context.console.line(context.console.ink.difference(line)) }
        }
        return comparison.isEmpty && facts.broken.isEmpty ? .success : .no
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

    /// Reads the side that a single word means: what is in force, once it is installed or rolled back to.
    ///
    /// - Throws: as above, and exit 5 where there is no policy file.
    init(_ word: String, _ machine: PolicyInForce, beside present: PolicySet, for verb: any Verb.Type) throws(Failure) {
        let side = try ComparedPolicy(word, machine, for: verb)
        (kind, root) = (side.kind, side.kind == .generation ? machine.root : side.root)
        switch side.kind {
        case .machine: set = side.set
        case .generation:
            do throws(StoredFileError) {
                set = try PolicySet.ofGeneration(
                    Int(word) ?? 0, beside: present, root: machine.root, accounts: machine.accounts)
            } catch {
                throw Failure(code: .inputOutput, message: "\(Printable.escape("\(error)")).")
            }
        case .files:
            let source = try PolicyInput([word], of: verb)
            set = PolicySet(
                etc: source.shownFiles, masks: source.masks, isWhole: source.installation.isWhole, beside: present,
                root: machine.root, accounts: machine.accounts)
        }
    }

    /// Reads the side that a word means.
    ///
    /// - Throws: exit 4 if it does not exist or cannot be read; not exit 1, which means that the sides differ.
    init(_ word: String, _ machine: PolicyInForce, for verb: any Verb.Type) throws(Failure) {
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
        if let reason = set.knowledge.failure {
            throw Failure(code: .inputOutput, message: "\(Printable.escape(root.path)) cannot be read: \(reason).")
        }
        let broken = set.files.filter { $0.policy == nil }.flatMap(\.diagnostics).first { $0.severity == .error }
        guard let broken else { return }
        throw Failure(code: .badInput, message: Printable.escape("\(broken)."))
    }
}
