import PropertyList

/// One question to a compiled table: what it has read for one subject.
struct TableLook {
    /// The table.
    private let table: CompiledTable
    /// For whom, where and when.
    private var subject: Subject
    /// Whether the table's own tags stand for the subject's, and were not read yet.
    private var ownTags: Bool
    /// Whether anybody reads why a file does not apply.
    private let inWords: Bool
    /// The files that were asked about.
    private var files: [Int: StandingFile] = [:]
    /// Where the lists of groups of those files stand.
    private var groupLists: [Int: TablePlace] = [:]
    /// The calendars, once they were asked for.
    private var calendars: [Key: [Window]]?
    /// The seals of the group that was read last.
    private var seals: [Candidate<Seal>] = []

    /// Begins.
    init(table: CompiledTable, subject: Subject, ownTags: Bool = false, inWords: Bool = false) {
        (self.table, self.subject, self.ownTags, self.inWords) = (table, subject, ownTags, inWords)
    }

    /// The file of an index, and whether it applies.
    mutating func file(at index: Int) throws(TableError) -> StandingFile {
        if let file = files[index] { return file }
        guard index < table.sections[.files].count else { throw TableError("an entry has no file") }
        var list = try table.reader(of: .files)
        try list.skip(16 * index)
        var reader = try TableReader(table.pages, try list.piece())
        let policy = try reader.head()
        groupLists[index] = try list.piece()
        if policy.target?.asksForTags == true { try readTags() }
        let file = try StandingFile(
            policy, isLastGood: false, index: index, for: subject, names: NameTable(), inWords: inWords
        ) { () throws(TableError) in
            if let calendars { return calendars }
            let calendars = try table.calendars()
            self.calendars = calendars
            return calendars
        }
        files[index] = file
        return file
    }

    /// Where the groups stand that a file has a part in; the file has been asked about.
    mutating func groups(of index: Int) throws(TableError) -> [TablePlace] {
        guard let place = groupLists[index] else { throw TableError("a file has no groups") }
        var reader = try TableReader(table.pages, place)
        var places: [TablePlace] = []
        while !reader.isAtEnd { places.append(try reader.piece()) }
        return places
    }

    /// The seals of a domain, of the files that apply.
    mutating func seals(of domain: Key) throws(TableError) -> [Candidate<Seal>] {
        guard let place = try table.place(ofGroup: domain, Key("")) else { return [] }
        _ = try material(at: place) { _ in true }
        return try takeSeals()
    }

    /// The seals of the group that was read last.
    mutating func takeSeals() throws(TableError) -> [Candidate<Seal>] {
        defer { seals = [] }
        return seals
    }

    /// Reads a group: what the files that apply say of its key, of the kinds that count.
    mutating func material(
        at place: TablePlace, where counts: (TableItemKind) -> Bool
    ) throws(TableError) -> KeyMaterial {
        var reader = try TableReader(table.pages, place)
        let (domain, key) = (Key(try reader.text()), Key(try reader.text()))
        var material = KeyMaterial(domain: domain, key: key)
        if let metadata = try reader.optional({ reader throws(TableError) in try reader.metadata() }) {
            material.metadata = metadata
        }
        seals = []
        for _ in 0..<(try reader.count()) {
            guard let kind = TableItemKind(rawValue: try reader.byte()) else {
                throw TableError("an item is of no known kind")
            }
            guard (kind == .seal) == key.string.isEmpty else { throw TableError("a group has an item of another kind") }
            let index = try reader.index()
            let position = try reader.position()
            let rest = try reader.stretch()
            guard counts(kind) else { continue }
            let file = try file(at: index)
            guard file.applies else { continue }
            let origin = Origin(file.policy.source, position: position)
            var item = try TableReader(table.pages, TablePlace(offset: rest.lowerBound, length: rest.count))
            try add(kind, of: file, origin, &item, to: &material)
            guard item.isAtEnd else { throw TableError("an item is longer than what it says") }
        }
        guard reader.isAtEnd else { throw TableError("a group is longer than what it says") }
        return material
    }

    /// Adds an item of a file that applies to what is known of its key.
    private mutating func add(
        _ kind: TableItemKind, of file: StandingFile, _ origin: Origin, _ item: inout TableReader,
        to material: inout KeyMaterial
    ) throws(TableError) {
        let (domain, key) = (material.domain, material.key)
        switch kind {
        case .constraint:
            let entry = ConstraintEntry(
                domain: domain, key: key, constraint: try item.constraint(), origin: origin)
            material.constraints.append(Candidate(item: entry, file: file))
        case .combine: material.operators.append(Candidate(item: try item.combine(), file: file))
        case .waiver:
            let (waiver, ordinal) = try item.waiver(domain: domain, key: key, origin: origin)
            if waiver.clauses.tags != nil { try readTags() }
            material.add(waiver, ordinal: ordinal, of: file, for: subject, names: NameTable())
        case .seal: seals.append(Candidate(item: Seal(domain: domain, origin: origin), file: file))
        case .forced, .absent, .recommended, .setOnce:
            guard let level = kind.level else { return }
            material.add(try item.entry(level, domain: domain, key: key, origin: origin), of: file)
        }
    }

    /// Lets the table's own tags stand for the subject's, where they are to.
    private mutating func readTags() throws(TableError) {
        guard ownTags else { return }
        subject.tags = try table.tags()
        ownTags = false
    }
}
