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
    /// The files that were asked about, in order of application.
    ///
    /// An array and not a dictionary, whose first use costs a short command more than all that it asks.
    private(set) var files: [StandingFile] = []
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
        let place = self.place(ofFile: index)
        if place < files.count, files[place].index == index { return files[place] }
        var list = try list(ofFile: index)
        var reader = try TableReader(table.pages, try list.piece())
        let isLastGood = try reader.truth()
        let policy = try reader.head()
        if policy.target?.asksForTags == true { try readTags() }
        let file = try StandingFile(
            policy, isLastGood: isLastGood, index: index, for: subject, names: NameTable(), inWords: inWords
        ) { () throws(TableError) in
            if let calendars { return calendars }
            let calendars = try table.calendars()
            self.calendars = calendars
            return calendars
        }
        files.insert(file, at: place)
        return file
    }

    /// The place of a file among those that were asked about, or where it belongs.
    private func place(ofFile index: Int) -> Int {
        var (low, high) = (0, files.count)
        while low < high {
            let middle = (low + high) / 2
            if files[middle].index < index { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// A reader of what the table says of a file: where its head and the places of its groups stand.
    private func list(ofFile index: Int) throws(TableError) -> TableReader {
        let section = table.sections[.files]
        guard index < section.count, section.place.length / 16 == section.count else {
            throw TableError("an entry has no file")
        }
        return try TableReader(table.pages, TablePlace(offset: section.place.offset + 16 * index, length: 16))
    }

    /// Where the groups stand that a file has a part in.
    mutating func groups(of index: Int) throws(TableError) -> [TablePlace] {
        var list = try list(ofFile: index)
        _ = try list.piece()
        var reader = try TableReader(table.pages, try list.piece())
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
        let domain = Key(try reader.text())
        let material = try material(&reader, of: domain, where: counts)
        guard reader.isAtEnd else { throw TableError("a group is longer than what it says") }
        return material
    }

    /// Reads all groups of a domain, which stand one behind the other: what the files that apply say of its keys.
    ///
    /// - Parameters:
    ///   - place: where they stand.
    ///   - domain: the domain.
    /// - Returns: what is said of each key, and the seals of the domain.
    /// - Throws: what is wrong with the groups.
    mutating func domain(
        at place: TablePlace, _ domain: Key
    ) throws(TableError) -> (keys: [KeyMaterial], seals: SealMaterial?) {
        var reader = try TableReader(table.pages, place)
        var keys: [KeyMaterial] = []
        var found: SealMaterial?
        while !reader.isAtEnd {
            guard try reader.matches(domain.string) else { throw TableError("a domain has a group of another one") }
            let material = try material(&reader, of: domain) { _ in true }
            if material.key.string.isEmpty {
                found = SealMaterial(domain: domain, seals: try takeSeals())
            } else {
                keys.append(material)
            }
        }
        return (keys, found)
    }

    /// Reads the rest of a group, behind its domain.
    private mutating func material(
        _ reader: inout TableReader, of domain: Key, where counts: (TableItemKind) -> Bool
    ) throws(TableError) -> KeyMaterial {
        let key = Key(try reader.text())
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
            var item = reader.part(rest)
            try add(kind, of: file, origin, &item, to: &material)
            guard item.isAtEnd else { throw TableError("an item is longer than what it says") }
        }
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
