package import PropertyList

extension CompiledTable {
    /// The forced or absent entry of one key for a subject, or `nil` without one.
    ///
    /// With `ownTags` those of the table stand for the subject's, and are read only where a target asks for them.
    ///
    /// Complexity: O(log n) of the number of keys, and O(m) of the number of files that have this one.
    package func forcedEntry(
        domain: Key, key: Key, for subject: Subject, ownTags: Bool = false
    ) throws(TableError) -> ResolvedEntry? {
        var subject = subject
        let (domainBytes, keyBytes) = (Array(domain.string.utf8), Array(key.string.utf8))
        var (low, high) = (0, groups.count)
        while low < high {
            let middle = (low + high) / 2
            var reader = try TableReader(bytes, at: try offset(of: middle, in: groups))
            var order = compare(try reader.run(), domainBytes)
            if order == 0 { order = compare(try reader.run(), keyBytes) }
            if order == 0 { order = Int(try reader.byte()) - Int(GroupKind.forced.rawValue) }
            if order == 0 {
                let candidates = try candidates(&reader, domain: domain, key: key) { index throws(TableError) in
                    let file = try file(at: index)
                    guard let target = file.target else { return file }
                    if ownTags, target.asksForTags { subject.tags = try tags() }
                    return target.mismatch(of: subject, names: NameTable(), inWords: false) == nil ? file : nil
                }
                return PolicySet.decide(candidates, for: subject)
            }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    /// What remains of policy for a subject: the same as of the sources.
    ///
    /// Complexity: O(n) of the number of entries.
    package func resolve(for subject: Subject) throws(TableError) -> ResultantSet {
        var applying: [PolicyFile?] = []
        var skipped: [SkippedFile] = []
        for index in 0..<files.count {
            let file = try file(at: index)
            if let reason = file.target?.mismatch(of: subject, names: NameTable()) {
                skipped.append(SkippedFile(policy: file.identifier, file: file.path, reason: reason))
                applying.append(nil)
            } else {
                applying.append(file)
            }
        }
        var forced: [Key: [Key: ResolvedEntry]] = [:]
        var recommended: [Key: [Key: ResolvedEntry]] = [:]
        for index in 0..<groups.count {
            var reader = try TableReader(bytes, at: try offset(of: index, in: groups))
            let (domain, key) = (Key(try reader.text()), Key(try reader.text()))
            guard let kind = GroupKind(rawValue: try reader.byte()) else {
                throw TableError("a group is of no known kind")
            }
            let candidates = try candidates(&reader, domain: domain, key: key) { index throws(TableError) in
                guard index < applying.count else { throw TableError("an entry has no file") }
                return applying[index]
            }
            guard let entry = PolicySet.decide(candidates, for: subject) else { continue }
            switch kind {
            case .forced: forced[domain, default: [:]][key] = entry
            case .recommended: recommended[domain, default: [:]][key] = entry
            }
        }
        return ResultantSet(forced: forced, recommended: recommended, skipped: skipped)
    }

    /// Compares the bytes of a range with others: negative, zero or positive, as the range comes before, is the same or
    /// comes behind.
    private func compare(_ range: Range<Int>, _ other: [UInt8]) -> Int {
        var index = 0
        while index < range.count, index < other.count {
            let difference = Int(bytes[range.lowerBound + index]) - Int(other[index])
            if difference != 0 { return difference }
            index += 1
        }
        return range.count - other.count
    }

    /// The offset of a file or group.
    private func offset(of index: Int, in section: (count: Int, offset: Int)) throws(TableError) -> Int {
        guard index >= 0, index < section.count else { throw TableError("an entry has no file") }
        var reader = try TableReader(bytes, at: section.offset)
        try reader.skip(4 * index)
        return try reader.place()
    }

    /// Reads the entries of a group whose files apply, in order of application.
    ///
    /// `file` gives the file of an index; `nil` where it does not apply.
    private func candidates(
        _ reader: inout TableReader, domain: Key, key: Key, file: (Int) throws(TableError) -> PolicyFile?
    ) throws(TableError) -> [PolicySet.Candidate] {
        var result: [PolicySet.Candidate] = []
        for _ in 0..<(try reader.count()) {
            let index = Int(try reader.word())
            let level = try CompiledTable.level(try reader.byte())
            let hasVariables = try reader.truth()
            let position = try reader.position()
            let value = try reader.truth() ? try reader.node() : nil
            guard let file = try file(index) else { continue }
            let origin = Origin(policy: file.identifier, file: file.path, position: position)
            let entry = PolicyEntry(
                level: level, domain: domain, key: key, value: value, hasVariables: hasVariables, origin: origin)
            result.append(PolicySet.Candidate(entry: entry, policy: file, isLastGood: false))
        }
        return result
    }

    /// Reads the head of a policy file, without its entries.
    ///
    /// The index is the place of the file in order of application.
    private func file(at index: Int) throws(TableError) -> PolicyFile {
        var reader = try TableReader(bytes, at: try offset(of: index, in: files))
        let identifier = try reader.text()
        let identifierPosition = try reader.position()
        let version = try reader.truth() ? try reader.integer() : nil
        let summary = try reader.text()
        let contact = try reader.text()
        let isEnforced = try reader.truth()
        let onOverride: OverrideMode = try reader.truth() ? .shadow : .refuse
        let path = try reader.text()
        let digest = try reader.digest()
        var target: Target?
        if try reader.truth() {
            let include = try reader.clauses()
            target = Target(include: include, except: try reader.clauses())
        }
        return PolicyFile(
            identifier: identifier, identifierPosition: identifierPosition, version: version, summary: summary,
            contact: contact, target: target, enforced: isEnforced, onOverride: onOverride, path: path, digest: digest)
    }
}
