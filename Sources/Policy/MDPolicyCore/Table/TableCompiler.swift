import MDPlatform
import MDPolicyModel
package import MDPropertyList

extension CompiledTable {
    /// Compiles the table of one scan of the sources.
    ///
    /// - Parameters:
    ///   - set: the policy of the scan.
    ///   - host: the host's name.
    ///   - tags: the tags of the machine.
    ///   - surroundings: the fingerprints of everything but the policy files.
    ///   - sources: the fingerprints of the policy files.
    ///   - manifests: what manifests call sensitive; `nil` if they have to be asked.
    ///   - generation: the daemon's revision before and after the scan; 0 if there is none, or it changed.
    /// - Returns: the bytes; `nil` if a table cannot hold all of the policy.
    package static func compile(
        _ set: PolicySet, host: String, tags: Set<Key>, surroundings: [FileFingerprint], sources: [FileFingerprint],
        manifests: CompiledManifests? = nil, generation: UInt64 = 0
    ) -> [UInt8]? {
        let files = set.files.filter { $0.policy != nil }
        let policies = files.compactMap(\.policy)
        guard HostName(host) != nil, let all = TableGroups(policies) else { return nil }
        var body = TableWriter()
        // Reserved memory that is never written costs nothing.
        body.reserve(TableFormat.headerSize + 192 * (all.items.count + all.groups.count) + 4_096 * policies.count)
        body.raw([UInt8](repeating: 0, count: TableFormat.headerSize))
        var sections = TableSections()
        sections.write(.surroundings, count: surroundings.count, to: &body) { body in
            for fingerprint in surroundings { fingerprint.write(to: &body) }
        }
        let writer = body.size
        body.word(TableFormat.version)
        body.text(EngineVersion.current)
        let end = body.size
        sections.write(.broken, count: set.isSound ? 0 : 1, to: &body) { body in
            body.word(LaterSection.writer.rawValue)
            body.fixedIndex(1)
            body.range(TableRange(offset: writer, length: end - writer))
        }
        sections.write(.sources, count: sources.count, to: &body) { body in
            for fingerprint in sources { fingerprint.write(to: &body) }
        }
        sections.write(.host, count: 1, to: &body) { $0.text(host) }
        sections.write(.tags, count: tags.count, to: &body) { body in
            for tag in tags.sorted() { body.text(tag.string) }
        }
        write(manifests, &sections, to: &body)
        let calendars = FilesInForce.calendars(of: policies).sorted { $0.key < $1.key }
        sections.write(.calendars, count: calendars.count, to: &body) { body in
            for (name, windows) in calendars {
                body.text(name.string)
                body.count(windows.count)
                for window in windows { body.window(window) }
            }
        }

        var ranges = [TableRange](repeating: TableRange(offset: 0, length: 0), count: all.groups.count)
        var keys = [UInt64](repeating: 0, count: all.groups.count)
        var domains: [(hash: UInt64, range: TableRange)] = []
        let order = all.byDomain
        var next = 0
        // The groups of a domain are contiguous, so that opening a domain reads one range.
        for (domain, end) in zip(all.names.domains, order.ends) {
            let start = body.size
            let state = TableFormat.hash(domain)
            while next < end {
                let group = Int(order.groups[next])
                let offset = body.size
                body.group(group, of: all, names: set.names)
                ranges[group] = TableRange(offset: offset, length: body.size - offset)
                keys[group] = TableFormat.hash(state, all.names.names[group].key)
                next += 1
            }
            let stretch = TableRange(offset: start, length: body.size - start)
            domains.append((TableFormat.hash(state, Key("")), stretch))
        }
        var heads: [(head: TableRange, groups: TableRange)] = []
        for (index, file) in files.enumerated() {
            guard let policy = file.policy else { return nil }
            let offset = body.size
            body.byte(file.isStandIn ? 1 : 0)
            body.head(of: policy, names: set.names)
            let end = body.size
            for group in all.groups(ofFile: index) { body.range(ranges[Int(group)]) }
            heads.append(
                (
                    TableRange(offset: offset, length: end - offset),
                    TableRange(offset: end, length: body.size - end)
                ))
        }
        sections.write(.files, count: heads.count, to: &body) { body in
            for (head, groups) in heads {
                body.range(head)
                body.range(groups)
            }
        }
        let described = all.metadata.keys.sorted()
        sections.write(.described, count: described.count, to: &body) { body in
            for index in described { body.range(ranges[index]) }
        }
        let slots = slots(of: keys)
        sections.write(.slots, count: slots.count, to: &body) { body in
            for slot in slots { body.slot(slot < 0 ? nil : (keys[Int(slot)], ranges[Int(slot)])) }
        }
        let stretches = self.slots(of: domains.map(\.hash))
        sections.write(.domains, count: stretches.count, to: &body) { body in
            for slot in stretches { body.slot(slot < 0 ? nil : domains[Int(slot)]) }
        }
        guard body.size <= TableFormat.sizeLimit else { return nil }
        return sections.finish(&body, generation: generation)
    }

    /// Assigns pieces to slots by their hash; on a collision, the later one gets the next free slot.
    ///
    /// - Returns: the index of the piece in each slot; negative in free slots.
    private static func slots(of hashes: [UInt64]) -> [Int32] {
        var count = 1
        while count < hashes.count + hashes.count / 2 { count *= 2 }
        if hashes.isEmpty { return [] }
        var slots = [Int32](repeating: -1, count: count)
        for (number, hash) in hashes.enumerated() {
            var index = Int(truncatingIfNeeded: hash) & (count - 1)
            while slots[index] >= 0 { index = (index + 1) & (count - 1) }
            slots[index] = Int32(truncatingIfNeeded: number)
        }
        return slots
    }
}

/// The content of all policy files of a machine, grouped by key as in a compiled table.
///
/// Items refer to the files' own arrays, so that a hundred thousand of them are grouped without copying any. Files,
/// items and groups are numbered in 32 bits, which are enough for the content of a table.
struct TableGroups {
    /// One item of a file about a key.
    struct Statement {
        /// The index of the file in order of application.
        let file: Int32
        /// The index in the file's array.
        let index: Int32
        /// The next item of the same key, in order of application; negative at the end.
        var next: Int32 = -1
        /// The array of the file.
        let list: List
    }

    /// The arrays of a policy file.
    enum List {
        case entries
        case constraints
        case combine
        case waivers
        case seals
    }

    /// All items of one key.
    struct Group {
        /// The first item; negative if there is none.
        var first: Int32 = -1
        /// The last item; negative if there is none.
        var last: Int32 = -1
        /// The number of items.
        var count: Int32 = 0
    }

    /// The policy files, in order of application.
    let policies: [PolicyFile]
    private(set) var items: [Statement] = []
    /// The groups, in the order in which the files first mention them; the seals of a domain are in the group of the
    /// empty key.
    private(set) var groups: [Group] = []
    /// The names of the groups, by their numbers.
    private(set) var names: NameIndex
    /// The descriptions of keys, by group.
    private(set) var metadata: [Int: KeyMetadata] = [:]
    /// The groups that each file contributes to, file by file, in the order in which it mentions them.
    private var parts: [Int32] = []
    /// The end of each file's part of ``parts``.
    private var ends: [Int] = []

    /// Groups the content of files.
    ///
    /// The result is `nil` if an origin is not of its file.
    init?(_ policies: [PolicyFile]) {
        self.policies = policies
        let count = policies.reduce(0) { $0 + $1.entries.count }
        names = NameIndex(minimumCapacity: count)
        items.reserveCapacity(count)
        groups.reserveCapacity(count)
        parts.reserveCapacity(count)
        for (file, policy) in policies.enumerated() {
            var isOwn = true
            // Fields by index: a loop over the entries would copy each as a whole.
            let entries = policy.entries
            for index in entries.indices {
                isOwn = isOwn && policy.has(entries[index].origin)
                add(entries[index].domain, entries[index].key, file, .entries, index)
            }
            for (index, item) in policy.constraints.enumerated() {
                isOwn = isOwn && policy.has(item.origin)
                add(item.domain, item.key, file, .constraints, index)
            }
            for (index, item) in policy.combine.enumerated() {
                isOwn = isOwn && policy.has(item.origin)
                add(item.domain, item.key, file, .combine, index)
            }
            for (index, item) in policy.waivers.enumerated() {
                isOwn = isOwn && policy.has(item.origin)
                add(item.domain, item.key, file, .waivers, index)
            }
            for (index, item) in policy.seals.enumerated() {
                isOwn = isOwn && policy.has(item.origin)
                add(item.domain, Key(""), file, .seals, index)
            }
            if !isOwn { return nil }
            ends.append(parts.count)
        }
        let metadata = FilesInForce.metadata(of: policies)
        for domain in metadata.keys.sorted() {
            for (key, fact) in (metadata[domain] ?? [:]).sorted(by: { $0.key < $1.key }) {
                self.metadata[group(domain, key)] = fact
            }
        }
    }

    /// The groups that a file contributes to, in the order in which it mentions them.
    func groups(ofFile file: Int) -> ArraySlice<Int32> { parts[(file == 0 ? 0 : ends[file - 1])..<ends[file]] }

    /// The groups by domain, in the order in which the files first mention them, and the end of each domain.
    var byDomain: (groups: [Int32], ends: [Int]) {
        var ends = [Int](repeating: 0, count: names.domains.count)
        for name in names.names { ends[name.domain] += 1 }
        var next: [Int] = []
        var end = 0
        for (domain, count) in ends.enumerated() {
            next.append(end)
            end += count
            ends[domain] = end
        }
        var sorted = [Int32](repeating: 0, count: names.names.count)
        for (group, name) in names.names.enumerated() {
            sorted[next[name.domain]] = Int32(truncatingIfNeeded: group)
            next[name.domain] += 1
        }
        return (sorted, ends)
    }

    /// The group of a key, a new one at its first occurrence.
    private mutating func group(_ domain: Key, _ key: Key) -> Int {
        let number = names.number(domain, key)
        if number == groups.count { groups.append(Group()) }
        return number
    }

    /// Appends an item to its key's list.
    private mutating func add(_ domain: Key, _ key: Key, _ file: Int, _ list: List, _ index: Int) {
        let group = group(domain, key)
        let last = groups[group].last
        let item = Int32(truncatingIfNeeded: items.count)
        let file = Int32(truncatingIfNeeded: file)
        items.append(Statement(file: file, index: Int32(truncatingIfNeeded: index), list: list))
        if last >= 0 { items[Int(last)].next = item } else { groups[group].first = item }
        // The items of a file come together, so that its first item of a group follows one of another file.
        if last < 0 || items[Int(last)].file != file { parts.append(Int32(truncatingIfNeeded: group)) }
        groups[group].last = item
        groups[group].count += 1
    }
}

extension PolicyFile {
    /// Whether an origin is of this file, so that a table can restore it.
    fileprivate func has(_ origin: Origin) -> Bool {
        origin.source === source || (origin.policy == identifier && origin.file == path)
    }
}
