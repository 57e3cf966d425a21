import MDEngine
import MDFleet
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// What a snapshot would change on the hosts of a fleet, as far as their centre knows.
struct PublishPreview {
    private let snapshot: Snapshot
    /// The names that are added, changed and removed since the last snapshot.
    private let changes: [(name: Key, change: String)]
    /// The hosts by the snapshot of their last status; `nil` is none.
    private var reported: [(number: SnapshotNumber?, hosts: [FleetHost])] = []
    /// What changes for people.
    private var differences: HostDifferences
    /// Sentences about files that do not read.
    private(set) var notes: [String] = []

    /// Where a centre has the facts of its hosts.
    private static let facts = "\(CentreFolder.path)/facts"

    /// Looks at what hosts reported.
    ///
    /// - Parameters:
    ///   - snapshot: the new snapshot.
    ///   - source: its files.
    ///   - publisher: what was published before.
    ///   - folder: the facts of hosts, as the caller names the folder; `nil` for that of the centre.
    ///   - context: the machine.
    /// - Throws: if the facts cannot be read, or the policy of this machine.
    init(
        _ snapshot: Snapshot, _ source: PolicyInput, _ publisher: SnapshotPublisher, facts folder: String?,
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
        var facts: HostFactsFolder?
        if folder != nil || root.mayExist(PublishPreview.facts) {
            facts = try HostFactsFolder(folder ?? root.display(PublishPreview.facts))
        }
        notes = (facts?.broken ?? []).map { Printable.escape("\($0.file):\($0.error).") }
        var rest = facts?.facts ?? []
        var numbers: [SnapshotNumber?: [FleetHost]] = [:]
        let names = (try? root.names(in: CentreFolder.hosts)) ?? []
        for host in names.compactMap({ FleetHost($0) }).sorted() {
            let status = (try? root.read(CentreFolder.status(host), limit: HostStatus.limit).bytes)
                .flatMap { try? HostStatus($0) }
            let number = status.flatMap { status in
                status.epoch.flatMap { epoch in status.serial.map { SnapshotNumber(epoch: epoch, serial: $0) } }
            }
            numbers[number, default: []].append(host)
            if let number, number >= snapshot.number {
                notes.append(
                    "\(host) says that it has snapshot \(number), and takes no lower one: see --serial in the help.")
            }
            guard let place = rest.firstIndex(where: { PublishPreview.isHost($0.host, host) }) else {
                differences.addUnknown(
                    host.name, "no facts are here; mdefaults help fleet publish says how they get here")
                continue
            }
            try add(rest.remove(at: place), number, publisher, source)
        }
        for facts in rest { try add(facts, nil, publisher, source) }
        reported = numbers.sorted { ($1.value.count, $0.value[0]) < ($0.value.count, $1.value[0]) }
            .map { ($0.key, $0.value) }
    }

    /// Whether facts are those of a host of the fleet.
    private static func isHost(_ name: HostName, _ host: FleetHost) -> Bool {
        [name.short, name.full].contains { $0.lowercased().utf8.elementsEqual(host.name.utf8) }
    }

    /// Adds a host: in force there is what its facts say, with the fleet's files as its last status says.
    private mutating func add(
        _ facts: HostFacts, _ number: SnapshotNumber?, _ publisher: SnapshotPublisher, _ source: PolicyInput
    ) throws(Failure) {
        var files = facts.policy
        if let known = files, let number {
            guard let earlier = publisher.snapshot(number) else {
                return differences.addUnknown(
                    facts.host.short, "it has snapshot \(number), which is not known here")
            }
            let own = known.filter { !$0.isOfFleet && ($0.isTemporary || earlier.files[$0.name] == nil) }
            let fleets = earlier.files.filter { PolicyFileName.signed($0.key.string) == nil }.map { name, digest in
                HostFacts.FileInForce(
                    name: name, identifier: PolicyFileName.stem(of: name.string), digest: digest, isOfFleet: true)
            }
            files = (own + fleets).sorted { ($0.name, $0.path) < ($1.name, $1.path) }
        }
        let gone = Set((files ?? []).filter(\.isOfFleet).map(\.name))
        let machine = differences.machine
        try differences.add(facts, inForce: files) { present in
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
