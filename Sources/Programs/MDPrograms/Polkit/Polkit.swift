package import MDPlatform
import MDPolicyModel
package import MDPropertyList

/// polkit, which the system's services ask whether a user may do something: mount a stick, power off, change the network.
///
/// A key of the domain `org.freedesktop.policykit` is an action, its value polkit's own word for an answer. Policy becomes
/// one file of rules (``PolkitRules``), the first in order, because the first answer wins. An absent key has no answer of
/// policy: the rules of others and the action's own defaults decide.
///
/// Source: <https://www.freedesktop.org/software/polkit/docs/latest/polkit.8.html>
package struct Polkit: Program {
    package let name = "polkit"
    package let title = "polkit"
    package let executables = ["/usr/lib/polkit-1/polkitd", "/usr/libexec/polkitd", "/usr/lib/policykit-1/polkitd"]
    /// A change of the folder is a change of the actions.
    package let versionFiles = [PolkitActions.folder]
    package let reach = ProgramReach.user
    package let service: String? = "polkitd"
    package let tellsGroupsApart = true
    package let isAskedByRoot = true
    package let weakness = """
        what is done without asking polkit is free, as the power button and the devices of a group of the user's; a \
        password that was given before counts up to five minutes
        """

    /// The domain.
    package static let domain: Key = "org.freedesktop.policykit"

    /// What packages have registered; `nil` before ``prepared(for:)``.
    private let source: PolkitActions.Source?

    package init() { source = nil }

    private init(_ root: Root) { source = PolkitActions.Source(root) }

    package func prepared(for root: Root) -> Polkit { Polkit(root) }

    package var domains: [Key] { [Polkit.domain] }

    /// The actions of a machine.
    func actions(in root: Root) -> PolkitActions { (source ?? PolkitActions.Source(root)).actions }

    package func isMeant(_ key: Key, in root: Root) -> Bool {
        let actions = actions(in: root).actions
        return actions.isEmpty || actions[key] != nil
    }

    /// The answer that an entry wants; `nil` if it wants none.
    func answer(_ entry: ProgramEntry) -> String? {
        guard case .forced(.string(let word)) = entry.level,
            PolkitRules.words.contains(where: { Key($0) == Key(word) }),
            Polkit.isAction(entry.key)
        else { return nil }
        return word
    }

    /// What polkit answers for a policy.
    func answers(_ policy: ProgramPolicy) -> PolkitRules.Answers {
        policy.entries.reduce(into: [:]) { $0[$1.key] = answer($1) }
    }

    /// Whether a key may be an action's id.
    private static func isAction(_ key: Key) -> Bool {
        let bytes = key.string.utf8
        return bytes.count < 256 && bytes.contains(UInt8(ascii: "."))
            && bytes.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                    || byte == 0x2d || byte == 0x2e || byte == 0x5f
            }
    }

    package func render(_ policy: ProgramPolicy, for audience: Audience, in root: Root) -> ProgramRendering {
        var rendering = ProgramRendering()
        if policy.isEmpty { return rendering }
        let (actions, answers) = (actions(in: root), answers(policy))
        for entry in policy.entries {
            guard let finding = finding(about: entry, actions, answers) else { continue }
            rendering.findings.append(ProgramFinding(finding.kind, program: self, entry, finding.clause))
        }
        return rendering
    }

    /// What is to be said of an entry.
    private func finding(
        about entry: ProgramEntry, _ actions: PolkitActions, _ answers: PolkitRules.Answers
    ) -> (kind: ProgramFinding.Kind, clause: String)? {
        switch entry.level {
        case .absent where Polkit.isAction(entry.key): break
        case .absent, .forced:
            guard Polkit.isAction(entry.key) else {
                return (.unsupported, "a key is an action's id: letters, digits, hyphens and full stops")
            }
            guard answer(entry) != nil else {
                return (.unsupported, "the value is none of \(PolkitRules.words.joined(separator: ", "))")
            }
        case .recommended: return (.unsupported, "\(title) has no defaults that users change")
        default: return (.unsupported, "\(title) \(entry.level.unsupported)")
        }
        if let word = answers[entry.key], word != "yes", let way = actions.way(to: entry.key, around: answers) {
            return (.unsupported, "who may \(way.string) may this too, and some may that without a password: add it")
        }
        // A common setting is for machines with other packages too.
        guard !actions.actions.isEmpty, actions.actions[entry.key] == nil, !entry.origin.source.isExpanded else {
            return nil
        }
        let known = actions.actions.keys.sorted().map(\.string)
        guard let near = Suggestion.domain(near: entry.key.string, among: known, tolerance: 3) else {
            return (.unknown, "no package here has this action; it is written all the same")
        }
        return (.unsupported, "no package here has this action, \(near) is near; it is written all the same")
    }

    package func joined(
        _ users: [(user: ProgramUser, policy: ProgramPolicy)], _ others: UnlistedUsers, in root: Root
    ) -> ProgramFile? {
        // Its folder would not belong to its user.
        guard isInstalled(in: root) else { return nil }
        var rules = PolkitRules()
        rules.groups = others.groups
        rules.members = others.policies.map(answers)
        for (user, policy) in users {
            rules.users[user.uid] = PolkitRules.Row(name: PolkitRules.text(user.name), answers: answers(policy))
        }
        return ProgramFile(PolkitRules.path, .rules(rules))
    }

    package func rivals(of policy: ProgramPolicy, in root: Root) -> [ProgramFinding] {
        var findings: [ProgramFinding] = []
        func add(_ path: String, _ clause: String) {
            findings.append(ProgramFinding(.rival, program: name, path: path, clause))
        }
        let own = Key("00-managed-defaults.rules")
        for folder in [
            PolkitRules.folder, "/run/polkit-1/rules.d", "/usr/local/share/polkit-1/rules.d",
            "/usr/share/polkit-1/rules.d",
        ] {
            for name in (try? root.names(in: folder)) ?? [] where name.utf8.suffix(6).elementsEqual(".rules".utf8) {
                let path = "\(folder)/\(name)"
                if Key(name) < own { add(path, "polkit reads this before policy, and the first answer wins") }
                if let status = try? root.status(path, followingLinks: true), status.mode & 0o022 != 0 {
                    add(path, "users can write these rules (mode \(TrustRule.octal(status.mode)))")
                }
            }
        }
        return findings
    }

    package func publish(_ changed: [String], in root: Root) -> [String] {
        guard root.isSystem, root.mayExist(SystemBus.socket), root.mayExist(PolkitCheck.tool),
            changed.contains(where: { Key($0) == Key(PolkitRules.path) }),
            let bytes = try? root.read(PolkitRules.path, limit: PlainJSON.sizeLimit).bytes
        else { return [] }
        if PolkitCheck.isInForce(bytes, milliseconds: 3_000) { return [] }
        return ["polkit does not answer as its file says, or cannot be asked: its journal may say why"]
    }

    package var witness: (any Witness)? { PolkitWitness(program: self) }
}
