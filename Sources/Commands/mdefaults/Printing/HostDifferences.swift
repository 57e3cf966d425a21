import MDEngine
import MDFleet
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// What changes on many hosts, those with equal answers together.
struct HostDifferences {
    /// Hosts with an equal answer.
    private struct Group {
        var hosts: [String]
        let differences: GroupedDifferences
        let pair: PolicyPair
    }

    /// The machine where the question is asked.
    let machine: PolicyInForce
    /// The moment of the question; `nil` for now.
    private let time: Timestamp?
    private var groups: [Group] = []
    /// The places of the groups by what their answers say.
    private var places: [String: Int] = [:]
    /// The hosts whose changes are unknown, by the reason.
    private var unknown: [(reason: String, hosts: [String])] = []
    /// The pairs by what is in force before, because most hosts have the same.
    private var pairs: [[HostFacts.FileInForce]: PolicyPair] = [:]
    private let contents: KnownContents

    /// - Parameters:
    ///   - machine: the machine where the question is asked.
    ///   - time: the moment of the question; `nil` for now.
    ///   - contents: new policy files, which may be in force somewhere already.
    init(_ machine: PolicyInForce, at time: Timestamp?, contents: [[UInt8]]) {
        (self.machine, self.time) = (machine, time)
        self.contents = KnownContents(machine, also: contents)
    }

    /// Whether it is known of every host that nothing changes.
    var isEmpty: Bool { unknown.isEmpty && groups.allSatisfy(\.differences.isEmpty) }

    /// Adds a host and the two policies that are compared there.
    mutating func add(_ facts: HostFacts, _ pair: PolicyPair) {
        let host = PolicyMachine(root: machine.root, facts: facts).policy(at: time)
        let own = pair.renamed(host.accounts)
        let differences = GroupedDifferences(own, for: host.people, of: host)
        if let place = places[differences.key] {
            groups[place].hosts.append(host.host.short)
        } else {
            places[differences.key] = groups.count
            groups.append(Group(hosts: [host.host.short], differences: differences, pair: own))
        }
    }

    /// Adds a host, with what is in force there.
    ///
    /// - Parameters:
    ///   - facts: what is known of the host.
    ///   - files: the policy files in force there; `nil` if that is not known.
    ///   - change: makes of a policy what it would be after the change, and gives the root of its paths.
    /// - Throws: what `change` throws.
    mutating func add(
        _ facts: HostFacts, inForce files: [HostFacts.FileInForce]?,
        _ change: (PolicySet) throws(Failure) -> (after: PolicySet, root: Root)
    ) throws(Failure) {
        guard let files else {
            return addUnknown(facts.host.short, "the facts do not say what is in force there")
        }
        if let pair = pairs[files] { return add(facts, pair) }
        var contents: [(path: String, bytes: [UInt8])] = []
        for file in files {
            guard let bytes = self.contents.bytes(file.digest) else {
                let what = "\(file.path) there has a content that is not known here, SHA-256 \(file.digest.hex)"
                return addUnknown(facts.host.short, what)
            }
            contents.append((file.path, bytes))
        }
        let before = PolicySet(files: contents, root: machine.root, accounts: machine.accounts)
        if let broken = before.files.first(where: { $0.policy == nil }) {
            return addUnknown(facts.host.short, "this version does not read what is in force there as \(broken.path)")
        }
        let (after, root) = try change(before)
        let pair = PolicyPair(before, after, elsewhere: (.system, root), machine: machine)
        pairs[files] = pair
        add(facts, pair)
    }

    /// Adds a host whose changes are unknown.
    mutating func addUnknown(_ host: String, _ reason: String) {
        if let place = unknown.firstIndex(where: { $0.reason.utf8.elementsEqual(reason.utf8) }) {
            unknown[place].hosts.append(host)
        } else {
            unknown.append((reason, [host]))
        }
    }

    /// The groups, the largest first.
    private var ordered: [Group] {
        groups.sorted { ($1.hosts.count, $0.hosts[0]) < ($0.hosts.count, $1.hosts[0]) }
    }

    /// The lines for people.
    func lines(at moment: String?) -> [String] {
        var lines: [String] = []
        for group in ordered {
            if !lines.isEmpty { lines.append("") }
            let names = PeopleWords.short(group.hosts.map { Printable.escape($0) })
            lines += GroupedDiffOutput(group.differences, group.pair.output, hosts: names, at: moment).lines
        }
        for (reason, hosts) in unknown {
            if !lines.isEmpty { lines.append("") }
            let names = PeopleWords.short(hosts.map { Printable.escape($0) })
            lines += Layout.wrap("It is unknown what changes on \(names): \(Printable.escape(reason)).", indent: 0)
        }
        return lines
    }

    /// Writes an element for each group, and one for each reason why it is unknown what changes.
    func write(to json: inout JSONWriter) {
        for group in ordered {
            GroupedDiffOutput(group.differences, group.pair.output).write(hosts: group.hosts, to: &json)
        }
        for (reason, hosts) in unknown {
            json.beginObject()
            json.field("hosts", .array(hosts.map { .string($0) }))
            json.field("unknown", "\(reason).")
            json.endObject()
        }
    }
}

/// Contents of policy files by their digests: what is and was in force here, and what a centre here published.
private struct KnownContents {
    private let root: Root
    /// Those that the caller has.
    private let given: [Digest: [UInt8]]
    /// The paths of the files in force here.
    private let paths: [Digest: String]

    init(_ machine: PolicyInForce, also contents: [[UInt8]]) {
        root = machine.root
        given = Dictionary(contents.map { (SHA256.hash($0), $0) }) { one, _ in one }
        let files = machine.policies.files.compactMap { file in file.policy.map { ($0.digest, file.path) } }
        paths = Dictionary(files) { one, _ in one }
    }

    /// The content of a digest; `nil` if it is not known here.
    func bytes(_ digest: Digest) -> [UInt8]? {
        if let known = given[digest] { return known }
        if let copy = try? RecordedCopies(root: root).bytes(digest) { return copy }
        if let object = try? GenerationStore(root: root).object(digest) { return object }
        for path in [paths[digest], "\(CentreFolder.files)/\(digest.hex)"].compactMap(\.self) {
            let file = try? root.read(path, limit: PolicyFile.limits.bytes).bytes
            if let file, SHA256.hash(file) == digest { return file }
        }
        return nil
    }
}
