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
        let policies = set.files.compactMap(\.policy)
        guard policies.count == set.files.count, HostName(host) != nil, let all = TableGroups(policies) else {
            return nil
        }
        let groups = all.groups
        var body = TableWriter()
        body.raw([UInt8](repeating: 0, count: TableFormat.headerSize))
        var sections = TableSections()
        sections.write(.surroundings, count: surroundings.count, to: &body) { body in
            for witness in surroundings { witness.write(to: &body) }
        }
        sections.write(.sources, count: sources.count, to: &body) { body in
            for witness in sources { witness.write(to: &body) }
        }
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

        var places = [TablePlace](repeating: TablePlace(offset: 0, length: 0), count: groups.count)
        var domains: [Slot] = []
        // Whoever opens a domain reads one stretch of the table.
        for members in all.byDomain {
            guard let first = members.first else { continue }
            let start = body.bytes.count
            for index in members {
                let offset = body.bytes.count
                guard body.group(groups[index], of: all, names: set.names) else { return nil }
                places[index] = TablePlace(offset: offset, length: body.bytes.count - offset)
            }
            let stretch = TablePlace(offset: start, length: body.bytes.count - start)
            domains.append(Slot(hash: TableFormat.hash(groups[first].domain, Key("")), place: stretch))
        }
        var heads: [(head: TablePlace, groups: TablePlace)] = []
        for (index, policy) in policies.enumerated() {
            let offset = body.bytes.count
            guard body.head(of: policy, names: set.names) else { return nil }
            let end = body.bytes.count
            for group in all.ofFiles[index] { body.place(places[group]) }
            heads.append(
                (
                    TablePlace(offset: offset, length: end - offset),
                    TablePlace(offset: end, length: body.bytes.count - end)
                ))
        }
        sections.write(.files, count: heads.count, to: &body) { body in
            for (head, groups) in heads {
                body.place(head)
                body.place(groups)
            }
        }
        let described = groups.indices.filter { groups[$0].metadata != nil }
        sections.write(.described, count: described.count, to: &body) { body in
            for index in described { body.place(places[index]) }
        }
        let keys = groups.indices.map {
            Slot(hash: TableFormat.hash(groups[$0].domain, groups[$0].key), place: places[$0])
        }
        for (section, pieces) in [(TableSection.slots, keys), (.domains, domains)] {
            let slots = slots(of: pieces)
            sections.write(section, count: slots.count, to: &body) { body in
                for slot in slots {
                    body.word(UInt32(truncatingIfNeeded: slot.hash >> 32))
                    body.place(slot.place)
                }
            }
        }
        guard body.bytes.count <= TableFormat.sizeLimit else { return nil }
        return sections.finish(body, generation: generation)
    }

    /// A piece that is found by its hash.
    private struct Slot {
        /// The hash.
        var hash: UInt64 = 0
        /// Where the piece stands; without a length where the slot is empty.
        var place = TablePlace(offset: 0, length: 0)
    }

    /// Spreads pieces over slots by their hash; of two that want one slot, the later one takes the next that is free.
    private static func slots(of pieces: [Slot]) -> [Slot] {
        var count = 1
        while count < pieces.count + pieces.count / 2 { count *= 2 }
        if pieces.isEmpty { return [] }
        var slots = [Slot](repeating: Slot(), count: count)
        for piece in pieces {
            var index = Int(truncatingIfNeeded: piece.hash) & (count - 1)
            while slots[index].place.length > 0 { index = (index + 1) & (count - 1) }
            slots[index] = piece
        }
        return slots
    }
}
