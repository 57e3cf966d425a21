import MDPlatform
import MDPolicyModel
import MDPropertyList

/// One query of a compiled table: the state of reading it for one subject.
struct TableQuery {
    private let table: CompiledTable
    /// The user, host and time.
    private var subject: Subject
    /// Whether the table's tags replace the subject's and were not read yet.
    private var ownTags: Bool
    /// Whether the reasons why files do not apply are wanted.
    private let inWords: Bool
    /// The files that were read, in order of application.
    ///
    /// An array and not a dictionary, whose first use costs a short command more time than the whole query.
    private(set) var files: [CandidateFile] = []
    /// The calendars, after they were first needed.
    private var calendars: [Key: [Window]]?
    /// The seals of the group that was read last.
    private var seals: [CandidateItem<Seal>] = []

    init(table: CompiledTable, subject: Subject, ownTags: Bool = false, inWords: Bool = false) {
        (self.table, self.subject, self.ownTags, self.inWords) = (table, subject, ownTags, inWords)
    }

    /// The file with an index, and whether it applies.
    mutating func file(at index: Int) throws(StoredFileError) -> CandidateFile {
        let slot = insertionIndex(ofFile: index)
        if slot < files.count, files[slot].index == index { return files[slot] }
        guard !table.later.unknownFiles.contains(index) else { throw StoredFileError("a file needs a newer reader") }
        var list = try list(ofFile: index)
        var reader = try TableReader(table.pages, try list.range())
        let isRecordedCopy = try reader.truth()
        let policy = try reader.head()
        if policy.target?.dependsOnTags == true { try readTags() }
        let file = try CandidateFile(
            policy, isRecordedCopy: isRecordedCopy, index: index, for: subject, names: AccountIDs(), inWords: inWords
        ) { () throws(StoredFileError) in
            if let calendars { return calendars }
            let calendars = try table.calendars()
            self.calendars = calendars
            return calendars
        }
        files.insert(file, at: slot)
        return file
    }

    /// The index of a file in ``files``, or the index at which to insert it.
    private func insertionIndex(ofFile index: Int) -> Int {
        var (low, high) = (0, files.count)
        while low < high {
            let middle = (low + high) / 2
            if files[middle].index < index { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// A reader of the ranges of a file: of its head and of the list of its groups.
    private func list(ofFile index: Int) throws(StoredFileError) -> TableReader {
        let section = table.sections[.files]
        guard index < section.count, section.range.length / 16 == section.count else {
            throw StoredFileError("an entry has no file")
        }
        return try TableReader(table.pages, TableRange(offset: section.range.offset + 16 * index, length: 16))
    }

    /// The ranges of the groups that a file contributes to.
    mutating func groups(of index: Int) throws(StoredFileError) -> [TableRange] {
        var list = try list(ofFile: index)
        _ = try list.range()
        var reader = try TableReader(table.pages, try list.range())
        var ranges: [TableRange] = []
        while !reader.isAtEnd { ranges.append(try reader.range()) }
        return ranges
    }

    /// The seals of a domain, of the files that apply.
    mutating func seals(of domain: Key) throws(StoredFileError) -> [CandidateItem<Seal>] {
        guard let range = try table.range(ofGroup: domain, Key("")) else { return [] }
        _ = try candidates(at: range) { _ in true }
        return try removeSeals()
    }

    /// Removes and returns the seals of the group that was read last.
    mutating func removeSeals() throws(StoredFileError) -> [CandidateItem<Seal>] {
        defer { seals = [] }
        return seals
    }

    /// Reads the wanted kinds of items in a group, of the files that apply.
    mutating func candidates(
        at range: TableRange, where counts: (TableItemKind) -> Bool
    ) throws(StoredFileError) -> KeyCandidates {
        var reader = try TableReader(table.pages, range)
        let domain = Key(try reader.text())
        let candidates = try candidates(&reader, of: domain, where: counts)
        guard reader.isAtEnd else { throw StoredFileError("a group is longer than what it says") }
        return candidates
    }

    /// Reads all groups of a domain, which are contiguous, of the files that apply.
    ///
    /// - Parameters:
    ///   - range: the range of the groups.
    ///   - domain: the domain.
    /// - Returns: the candidates of each key, and the seals of the domain.
    /// - Throws: an error if the groups are damaged.
    mutating func domain(
        at range: TableRange, _ domain: Key
    ) throws(StoredFileError) -> (keys: [KeyCandidates], seals: SealCandidates?) {
        var reader = try TableReader(table.pages, range)
        var keys: [KeyCandidates] = []
        var found: SealCandidates?
        while !reader.isAtEnd {
            guard try reader.matches(domain.string) else {
                throw StoredFileError("a domain has a group of another one")
            }
            let candidates = try candidates(&reader, of: domain) { _ in true }
            if candidates.key.string.isEmpty {
                found = SealCandidates(domain: domain, seals: try removeSeals())
            } else {
                keys.append(candidates)
            }
        }
        return (keys, found)
    }

    /// Reads the rest of a group after its domain.
    private mutating func candidates(
        _ reader: inout TableReader, of domain: Key, where counts: (TableItemKind) -> Bool
    ) throws(StoredFileError) -> KeyCandidates {
        let key = Key(try reader.text())
        var candidates = KeyCandidates(domain: domain, key: key)
        if let metadata = try reader.optional({ reader throws(StoredFileError) in try reader.metadata() }) {
            candidates.metadata = metadata
        }
        seals = []
        for _ in 0..<(try reader.count()) {
            guard let kind = TableItemKind(rawValue: try reader.byte()) else {
                throw StoredFileError("an item is of no known kind")
            }
            guard (kind == .seal) == key.string.isEmpty else {
                throw StoredFileError("a group has an item of another kind")
            }
            let index = try reader.index()
            let position = try reader.position()
            let rest = try reader.stretch()
            guard counts(kind) else { continue }
            let file = try file(at: index)
            guard file.applies else { continue }
            candidates.isMentioned = true
            let origin = Origin(file.policy.source, position: position)
            var item = reader.part(rest)
            try add(kind, of: file, origin, &item, to: &candidates)
            guard item.isAtEnd else { throw StoredFileError("an item is longer than what it says") }
        }
        return candidates
    }

    /// Adds an item of a file that applies to the candidates of its key.
    private mutating func add(
        _ kind: TableItemKind, of file: CandidateFile, _ origin: Origin, _ item: inout TableReader,
        to candidates: inout KeyCandidates
    ) throws(StoredFileError) {
        let (domain, key) = (candidates.domain, candidates.key)
        switch kind {
        case .constraint:
            let entry = ConstraintEntry(
                domain: domain, key: key, constraint: try item.constraint(), origin: origin)
            candidates.constraints.append(CandidateItem(item: entry, file: file))
        case .combine: candidates.operators.append(CandidateItem(item: try item.combine(), file: file))
        case .waiver:
            let (waiver, ordinal) = try item.waiver(domain: domain, key: key, origin: origin)
            if waiver.clauses.tags != nil { try readTags() }
            candidates.add(waiver, ordinal: ordinal, of: file, for: subject, names: AccountIDs())
        case .seal: seals.append(CandidateItem(item: Seal(domain: domain, origin: origin), file: file))
        case .forced, .absent, .recommended, .setOnce:
            guard let level = kind.level else { return }
            candidates.add(try item.entry(level, domain: domain, key: key, origin: origin), of: file)
        }
    }

    /// Reads the table's tags, if they replace the subject's.
    private mutating func readTags() throws(StoredFileError) {
        guard ownTags else { return }
        subject.tags = try table.tags()
        ownTags = false
    }
}
