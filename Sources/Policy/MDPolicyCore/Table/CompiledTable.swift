package import MDPlatform
package import MDPolicyModel
package import MDPropertyList

/// The merged policy of a machine, compiled: a cache that replaces the sources as long as none of its inputs has
/// changed.
package struct CompiledTable: Sendable {
    /// The bytes; each is checked before it is read.
    let pages: TablePages
    /// The ranges of the sections.
    let sections: TableSections
    /// What the later sections say.
    let later: LaterSections
    package let host: HostName

    /// Opens the table of a root.
    ///
    /// The result is `nil` if there is none, if it is damaged or not trusted, if it is for other readers, or if any input
    /// differs: the sources are read then. Damage to the blocks that are read later is found when they are read.
    package init?(root: Root) {
        do {
            let file = try root.openInPlace(String(StorePath.table.dropFirst()))
            guard CompiledTable.isTrusted(file.status, root: root),
                let table = try CompiledTable(checking: try TablePages(file), root: root)
            else { return nil }
            self = table
        } catch {
            // A damaged cache is no failure: the sources are read, and the next recording verb writes it again.
            return nil
        }
    }

    /// Whether a root has a valid table of this engine or a newer one, checked to its last byte.
    package static func isWhole(root: Root) -> Bool {
        guard let table = CompiledTable(root: root), table.later.writer >= TableFormat.version else { return false }
        do {
            try table.pages.requireAll()
            return true
        } catch {
            return false
        }
    }

    /// Reads the header and compares the fingerprints.
    ///
    /// The result is `nil` if a fingerprint differs.
    ///
    /// - Parameters:
    ///   - pages: the whole table.
    ///   - root: the root of the fingerprinted files; `nil` checks none of them, for tests of everything else.
    /// - Throws: an error if the table is damaged.
    package init?(checking pages: TablePages, root: Root?) throws(StoredFileError) {
        self.pages = pages
        let start = TableFormat.generationOffset
        var header = try TableReader(pages, TableRange(offset: start, length: TableFormat.headerSize - start))
        let generation = try header.long()
        sections = try TableSections(&header)
        later = try LaterSections(pages, sections[.broken].range)
        var reader = try TableReader(pages, sections[.host].range)
        guard let host = HostName(try reader.text()) else { throw StoredFileError("the host name is none") }
        self.host = host
        guard let root else { return }
        guard sections[.surroundings].count >= Fingerprints.directories.count else {
            throw StoredFileError("it has too few witnesses")
        }
        reader = try self.reader(of: .surroundings)
        for index in 0..<sections[.surroundings].count {
            let expected = index < Fingerprints.directories.count ? Fingerprints.directories[index] : nil
            guard try FileFingerprint.stillHolds(&reader, as: expected, root: root) else { return nil }
        }
        let count = sections[.sources].count
        // Testing the lock costs as much as reading the status of a few files.
        if count > CompiledTable.fewFiles, GenerationFile.isWatched(generation, root: root) { return }
        reader = try self.reader(of: .sources)
        for _ in 0..<count {
            guard try FileFingerprint.stillHolds(&reader, as: nil, root: root) else { return nil }
        }
    }

    /// Up to this number, policy files are checked one by one, whether or not a daemon watches them.
    private static let fewFiles = 8

    /// Makes a reader of a section.
    func reader(of section: TableSection) throws(StoredFileError) -> TableReader {
        try TableReader(pages, sections[section].range)
    }

    /// The words of the machine's tags file.
    package func tags() throws(StoredFileError) -> Set<Key> {
        var reader = try reader(of: .tags)
        var tags: Set<Key> = []
        for _ in 0..<sections[.tags].count { tags.insert(Key(try reader.text())) }
        return tags
    }

    /// Whether every file of the table is in force itself, so that there is no finding about any.
    package var isSound: Bool { sections[.broken].count == 0 && later.unknownDomains.isEmpty }

    /// What is known of the policy in force: a newer engine may have written what this one does not know.
    package var knowledge: PolicyKnowledge { PolicyKnowledge(failure: nil, domains: later.unknownDomains) }

    /// Whether the table has a policy file.
    package var hasFiles: Bool { sections[.files].count > 0 }

    /// The calendars that are in force.
    package func calendars() throws(StoredFileError) -> [Key: [Window]] {
        var reader = try reader(of: .calendars)
        var calendars: [Key: [Window]] = [:]
        for _ in 0..<sections[.calendars].count {
            let name = Key(try reader.text())
            var windows: [Window] = []
            for _ in 0..<(try reader.count()) { windows.append(try reader.window()) }
            calendars[name] = windows
        }
        return calendars
    }

    /// Whether only the owner of the root can have written a file or directory.
    static func isTrusted(_ status: FileStatus, root: Root) -> Bool {
        // Stricter than the rule for sources: in any unusual case the sources are read.
        let writable: UInt32 = status.kind == .directory && !root.isSystem ? 0o002 : 0o022
        return status.owner == root.owner && status.mode & writable == 0
    }
}

extension CompiledTable {
    /// Resolves policy for a subject in some domains: the same as the sources give, limited to these domains.
    ///
    /// With `ownTags` the table's tags replace the subject's, and are read only if a target needs them.
    ///
    /// Complexity: O(n) of the items of all files in these domains, however many files and other domains there are.
    package func resolve(
        for subject: Subject, in domains: Set<Key>, ownTags: Bool = false
    ) throws(StoredFileError) -> ResultantSet {
        var query = TableQuery(table: self, subject: subject, ownTags: ownTags)
        var keys: [KeyCandidates] = []
        var seals: [Key: SealCandidates] = [:]
        for domain in domains where later.unknownDomains[domain] == nil {
            guard let range = try range(ofDomain: domain) else { continue }
            let found = try query.domain(at: range, domain)
            keys += found.keys
            if let seal = found.seals { seals[domain] = seal }
        }
        var builder = ResultantBuilder(subject: subject, files: query.files, seals: seals)
        var metadata: [Key: [Key: KeyMetadata]] = [:]
        for candidates in keys {
            if candidates.isMentioned { builder.add(candidates) }
            if !candidates.metadata.isEmpty {
                metadata[candidates.domain, default: [:]][candidates.key] = candidates.metadata
            }
        }
        return builder.resultant(metadata: metadata, domains: domains).limited(to: knowledge)
    }
}

extension CompiledTable {
    /// The forced or absent entry of one key for a subject, that of a seal included, or `nil` without one.
    ///
    /// The domain is not one whose policy is unknown.
    ///
    /// With `ownTags` the table's tags replace the subject's, and are read only if a target needs them.
    ///
    /// Complexity: O(1) of the number of keys, and O(m) of the number of files that have this one.
    package func forcedEntry(
        domain: Key, key: Key, for subject: Subject, ownTags: Bool = false
    ) throws(StoredFileError) -> ResolvedEntry? {
        var query = TableQuery(table: self, subject: subject, ownTags: ownTags)
        let seals = try query.seals(of: domain)
        var candidates: KeyCandidates
        if let range = try range(ofGroup: domain, key) {
            candidates = try query.candidates(at: range) { $0.decidesForced }
        } else if seals.isEmpty {
            return nil
        } else {
            candidates = KeyCandidates(domain: domain, key: key)
        }
        candidates.seals = seals
        if let entry = candidates.forcedEntry(for: subject) { return entry }
        guard !seals.isEmpty, !candidates.isFree(from: seals) else { return nil }
        return SealCandidates(domain: domain, seals: seals).entry?.sealing(key, metadata: candidates.metadata)
    }

    /// Resolves policy for a subject: the same as the sources give.
    ///
    /// Complexity: O(n) of the number of entries of the files that apply.
    package func resolve(for subject: Subject) throws(StoredFileError) -> ResultantSet {
        var query = TableQuery(table: self, subject: subject, inWords: true)
        var files: [CandidateFile] = []
        var ranges: [TableRange] = []
        for index in 0..<sections[.files].count where !later.unknownFiles.contains(index) {
            let file = try query.file(at: index)
            files.append(file)
            if file.applies { ranges += try query.groups(of: index) }
        }
        ranges.sort { $0.offset < $1.offset }
        var seals: [Key: SealCandidates] = [:]
        var keys: [KeyCandidates] = []
        keys.reserveCapacity(ranges.count)
        var last: TableRange?
        for range in ranges where range != last {
            last = range
            if try isUnknown(range) { continue }
            let candidates = try query.candidates(at: range) { _ in true }
            if candidates.key.string.isEmpty {
                seals[candidates.domain] = SealCandidates(domain: candidates.domain, seals: try query.removeSeals())
            } else {
                keys.append(candidates)
            }
        }
        var builder = ResultantBuilder(subject: subject, files: files, seals: seals)
        for candidates in keys { builder.add(candidates) }
        return builder.resultant(metadata: try metadata()).limited(to: knowledge)
    }

    /// Whether a group is of a domain that a newer reader is needed for.
    private func isUnknown(_ group: TableRange) throws(StoredFileError) -> Bool {
        if later.unknownDomains.isEmpty { return false }
        var reader = try TableReader(pages, group)
        return later.unknownDomains[Key(try reader.text())] != nil
    }

    /// The description of each key.
    private func metadata() throws(StoredFileError) -> [Key: [Key: KeyMetadata]] {
        var result: [Key: [Key: KeyMetadata]] = [:]
        var reader = try reader(of: .described)
        for _ in 0..<sections[.described].count {
            let range = try reader.range()
            if try isUnknown(range) { continue }
            var group = try TableReader(pages, range)
            let (domain, key) = (Key(try group.text()), Key(try group.text()))
            result[domain, default: [:]][key] = try group.optional { group throws(StoredFileError) in
                try group.metadata()
            }
        }
        return result
    }

    /// Whether a file mentions a domain; also if that cannot be read.
    package func mentions(_ domain: Key) -> Bool {
        do throws(StoredFileError) {
            return try range(ofDomain: domain) != nil
        } catch {
            return true
        }
    }

    /// The range of a key's group; `nil` if no file mentions the key.
    func range(ofGroup domain: Key, _ key: Key) throws(StoredFileError) -> TableRange? {
        try range(in: .slots, hash: TableFormat.hash(domain, key), of: domain, key)
    }

    /// The range of a domain's groups, one after the other; `nil` if no file mentions the domain.
    func range(ofDomain domain: Key) throws(StoredFileError) -> TableRange? {
        try range(in: .domains, hash: TableFormat.hash(domain, Key("")), of: domain, nil)
    }

    /// The range that the slots have for a hash.
    ///
    /// - Parameters:
    ///   - section: the slots.
    ///   - hash: the hash of the domain or key.
    ///   - domain: the domain at the beginning of the range.
    ///   - key: the key after it; `nil` for any.
    /// - Returns: `nil` if there is none.
    /// - Throws: an error if the slots or the groups are damaged.
    private func range(
        in section: TableSection, hash: UInt64, of domain: Key, _ key: Key?
    ) throws(StoredFileError) -> TableRange? {
        let slots = sections[section]
        guard slots.count > 0 else { return nil }
        guard slots.count & (slots.count - 1) == 0, slots.range.length / 12 == slots.count else {
            throw StoredFileError("its slots are no power of two")
        }
        let tag = UInt32(truncatingIfNeeded: hash >> 32)
        var index = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        for _ in 0..<slots.count {
            var reader = try TableReader(pages, TableRange(offset: slots.range.offset + 12 * index, length: 12))
            let found = try reader.word()
            let range = try reader.range()
            if range.length == 0 { return nil }
            if found == tag {
                var group = try TableReader(pages, range)
                if try group.matches(domain.string) {
                    guard let key else { return range }
                    if try group.matches(key.string) { return range }
                }
            }
            index = (index + 1) & (slots.count - 1)
        }
        return nil
    }
}
