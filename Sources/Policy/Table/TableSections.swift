/// How many pieces each section of a compiled table has, and where it stands.
struct TableSections {
    /// One section.
    struct Section {
        /// The number of its pieces.
        var count = 0
        /// Where it stands.
        var place = TablePlace(offset: 0, length: 0)
    }

    /// The sections, in order.
    private var sections = [Section](repeating: Section(), count: TableSection.allCases.count)

    /// Begins without any.
    init() {}

    /// Takes the sections out of a header.
    init(_ reader: inout TableReader) throws(TableError) {
        for index in sections.indices {
            sections[index].count = try reader.place()
            sections[index].place = try reader.piece()
        }
    }

    /// One of the sections.
    subscript(_ section: TableSection) -> Section { sections[section.rawValue] }

    /// Appends a section to a table.
    mutating func write(
        _ section: TableSection, count: Int, to body: inout TableWriter, _ write: (inout TableWriter) -> Void
    ) {
        let offset = body.size
        write(&body)
        sections[section.rawValue] = Section(
            count: count, place: TablePlace(offset: offset, length: body.size - offset))
    }

    /// Puts the header before the pieces of a table.
    ///
    /// - Parameters:
    ///   - body: the table with room for the header; empty afterwards, so that there is never a second one in memory.
    ///   - generation: the daemon's generation in which the table was made.
    /// - Returns: the whole table.
    func finish(_ body: inout TableWriter, generation: UInt64) -> [UInt8] {
        var header = TableWriter()
        header.long(generation)
        for section in sections {
            header.place(section.count)
            header.place(section.place)
        }
        body.replace(at: TableFormat.generationOffset, with: header.take())
        return TableFormat.sealed(body.take())
    }
}
