import Platform
import PropertyList

/// What is wrong with targets on this machine.
struct LintTargets {
    /// What was found.
    private(set) var findings: [Diagnostic] = []
    /// Of these, why files apply to nobody here.
    private(set) var emptyTargets: [Diagnostic] = []
    /// The ids of names.
    private let names: NameTable
    /// The names of this machine.
    private let host: HostName
    /// The words of this machine's tags file; `nil` where they are not known.
    private let tags: Set<Key>?
    /// The users of this machine.
    private let accounts: AccountDatabase
    /// Where the machine is.
    private let root: Root

    /// Looks at the targets, and at the clauses of the waivers, of files.
    init(
        files: [LintFile], names: NameTable, host: HostName, tags: Set<Key>?, accounts: AccountDatabase, root: Root
    ) {
        (self.names, self.host, self.tags, self.accounts, self.root) = (names, host, tags, accounts, root)
        for file in files {
            for waiver in file.policy.waivers {
                checkNames(waiver.clauses, file)
                let ending = "so it is for nobody on this machine"
                findings += placeElsewhere(waiver.clauses, "this waiver", ending, file).map { [$0] } ?? []
            }
            guard let target = file.policy.target else { continue }
            checkNames(target.include, file)
            checkNames(target.except, file)
            if let finding = reasonForNobody(target, file) { emptyTargets.append(finding) }
        }
        findings += emptyTargets
    }

    /// Reports the names of users and groups that have no id.
    private mutating func checkNames(_ clauses: Target.Clauses, _ file: LintFile) {
        for user in clauses.users ?? [] { check(user, "user", .unknownUser, names.user(user.name), file) }
        for group in clauses.groups ?? [] { check(group, "group", .unknownGroup, names.group(group.name), file) }
    }

    /// Reports a name that has no id.
    private mutating func check(
        _ name: TargetName, _ noun: String, _ code: LintCode, _ state: NameTable.State, _ file: LintFile
    ) {
        let shown = Printable.escape(name.name.string)
        switch state {
        case .id: return
        case .unknown:
            findings.append(
                file.warning(
                    code, at: name.position, "this machine has no \(noun) \"\(shown)\", so the name matches nobody"))
        case .unresolved:
            findings.append(
                file.warning(
                    code, at: name.position,
                    "nobody could tell whether there is a \(noun) \"\(shown)\"; until then the name counts as matching"
                        + " in a target, and as not matching in its exceptions"))
        }
    }

    /// Why a target matches nobody on this machine, where that is certain.
    private func reasonForNobody(_ target: Target, _ file: LintFile) -> Diagnostic? {
        let include = target.include
        let ending = "so the file applies to nobody on this machine"
        if let finding = placeElsewhere(include, "this target", ending, file) { return finding }
        if file.target.isContradictory { return file.contradiction }
        for (clause, state) in [(include.users, names.user), (include.groups, names.group)] {
            guard let clause, let first = clause.first, clause.allSatisfy({ state($0.name) == .unknown }) else {
                continue
            }
            return file.warning(
                .matchesNobody, at: first.position,
                "this machine knows none of these names, so the file applies to nobody on it"
            )
        }
        return namesOutside(target, file)
    }

    /// The finding of clauses whose hosts or tags are those of other machines.
    private func placeElsewhere(
        _ clauses: Target.Clauses, _ noun: String, _ ending: String, _ file: LintFile
    ) -> Diagnostic? {
        if let hosts = clauses.hosts, let first = hosts.first, !hosts.contains(where: { $0.matches(host) }) {
            return file.warning(
                .noMatchingHost, at: first.position,
                "no host pattern of \(noun) matches \(Printable.escape(host.full)), \(ending)")
        }
        if let own = tags, let wanted = clauses.tags, let first = wanted.first,
            !wanted.contains(where: { own.contains($0.name) })
        {
            return file.warning(
                .noMatchingTag, at: first.position, "this machine has no tag of \(noun), \(ending)")
        }
        return nil
    }

    /// Whether each user whom a target names is outside of its groups or among its exceptions.
    private func namesOutside(_ target: Target, _ file: LintFile) -> Diagnostic? {
        guard let users = target.include.users, let first = users.first else { return nil }
        for user in users {
            switch names.user(user.name) {
            case .unknown: continue
            case .unresolved: return nil
            case .id(let uid):
                // The directory service may know of more groups than the files.
                guard !root.isSystem, let account = accounts.account(uid: uid) else { return nil }
                let subject = Subject(
                    userName: account.name, uid: uid, gid: account.gid, groups: accounts.groups(of: account),
                    home: account.home, host: host, tags: tags ?? [],
                    moment: Moment(time: Clock.now(), zones: ZoneDatabase(root: root)),
                    areTagsKnown: tags != nil)
                if target.mismatch(of: subject, names: names, inWords: false) == nil { return nil }
            }
        }
        return file.warning(
            .matchesNobody, at: first.position,
            "none of these users is in the groups of this target and outside of its exceptions, so the file applies to"
                + " nobody on this machine"
        )
    }
}
