import Platform
import PropertyList

/// Reads a compiled table piece by piece; whatever would lie outside of it is a mistake, and never a trap.
struct TableReader {
    /// The table.
    let pages: TablePages
    /// Where the next piece begins; never beyond the end.
    private(set) var offset: Int
    /// Where the stretch ends that is read.
    let end: Int

    /// Begins a stretch, which is read and checked as a whole.
    init(_ pages: TablePages, _ place: TablePlace) throws(TableError) {
        try pages.require(place.offset, place.length)
        self.pages = pages
        offset = place.offset
        end = place.offset + place.length
    }

    /// Begins a stretch of what another reader has taken, and with it has been checked.
    private init(_ pages: TablePages, checked range: Range<Int>) {
        self.pages = pages
        (offset, end) = (range.lowerBound, range.upperBound)
    }

    /// A reader of a stretch that this one has taken.
    func part(_ stretch: Range<Int>) -> TableReader { TableReader(pages, checked: stretch) }

    /// The mistake of all that points outside.
    static let outside = TableError("an offset or a length leads out of it")

    /// How many bytes are left.
    private var rest: Int { end - offset }

    /// Whether nothing is left.
    var isAtEnd: Bool { offset == end }

    /// Takes a byte.
    mutating func byte() throws(TableError) -> UInt8 {
        guard offset < end else { throw TableReader.outside }
        defer { offset += 1 }
        return pages.byte(at: offset)
    }

    /// Takes a truth value.
    mutating func truth() throws(TableError) -> Bool {
        switch try byte() {
        case 0: return false
        case 1: return true
        default: throw TableError("a truth value is none")
        }
    }

    /// Takes a number of 32 bits.
    mutating func word() throws(TableError) -> UInt32 {
        guard rest >= 4 else { throw TableReader.outside }
        defer { offset += 4 }
        return pages.word(at: offset)
    }

    /// Takes a number of 64 bits.
    mutating func long() throws(TableError) -> UInt64 {
        let low = try word()
        return UInt64(try word()) << 32 | UInt64(low)
    }

    /// Takes an offset or a length of four bytes.
    mutating func place() throws(TableError) -> Int { Int(try word()) }

    /// Takes a number that takes seven bits a byte.
    private mutating func number() throws(TableError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try byte()
            // The tenth byte has room for one bit.
            guard shift < 63 || byte < 2 else { throw TableError("a number has too many bits") }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
    }

    /// Takes a number that is not negative.
    mutating func index() throws(TableError) -> Int {
        guard let value = Int(exactly: try number()) else { throw TableError("a number is out of range") }
        return value
    }

    /// Takes the number of pieces that follow, each of which has `size` bytes at least.
    mutating func count(of size: Int = 1) throws(TableError) -> Int {
        let value = try index()
        guard value <= rest / size else { throw TableReader.outside }
        return value
    }

    /// Passes over some bytes.
    mutating func skip(_ count: Int) throws(TableError) {
        guard count >= 0, count <= rest else { throw TableReader.outside }
        offset += count
    }

    /// Takes bytes behind their number, as the range where they stand.
    mutating func run() throws(TableError) -> Range<Int> {
        let count = try count()
        defer { offset += count }
        return offset..<(offset + count)
    }

    /// Takes bytes behind their number in four bytes, as the range where they stand.
    mutating func stretch() throws(TableError) -> Range<Int> {
        let count = try place()
        guard count <= rest else { throw TableReader.outside }
        defer { offset += count }
        return offset..<(offset + count)
    }

    /// Takes a text if it is this one; whether it is.
    mutating func matches(_ text: String) throws(TableError) -> Bool { pages.holds(text, try run()) }

    /// Takes a text.
    mutating func text() throws(TableError) -> String {
        guard let text = pages.text(try run()) else { throw TableError("a text is not valid UTF-8") }
        return text
    }

    /// Takes a place in a file.
    mutating func position() throws(TableError) -> Position {
        let line = try index()
        let column = try index()
        return Position(line: line, column: column, offset: try index())
    }

    /// Takes a digest.
    mutating func digest() throws(TableError) -> Digest {
        let start = offset
        try skip(Digest.byteCount)
        guard let digest = Digest(pages.array(start..<offset), at: 0) else { throw TableReader.outside }
        return digest
    }

    /// Takes a whole number.
    mutating func integer() throws(TableError) -> Integer {
        let isNegative = try truth()
        let bits = try number()
        return isNegative ? Integer(Int64(bitPattern: ~bits)) : Integer(bits)
    }

    /// Takes a value, as a node without places.
    mutating func node(depth: Int = 0) throws(TableError) -> Node {
        guard depth <= PolicyFile.limits.depth else { throw TableError("a value is nested too deeply") }
        guard let kind = TableValueKind(rawValue: try byte()) else { throw TableError("a value is of no known kind") }
        let content: Node.Content
        switch kind {
        case .string: content = .scalar(.string(try text()))
        case .boolean: content = .scalar(.boolean(try truth()))
        case .integer: content = .scalar(.integer(try integer()))
        case .real: content = .scalar(.real(Double(bitPattern: try long())))
        case .date: content = .scalar(.date(Double(bitPattern: try long())))
        case .data: content = .scalar(.data(pages.array(try run())))
        case .array:
            var nodes: [Node] = []
            for _ in 0..<(try count()) { nodes.append(try node(depth: depth + 1)) }
            content = .array(nodes)
        case .dictionary:
            var entries: [Node.Entry] = []
            for _ in 0..<(try count()) {
                let key = Key(try text())
                entries.append(Node.Entry(key: key, keyOffset: 0, value: try node(depth: depth + 1)))
            }
            content = .dictionary(entries)
        }
        return Node(content, offset: 0)
    }
}
