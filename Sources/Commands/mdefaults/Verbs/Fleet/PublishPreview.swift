import MDEngine
import MDFleet
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPropertyList

/// What a snapshot would change on the hosts of a fleet, as far as their centre knows.
struct PublishPreview {
    private let snapshot: Snapshot
    /// The names that are added, changed and removed since the last snapshot.
    private let changes: [(name: Key, change: String)]
    /// The hosts by the snapshot of their last status; `nil` is none.
    private var reported: [(number: SnapshotNumber?, hosts: [FleetHost])] = []
    /// The hosts that sent nothing lately.
    private var silent: [FleetHost] = []
    /// What changes for people.
    private var differences: HostDifferences
    /// Sentences about hosts that will not take the snapshot.
    private(set) var notes: [String] = []

    /// Looks at what hosts reported.
    ///
    /// - Parameters:
    ///   - snapshot: the new snapshot.
    ///   - source: its files.
    ///   - publisher: what was published before.
    ///   - now: the time.
    ///   - context: the machine.
    /// - Throws: if the hosts of the centre cannot be read, or the policy of this machine.
    init(
        _ snapshot: Snapshot, _ source: PolicyInput, _ publisher: SnapshotPublisher, at now: Timestamp,
        _ context: Context
    ) throws(Failure) {
        self.snapshot = snapshot
        let old = publisher.last?.files ?? [:]
        changes = Set(old.keys).union(snapshot.files.keys).sorted().compactMap { name in
            switch (old[name], snapshot.files[name]) {
            case (nil, _?): (name, "added")
            case (_?, nil): (name, "removed")
            case (let one, let other): one == other ? nil : (name, "changed")
            }
        }
        let root = try context.root()
        differences = HostDifferences(
            try context.machine(saying: false), at: nil, contents: source.installation.files.map(\.bytes))
        var numbers: [SnapshotNumber?: [FleetHost]] = [:]
        for host in try HostClaim.hosts(ofCentre: root) {
            let claim = HostClaim(host, of: root)
            numbers[claim.snapshot, default: []].append(host)
            if let number = claim.snapshot, number >= snapshot.number {
                notes.append(
                    "\(host) says that it has snapshot \(number), and takes no lower one: see --serial in the help.")
            }
            if claim.isSilent(at: now) { silent.append(host) }
            switch claim.facts {
            case .unknown(let reason): differences.addUnknown(host.name, reason)
            case .known(let facts): try add(facts, of: host, source)
            }
        }
        reported = numbers.sorted { ($1.value.count, $0.value[0]) < ($0.value.count, $1.value[0]) }
            .map { ($0.key, $0.value) }
    }

    /// Adds a host: the files that are the fleet's there give way to those of the snapshot.
    private mutating func add(_ facts: HostFacts, of host: FleetHost, _ source: PolicyInput) throws(Failure) {
        let files = facts.policy ?? []
        let gone = Set(files.filter(\.isOfFleet).map(\.name))
        let own = Set(files.filter { !$0.isTemporary }.map(\.name)).subtracting(gone)
        if let name = own.intersection(snapshot.files.keys).min() {
            return notes.append(
                "\(host) will refuse the snapshot: its own administrator has a file \(Printable.escape(name.string)) there."
            )
        }
        let machine = differences.machine
        try differences.add(facts, inForce: facts.policy) { present in
            let after = PolicySet(
                etc: source.shownFiles, removing: gone, isWhole: false, beside: present, root: machine.root,
                accounts: machine.accounts)
            return (after, .system)
        }
    }

    /// The lines for people.
    var lines: [String] {
        let words = changes.map { "\(Printable.escape($0.name.string)) \($0.change)" }
        var lines =
            words.isEmpty ? ["No file differs."] : Layout.wrap("Files: \(words.joined(separator: ", ")).", indent: 0)
        for (number, hosts) in reported {
            let names = PeopleWords.short(hosts.map(\.name))
            let verb = hosts.count == 1 ? "has" : "have"
            let what = number.map { "snapshot \($0)" } ?? "no snapshot"
            lines += Layout.wrap("By the last status \(names) \(verb) \(what).", indent: 0)
        }
        if !silent.isEmpty {
            let names = PeopleWords.short(silent.map(\.name))
            lines += Layout.wrap(
                "Nothing arrived lately of \(names), so what is said of \(silent.count == 1 ? "it" : "them") may be old.",
                indent: 0)
        }
        let own = differences.lines(at: nil)
        return lines + (own.isEmpty ? [] : [""] + own)
    }

    /// The document for programs.
    func document(findings: [Diagnostic], signer: String?) -> JSONWriter {
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.field("snapshot", snapshot.number.description)
        json.member("files")
        json.beginArray()
        for (name, change) in changes {
            json.beginObject()
            json.field("file", name.string)
            json.field("change", change)
            json.endObject()
        }
        json.endArray()
        json.member("snapshots")
        json.beginArray()
        for (number, hosts) in reported {
            json.beginObject()
            json.field("snapshot", number?.description)
            json.field("hosts", .array(hosts.map { .string($0.name) }))
            json.endObject()
        }
        json.endArray()
        json.member("hosts")
        json.beginArray()
        differences.write(to: &json)
        json.endArray()
        json.member("findings")
        json.findings(findings, withFile: true)
        json.field("published", signer != nil)
        json.field("signer", signer)
        json.endObject()
        return json
    }
}
