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
    private let users: LintUsers

    /// Looks at the targets, and at the clauses of the waivers, of files.
    init(files: [LintFile], users: LintUsers) {
        (names, host, tags, self.users) = (users.names, users.host, users.tags, users)
        for file in files {
            let target = file.policy.target
            let reason = target.flatMap { reasonForNobody($0, file) }
            for waiver in file.policy.waivers {
                checkNames(waiver.clauses, file)
                let ending = "so it is for nobody on this machine"
                let elsewhere = placeElsewhere(waiver.clauses, "this waiver", ending, file)
                // A waiver in a file for nobody is for nobody as well.
                if let finding = elsewhere ?? (reason == nil ? nobody(in: waiver, file) : nil) {
                    findings.append(finding)
                }
            }
            guard let target else { continue }
            checkNames(target.include, file)
            checkNames(target.except, file)
            if let reason {
                emptyTargets.append(reason)
            } else if let doubt = doubt(about: target, file) {
                findings.append(doubt)
            }
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
        // Of what is no name at all more is said where it is read.
        case .unknown where PolicyName.itemRemark(name.name.string, of: code == .unknownUser ? .users : .groups) != nil:
            return
        case .unknown:
            let message =
                users.isDirectoryKnown
                ? "this machine has no \(noun) \"\(shown)\", so the name matches nobody"
                : "no \(noun) \"\(shown)\" is known, and the directory service does not answer; until it does the name"
                    + " matches nobody"
            findings.append(file.warning(code, at: name.position, message))
        }
    }

    /// Why a target matches nobody on this machine, where that is certain.
    private func reasonForNobody(_ target: Target, _ file: LintFile) -> Diagnostic? {
        let include = target.include
        let ending = "so the file applies to nobody on this machine"
        if let finding = placeElsewhere(include, "this target", ending, file) { return finding }
        if file.target.isContradictory { return file.contradiction }
        if let finding = exceptionHere(target, file) { return finding }
        for (clause, state) in [(include.users, names.user), (include.groups, names.group)] {
            guard let clause, let first = clause.first, clause.allSatisfy({ state($0.name) == .unknown }) else {
                continue
            }
            return file.warning(
                .matchesNobody, at: first.position,
                "this machine knows none of these names, so the file applies to nobody on it"
            )
        }
        return nobody(in: target, file)
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

    /// The finding of exceptions that name this machine.
    private func exceptionHere(_ target: Target, _ file: LintFile) -> Diagnostic? {
        let ending = "so the file applies to nobody on this machine"
        if let pattern = target.except.hosts?.first(where: { $0.matches(host) }) {
            let (shown, name) = (Printable.escape(pattern.text), Printable.escape(host.full))
            return file.warning(
                .matchesNobody, at: pattern.position,
                "the exception \"\(shown)\" of this target matches \(name), \(ending)")
        }
        if let own = tags, let tag = target.except.tags?.first(where: { own.contains($0.name) }) {
            let shown = Printable.escape(tag.name.string)
            return file.warning(
                .matchesNobody, at: tag.position,
                "this machine has the tag \"\(shown)\", which this target excepts, \(ending)")
        }
        return nil
    }

    /// The finding of a target that nobody of this machine's users is in.
    private func nobody(in target: Target, _ file: LintFile) -> Diagnostic? {
        let ending = "so the file applies to nobody on this machine"
        let include = target.include
        let position = (include.users ?? include.groups)?.first?.position ?? file.policy.targetPosition
        switch users.absence(from: [target]) {
        case nil, .ownFiles: return nil
        case .named:
            return file.warning(
                .matchesNobody, at: position,
                "none of these users is in the groups of this target and outside of its exceptions, \(ending)")
        case .listed(let source):
            let words: String
            if include.groups == nil {
                words = "the exceptions of this target take out everybody"
            } else if target.except.isEmpty {
                words = "nobody is in one of these groups"
            } else {
                words = "nobody is in one of these groups and outside of the exceptions of this target"
            }
            return file.warning(.matchesNobody, at: position, "by \(source) \(words), \(ending)")
        }
    }

    /// The finding of a target in which nobody is of whom the machine itself knows.
    private func doubt(about target: Target, _ file: LintFile) -> Diagnostic? {
        guard case .ownFiles(let isAnswered) = users.absence(from: [target]) else { return nil }
        let excepting = target.except.isEmpty ? "" : " and outside of the exceptions of this target"
        return file.warning(
            .matchesNobody, at: target.include.groups?.first?.position ?? file.policy.targetPosition,
            "nobody of the user database of this machine is in one of these groups\(excepting); "
                + (isAnswered
                    ? "of those whom only the directory service knows, the file can apply to nobody but those whose primary"
                        + " group it is"
                    : "whether a directory service has others in them cannot be told, because it does not answer"))
    }

    /// The finding of a waiver for nobody of those whom its file is for.
    private func nobody(in waiver: Waiver, _ file: LintFile) -> Diagnostic? {
        let clauses = waiver.clauses
        // That nobody has one of these names is said of each.
        let states =
            (clauses.users ?? []).map { names.user($0.name) } + (clauses.groups ?? []).map { names.group($0.name) }
        guard states.contains(where: { $0 != .unknown }),
            let absence = users.absence(from: [Target(include: clauses)] + (file.policy.target.map { [$0] } ?? []))
        else { return nil }
        var source = ""
        switch absence {
        case .listed(let lists): source = "by \(lists) "
        case .ownFiles: return nil
        case .named: break
        }
        return file.warning(
            .matchesNobody, at: waiver.origin.position,
            "\(source)nobody on this machine is among those of this waiver and in the target of its file, so it lifts"
                + " nothing here")
    }
}
