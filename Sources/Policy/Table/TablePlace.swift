/// Where a piece of a compiled table stands.
struct TablePlace: Hashable {
    /// Where it begins, from the beginning of the table.
    let offset: Int
    /// How many bytes it has.
    let length: Int
}

extension TableReader {
    /// Takes where a piece stands.
    mutating func piece() throws(TableError) -> TablePlace {
        let offset = try place()
        return TablePlace(offset: offset, length: try place())
    }
}

extension TableWriter {
    /// Appends where a piece stands.
    mutating func place(_ value: TablePlace) {
        place(value.offset)
        place(value.length)
    }
}
