import Platform
import PropertyList

extension CompiledTable {
    /// The bytes of the table for a look at the sources.
    ///
    /// - Parameters:
    ///   - set: the policy that was found.
    ///   - host: the host's name.
    ///   - tags: the words of the machine.
    ///   - surroundings: what the kernel said of everything but the policy files.
    ///   - sources: what the kernel said of the policy files.
    ///   - generation: the daemon's generation before and after the look; 0 where there is none, or it changed.
    /// - Returns: `nil` where a table cannot say all that the sources say.
    static func compile(
        _ set: PolicySet, host: String, tags: Set<Key>, surroundings: [Witness], sources: [Witness],
        generation: UInt64 = 0
    ) -> [UInt8]? {
        let files = set.files.filter { $0.policy != nil }
        let policies = files.compactMap(\.policy)
        guard HostName(host) != nil, let all = TableGroups(policies) else { return nil }
        var body = TableWriter()
        // What is never filled is never touched.
        body.reserve(TableFormat.headerSize + 192 * (all.items.count + all.groups.count) + 4_096 * policies.count)
        body.raw([UInt8](repeating: 0, count: TableFormat.headerSize))
        var sections = TableSections()
        sections.write(.surroundings, count: surroundings.count, to: &body) { body in
            for witness in surroundings { witness.write(to: &body) }
        }
        sections.write(.sources, count: sources.count, to: &body) { body in
            for witness in sources { witness.write(to: &body) }
        }
        sections.write(.broken, count: set.isSound ? 0 : 1, to: &body) { _ in }
        sections.write(.host, count: 1, to: &body) { $0.text(host) }
        sections.write(.tags, count: tags.count, to: &body) { body in
            for tag in tags.sorted() { body.text(tag.string) }
        }
        let calendars = FilesInForce.calendars(of: policies).sorted { $0.key < $1.key }
        sections.write(.calendars, count: calendars.count, to: &body) { body in
            for (name, windows) in calendars {
                body.text(name.string)
                body.count(windows.count)
                for window in windows { body.window(window) }
            }
        }

        var places = [TablePlace](repeating: TablePlace(offset: 0, length: 0), count: all.groups.count)
        var keys = [UInt64](repeating: 0, count: all.groups.count)
        var domains: [(hash: UInt64, place: TablePlace)] = []
        let order = all.byDomain
        var next = 0
        // Whoever opens a domain reads one stretch of the table.
        for (domain, end) in zip(all.names.domains, order.ends) {
            let start = body.size
            let state = TableFormat.hash(domain)
            while next < end {
                let group = Int(order.groups[next])
                let offset = body.size
                body.group(group, of: all, names: set.names)
                places[group] = TablePlace(offset: offset, length: body.size - offset)
                keys[group] = TableFormat.hash(state, all.names.names[group].key)
                next += 1
            }
            let stretch = TablePlace(offset: start, length: body.size - start)
            domains.append((TableFormat.hash(state, Key("")), stretch))
        }
        var heads: [(head: TablePlace, groups: TablePlace)] = []
        for (index, file) in files.enumerated() {
            guard let policy = file.policy else { return nil }
            let offset = body.size
            body.byte(file.isStandIn ? 1 : 0)
            body.head(of: policy, names: set.names)
            let end = body.size
            for group in all.groups(ofFile: index) { body.place(places[Int(group)]) }
            heads.append(
                (
                    TablePlace(offset: offset, length: end - offset),
                    TablePlace(offset: end, length: body.size - end)
                ))
        }
        sections.write(.files, count: heads.count, to: &body) { body in
            for (head, groups) in heads {
                body.place(head)
                body.place(groups)
            }
        }
        let described = all.metadata.keys.sorted()
        sections.write(.described, count: described.count, to: &body) { body in
            for index in described { body.place(places[index]) }
        }
        let slots = slots(of: keys)
        sections.write(.slots, count: slots.count, to: &body) { body in
            for slot in slots { body.slot(slot < 0 ? nil : (keys[Int(slot)], places[Int(slot)])) }
        }
        let stretches = self.slots(of: domains.map(\.hash))
        sections.write(.domains, count: stretches.count, to: &body) { body in
            for slot in stretches { body.slot(slot < 0 ? nil : domains[Int(slot)]) }
        }
        guard body.size <= TableFormat.sizeLimit else { return nil }
        return sections.finish(&body, generation: generation)
    }

    /// Spreads pieces over slots by their hash; of two that want one slot, the later one takes the next that is free.
    ///
    /// - Returns: the number of the piece in each slot; negative in those that stay empty.
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
