import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTools

/// Checks targets against this machine.
struct LintTargets {
    private(set) var findings: [Diagnostic] = []
    /// The findings that say why files apply to no user of this machine.
    private(set) var emptyTargets: [Diagnostic] = []
    /// The ids of names.
    private let names: AccountIDs
    /// The names of this machine.
    private let host: HostName
    /// The tags of this machine; `nil` if unknown.
    private let tags: Set<Key>?
    private let users: LintUsers
    /// The names whose absence was said.
    private var said: Set<NameLedger.Name> = []
    /// Whether files are chosen by place and some are for this one: then those for others are for other machines.
    private let isOfManyPlaces: Bool

    /// Checks the targets and the waivers' clauses of files.
    init(files: [LintFile], users: LintUsers) {
        (names, host, tags, self.users) = (users.names, users.host, users.tags, users)
        isOfManyPlaces = files.contains { file in
            let include = file.policy.target?.include
            let isHere = include?.hosts.map { hosts in hosts.contains { $0.matches(users.host) } }
            let isTagged = include?.tags.map { tags in tags.contains { users.tags?.contains($0.name) ?? true } }
            return [isHere, isTagged].compactMap { $0 }.contains(true)
        }
        for file in files {
            let target = file.policy.target
            let reason = target.flatMap { reasonForNoUser($0, file) }
            for waiver in file.policy.writtenWaivers {
                checkNames(waiver.clauses, file)
                let ending = "so it is for nobody on this machine"
                let elsewhere = placeElsewhere(waiver.clauses, "this waiver", ending, file)
                // If a file applies to no user, its waivers are not reported again.
                if let finding = elsewhere ?? (reason == nil ? noUser(in: waiver, file) : nil) {
                    findings.append(finding)
                }
            }
            guard let target else { continue }
            checkNames(target.include, file)
            checkNames(target.except, file)
            if let reason {
                let isElsewhere = [LintCode.noMatchingHost, .noMatchingTag].map(\.rawValue).contains(reason.code)
                if !isElsewhere || !isOfManyPlaces { emptyTargets.append(reason) }
            } else if let finding = noLocalUser(in: target, file) {
                findings.append(finding)
            }
        }
        findings += emptyTargets
    }

    /// Reports the names of users and groups that have no id.
    private mutating func checkNames(_ clauses: Target.Clauses, _ file: LintFile) {
        for user in clauses.users ?? [] { check(user, .user, .unknownUser, names.user(user.name), file) }
        for group in clauses.groups ?? [] { check(group, .group, .unknownGroup, names.group(group.name), file) }
    }

    /// Reports a name that has no id, once, or that a directory spells otherwise.
    private mutating func check(
        _ name: TargetName, _ kind: NameLedger.Kind, _ code: LintCode, _ state: AccountIDs.State, _ file: LintFile
    ) {
        let (shown, noun, own) = (Printable.escape(name.name.string), kind.rawValue, NameLedger.Name(kind, name.name))
        // An invalid name is reported by the parser.
        if PolicyName.itemRemark(name.name.string, of: kind == .user ? .users : .groups) != nil { return }
        if let found = users.spelling(of: own) {
            if Key(found.text) == name.name { return }
            let service =
                found.service.isEmpty ? "the directory service" : "the service \(Printable.escape(found.service))"
            let message =
                "\(service) spells this \(noun) \"\(Printable.escape(found.text))\"; the name counts as it is written, too"
            findings.append(file.warning(.otherSpelling, at: name.position, message))
            return
        }
        guard state == .unknown, !said.contains(own) else { return }
        // What one file takes note of is news in another one.
        if !file.policy.acknowledged.contains(where: { $0.code == code }) { said.insert(own) }
        let message: String
        if let service = users.silentService(about: own) {
            let words = service.isEmpty ? "the directory service" : "the service \(Printable.escape(service))"
            message =
                "no \(noun) \"\(shown)\" is known, and \(words) does not answer; until it does the name matches nobody"
        } else {
            message = "this machine has no \(noun) \"\(shown)\", so the name matches nobody\(near(own))"
        }
        findings.append(file.warning(code, at: name.position, message))
    }

    /// The end of a sentence with the name that an unknown one probably misspells.
    private func near(_ name: NameLedger.Name) -> String {
        users.nearName(to: name).map { "; this machine has \"\(Printable.escape($0))\"" } ?? ""
    }

    /// The names of the first clause that has no name that this machine knows; `nil` if each has one.
    private func absentNames(of target: Target) -> [NameLedger.Name]? {
        let clauses = [
            target.include.users?.map { NameLedger.Name(.user, $0.name) },
            target.include.groups?.map { NameLedger.Name(.group, $0.name) },
        ]
        return clauses.compactMap { $0 }.first { !$0.isEmpty && $0.allSatisfy(users.isDenied) }
    }

    /// Why a target certainly matches no user of this machine.
    private mutating func reasonForNoUser(_ target: Target, _ file: LintFile) -> Diagnostic? {
        let include = target.include
        let ending = "so the file applies to nobody on this machine"
        if let finding = placeElsewhere(include, "this target", ending, file) { return finding }
        if file.target.isContradictory { return file.contradiction }
        if let finding = exceptionHere(target, file) { return finding }
        if let absent = absentNames(of: target), let first = absent.first {
            let position = (first.kind == .user ? include.users : include.groups)?.first?.position
            let (noun, hint) = (first.kind.rawValue, absent.count == 1 ? near(first) : "")
            let list = Plural.list(absent.map { "\"\(Printable.escape($0.name.string))\"" }, noun)
            let words = absent.count == 1 ? "no \(noun) \(list)" : "none of the \(noun)s \(list)"
            said.formUnion(absent)
            return file.warning(
                .matchesNobody, at: position ?? file.policy.targetPosition,
                "this machine has \(words), so the file applies to nobody on it\(hint)")
        }
        return noUser(in: target, file)
    }

    /// The finding for clauses whose hosts or tags do not match this machine.
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
            let (names, path) = (wanted.map { Printable.escape($0.name.string) }, users.shownTagFile)
            let list = names.count == 1 ? "no tag \(names[0])" : "none of the tags \(names.joined(separator: ", "))"
            // A last line without line feed may be a comment.
            let command = "printf '\\n\(first.name.string)\\n' >> \(path)"
            let remedy = LintTargets.isPlain(first.name) ? "; \(command) gives it one" : ""
            return file.warning(
                .noMatchingTag, at: first.position, "this machine has \(list) in \(path), \(ending)\(remedy)")
        }
        return nil
    }

    /// Whether a name means itself in a command.
    private static func isPlain(_ name: Key) -> Bool {
        name.string.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                true
            default: false
            }
        }
    }

    /// The finding for exceptions that match this machine.
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

    /// The finding for a target that includes no user of this machine.
    private func noUser(in target: Target, _ file: LintFile) -> Diagnostic? {
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

    /// The finding for a target that includes no user that the machine itself knows.
    private func noLocalUser(in target: Target, _ file: LintFile) -> Diagnostic? {
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

    /// The finding for a waiver that applies to no user of its file's target.
    private func noUser(in waiver: Waiver, _ file: LintFile) -> Diagnostic? {
        let clauses = waiver.clauses
        // Each unknown name is reported by itself.
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
