package import PropertyList

extension CompiledTable {
    /// The forced or absent entry of one key for a subject, that of a seal included, or `nil` without one.
    ///
    /// With `ownTags` those of the table stand for the subject's, and are read only where a target asks for them.
    ///
    /// Complexity: O(1) of the number of keys, and O(m) of the number of files that have this one.
    package func forcedEntry(
        domain: Key, key: Key, for subject: Subject, ownTags: Bool = false
    ) throws(TableError) -> ResolvedEntry? {
        var look = TableLook(table: self, subject: subject, ownTags: ownTags)
        let seals = try look.seals(of: domain)
        var material: KeyMaterial
        if let place = try place(ofGroup: domain, key) {
            material = try look.material(at: place) { $0.decidesForced }
        } else if seals.isEmpty {
            return nil
        } else {
            material = KeyMaterial(domain: domain, key: key)
        }
        material.seals = seals
        if let entry = material.forcedEntry(for: subject) { return entry }
        guard !seals.isEmpty, !material.isFree(from: seals) else { return nil }
        return SealMaterial(domain: domain, seals: seals).entry?.sealing(key, metadata: material.metadata)
    }

    /// What remains of policy for a subject: the same as of the sources.
    ///
    /// Complexity: O(n) of the number of entries of the files that apply.
    package func resolve(for subject: Subject) throws(TableError) -> ResultantSet {
        var look = TableLook(table: self, subject: subject, inWords: true)
        var files: [StandingFile] = []
        var places: [TablePlace] = []
        for index in 0..<sections[.files].count {
            let file = try look.file(at: index)
            files.append(file)
            if file.applies { places += try look.groups(of: index) }
        }
        places.sort { $0.offset < $1.offset }
        var seals: [Key: SealMaterial] = [:]
        var keys: [KeyMaterial] = []
        keys.reserveCapacity(places.count)
        var last: TablePlace?
        for place in places where place != last {
            last = place
            let material = try look.material(at: place) { _ in true }
            if material.key.string.isEmpty {
                seals[material.domain] = SealMaterial(domain: material.domain, seals: try look.takeSeals())
            } else {
                keys.append(material)
            }
        }
        var builder = ResultantBuilder(subject: subject, files: files, seals: seals)
        for material in keys { builder.add(material) }
        return builder.resultant(metadata: try metadata())
    }

    /// What people are told about each key.
    private func metadata() throws(TableError) -> [Key: [Key: KeyMetadata]] {
        var result: [Key: [Key: KeyMetadata]] = [:]
        var reader = try reader(of: .described)
        for _ in 0..<sections[.described].count {
            let place = try reader.piece()
            var group = try TableReader(pages, place)
            let (domain, key) = (Key(try group.text()), Key(try group.text()))
            result[domain, default: [:]][key] = try group.optional { group throws(TableError) in try group.metadata() }
        }
        return result
    }

    /// Where the group of a key stands; `nil` where no file says anything of the key.
    func place(ofGroup domain: Key, _ key: Key) throws(TableError) -> TablePlace? {
        try place(in: .slots, hash: TableFormat.hash(domain, key), of: domain, key)
    }

    /// Where the groups of a domain stand, one behind the other; `nil` where no file says anything of the domain.
    func place(ofDomain domain: Key) throws(TableError) -> TablePlace? {
        try place(in: .domains, hash: TableFormat.hash(domain, Key("")), of: domain, nil)
    }

    /// Where a piece stands that slots lead to.
    ///
    /// - Parameters:
    ///   - section: the slots.
    ///   - hash: the hash of what is asked for.
    ///   - domain: the domain that the piece begins with.
    ///   - key: the key that stands behind it; `nil` for any.
    /// - Returns: `nil` where there is none.
    /// - Throws: what is wrong with the slots or the pieces.
    private func place(
        in section: TableSection, hash: UInt64, of domain: Key, _ key: Key?
    ) throws(TableError) -> TablePlace? {
        let slots = sections[section]
        guard slots.count > 0 else { return nil }
        guard slots.count & (slots.count - 1) == 0, slots.place.length / 12 == slots.count else {
            throw TableError("its slots are no power of two")
        }
        let tag = UInt32(truncatingIfNeeded: hash >> 32)
        var index = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        for _ in 0..<slots.count {
            var reader = try TableReader(pages, TablePlace(offset: slots.place.offset + 12 * index, length: 12))
            let found = try reader.word()
            let place = try reader.piece()
            if place.length == 0 { return nil }
            if found == tag {
                var group = try TableReader(pages, place)
                if try group.matches(domain.string) {
                    guard let key else { return place }
                    if try group.matches(key.string) { return place }
                }
            }
            index = (index + 1) & (slots.count - 1)
        }
        return nil
    }
}
