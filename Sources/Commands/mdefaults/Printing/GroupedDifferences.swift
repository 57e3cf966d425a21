import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPrograms
import MDPropertyList

/// What changes between two policies for many people, those with equal differences together.
struct GroupedDifferences {
    /// People with equal differences.
    struct Group {
        /// The people, in the order of the account database.
        var people: [Account]
        let differences: [PolicyDifference]
        /// What programs get of the differences, by which groups are compared.
        let text: String
    }

    /// The machine whose people are asked about.
    let machine: PolicyInForce
    /// The users with changes, the largest group first.
    private(set) var groups: [Group] = []
    /// The users without changes.
    private(set) var unchanged: [Account] = []
    /// What is unknown of people of directories, as sentences.
    let limits: [String]

    /// Compares two policies for people of a machine.
    ///
    /// Values keep their variables, so that people differ only where policy treats them differently.
    ///
    /// - Parameters:
    ///   - pair: the policies.
    ///   - people: the people; `nil` for those of the machine, and those of directories whom the difference may be about.
    ///   - machine: the machine.
    init(_ pair: PolicyPair, for people: [Account]? = nil, of machine: PolicyInForce) {
        self.machine = machine
        let strangers = people == nil ? DirectoryPeople(of: pair.changedFiles, on: machine) : nil
        limits = strangers?.limits ?? []
        let people = people ?? machine.people + (strangers?.accounts ?? [])
        var places: [String: Int] = [:]
        let audiences = pair.audiences
        /// The group of each audience that was asked for; `nil` for one without changes.
        var known: [PolicyAudiences.Audience: Int?] = [:]
        for account in people {
            let audience = audiences.audience(of: machine.subject(for: account).withVariables)
            if let audience, let place = known[audience] {
                if let place { groups[place].people.append(account) } else { unchanged.append(account) }
                continue
            }
            let differences = pair.differences(for: account, of: machine, withVariables: true)
            guard !differences.isEmpty else {
                unchanged.append(account)
                if let audience { known[audience] = .some(nil) }
                continue
            }
            let text = pair.output.document(differences).text
            if let place = places[text] {
                groups[place].people.append(account)
            } else {
                places[text] = groups.count
                groups.append(Group(people: [account], differences: differences, text: text))
            }
            if let audience { known[audience] = places[text] }
        }
        // Those of equal size keep their order, so that the answer never varies.
        groups = groups.enumerated().sorted {
            ($1.element.people.count, $0.offset) < ($0.element.people.count, $1.offset)
        }.map(\.element)
    }

    var isEmpty: Bool { groups.isEmpty }

    /// A text that is equal for hosts where the same changes for the same people.
    var key: String {
        let parts = groups.map { group in (group.people.map(\.name) + [group.text]).joined(separator: "\n") }
        return (parts + unchanged.map(\.name)).joined(separator: "\n\n")
    }

    /// All users that were compared.
    var people: [Account] { groups.flatMap(\.people) + unchanged }
}

/// Two policies that are compared.
struct PolicyPair {
    let before: PolicySet
    let after: PolicySet
    /// The roots that the paths of the two are shown beneath.
    let roots: (before: Root, after: Root)
    /// What manifests say of keys; a key that one of the machines calls sensitive is masked on both sides.
    private let manifests: [ManifestSet]
    /// The policy of the machine where the two are compared, which may call keys sensitive as well.
    private let own: PolicySet

    /// Makes a pair of what is in force on another host and what would be; settings are described as on this machine.
    init(_ before: PolicySet, _ after: PolicySet, elsewhere shown: (before: Root, after: Root), machine: PolicyInForce)
    {
        self.init(before, after, roots: (machine.root, machine.root), shown: shown, machine: machine)
    }

    /// Makes a pair; common settings become what they are for programs where each of the two is.
    init(_ before: PolicySet, _ after: PolicySet, roots: (before: Root, after: Root), machine: PolicyInForce) {
        self.init(before, after, roots: roots, shown: roots, machine: machine)
    }

    private init(
        _ before: PolicySet, _ after: PolicySet, roots: (before: Root, after: Root),
        shown: (before: Root, after: Root), machine: PolicyInForce
    ) {
        let (before, after) = (
            PolicyPair.expanded(before, of: roots.before, machine), PolicyPair.expanded(after, of: roots.after, machine)
        )
        (self.before, self.after, self.roots, own) = (before, after, shown, machine.policies)
        let domains = Set((before.files + after.files).flatMap { $0.policy?.domains ?? [] })
        manifests = [machine.root, roots.before, roots.after].map { ManifestSet(root: $0, of: domains) }
    }

    /// A policy with what its common settings are for programs; files apart from any machine are for the asked one.
    private static func expanded(_ set: PolicySet, of root: Root, _ machine: PolicyInForce) -> PolicySet {
        PolicyExpansion.commonSettings(of: root.isSystem ? machine.root : root).expand(set)
    }

    /// The same two policies with the ids that names have on another host.
    private init(_ pair: PolicyPair, _ accounts: AccountDatabase) {
        (before, after) = (pair.before.renamed(accounts), pair.after.renamed(accounts))
        (roots, manifests, own) = (pair.roots, pair.manifests, pair.own)
    }

    /// The same two policies for the users of another host.
    func renamed(_ accounts: AccountDatabase) -> PolicyPair { PolicyPair(self, accounts) }

    /// The policy files of either side that the other has not.
    var changedFiles: [PolicyFile] {
        let sides = [before, after].map { $0.files.compactMap(\.policy) }
        let digests = sides.map { Set($0.map(\.digest)) }
        return sides[0].filter { !digests[1].contains($0.digest) } + sides[1].filter { !digests[0].contains($0.digest) }
    }

    /// Which people get the same of these policies.
    var audiences: PolicyAudiences { PolicyAudiences(of: [before, after, own]) }

    /// How differences are printed.
    var output: PolicyDiffOutput { PolicyDiffOutput(before: roots.before, after: roots.after) }

    /// What changes for a user of a machine.
    ///
    /// - Parameters:
    ///   - account: the user.
    ///   - machine: the machine.
    ///   - withVariables: whether variables stay as they are written.
    /// - Returns: the differences.
    func differences(
        for account: Account, of machine: PolicyInForce, withVariables: Bool = false
    ) -> [PolicyDifference] {
        let plain = machine.subject(for: account)
        let subject = withVariables ? plain.withVariables : plain
        var sides = [before.resolve(for: subject), after.resolve(for: subject)]
        for manifests in manifests { sides = sides.map { $0.described(by: manifests) } }
        return PolicyDifference.between(sides[0], sides[1], besides: own.resolve(for: subject))
    }
}

/// Names people in a few words.
struct PeopleWords {
    private let machine: PolicyInForce
    /// How many people there are.
    private let count: Int
    /// The groups of everybody, by name, without those that are only one person's.
    private let groups: [(name: String, members: Set<Key>)]

    init(_ machine: PolicyInForce, _ people: [Account]) {
        self.machine = machine
        count = people.count
        var members: [Key: Set<Key>] = [:]
        for account in people {
            for name in machine.subject(for: account).groupNames {
                members[Key(name), default: []].insert(Key(account.name))
            }
        }
        groups = members.filter { $0.value.count > 1 && $0.value.count < people.count }
            .sorted { ($0.value.count, $0.key) < ($1.value.count, $1.key) }.map { ($0.key.string, $0.value) }
    }

    /// The most names that are all given.
    private static let bound = 4

    /// Some people: `alice, bob and 28 more of students`, `25 of 3b, by the directory`.
    func words(_ people: [Account]) -> String {
        let strangers = people.count { $0.isFromNameService }
        let source =
            strangers == 0
            ? "" : strangers == people.count ? ", by the directory" : ", \(strangers) of them by the directory"
        if people.count == count, count > 1 { return "all \(count) users\(source)" }
        let names = people.map { Printable.escape(machine.shownName(of: $0)) }
        let (listed, isLong) = (PeopleWords.short(names), names.count > PeopleWords.bound)
        guard people.count > 1 else { return listed + source }
        let keys = Set(people.map { Key($0.name) })
        guard let group = groups.first(where: { keys.isSubset(of: $0.members) }) else { return listed + source }
        let shown = Printable.escape(group.name)
        // Names of the many of a directory say less than their number.
        if isLong { return (strangers == people.count ? "\(strangers)" : listed) + " of \(shown)\(source)" }
        return (group.members == keys ? "\(listed) (\(shown))" : listed) + source
    }

    /// Some names, all of them or the first two.
    static func short(_ names: [String]) -> String {
        guard names.count > bound else { return list(names) }
        return names.prefix(2).joined(separator: ", ") + " and \(names.count - 2) more"
    }

    /// A list with `and` before the last item.
    private static func list(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.first ?? "nobody" }
        return names.dropLast().joined(separator: ", ") + " and \(last)"
    }
}
