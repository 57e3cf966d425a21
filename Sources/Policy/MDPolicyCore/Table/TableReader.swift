import MDPlatform
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

/// Reads a compiled table element by element; an offset or length outside of it is an error and never a trap.
struct TableReader {
    let pages: TablePages
    /// The offset of the next element; never beyond the end.
    private(set) var offset: Int
    /// The end of the range that is read.
    let end: Int

    /// Makes a reader of a range, which is read from the file and checked as a whole.
    init(_ pages: TablePages, _ range: TableRange) throws(StoredFileError) {
        try pages.require(range.offset, range.length)
        self.pages = pages
        offset = range.offset
        end = range.offset + range.length
    }

    /// Makes a reader of a range that another reader has checked.
    private init(_ pages: TablePages, checked range: Range<Int>) {
        self.pages = pages
        (offset, end) = (range.lowerBound, range.upperBound)
    }

    /// A reader of a part of this one's range.
    func part(_ stretch: Range<Int>) -> TableReader { TableReader(pages, checked: stretch) }

    /// The error of an offset or length outside of the table.
    static let outside = StoredFileError("an offset or a length leads out of it")

    /// The number of bytes left.
    private var rest: Int { end - offset }

    /// Whether no bytes are left.
    var isAtEnd: Bool { offset == end }

    /// Reads a byte.
    mutating func byte() throws(StoredFileError) -> UInt8 {
        guard offset < end else { throw TableReader.outside }
        defer { offset += 1 }
        return pages.byte(at: offset)
    }

    /// Reads a boolean.
    mutating func truth() throws(StoredFileError) -> Bool {
        switch try byte() {
        case 0: return false
        case 1: return true
        default: throw StoredFileError("a truth value is none")
        }
    }

    /// Reads a number of 32 bits.
    mutating func word() throws(StoredFileError) -> UInt32 {
        guard rest >= 4 else { throw TableReader.outside }
        defer { offset += 4 }
        return pages.word(at: offset)
    }

    /// Reads a number of 64 bits.
    mutating func long() throws(StoredFileError) -> UInt64 {
        guard rest >= 8 else { throw TableReader.outside }
        defer { offset += 8 }
        return pages.long(at: offset)
    }

    /// Reads an offset or a length in four bytes.
    mutating func fixedIndex() throws(StoredFileError) -> Int { Int(try word()) }

    /// Reads a number with seven bits a byte.
    private mutating func number() throws(StoredFileError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try byte()
            // The tenth byte has room for one bit.
            guard shift < 63 || byte < 2 else { throw StoredFileError("a number has too many bits") }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
    }

    /// Reads a number that is not negative.
    mutating func index() throws(StoredFileError) -> Int {
        guard let value = Int(exactly: try number()) else { throw StoredFileError("a number is out of range") }
        return value
    }

    /// Reads the number of elements that follow; each has at least `size` bytes.
    mutating func count(of size: Int = 1) throws(StoredFileError) -> Int {
        let value = try index()
        guard value <= rest / size else { throw TableReader.outside }
        return value
    }

    /// Skips some bytes.
    mutating func skip(_ count: Int) throws(StoredFileError) {
        guard count >= 0, count <= rest else { throw TableReader.outside }
        offset += count
    }

    /// Reads bytes after their number; returns their range.
    mutating func run() throws(StoredFileError) -> Range<Int> {
        let count = try count()
        defer { offset += count }
        return offset..<(offset + count)
    }

    /// Reads bytes after their number in four bytes; returns their range.
    mutating func stretch() throws(StoredFileError) -> Range<Int> {
        let count = try fixedIndex()
        guard count <= rest else { throw TableReader.outside }
        defer { offset += count }
        return offset..<(offset + count)
    }

    /// Reads a text and returns whether it is equal to another one.
    mutating func matches(_ text: String) throws(StoredFileError) -> Bool { pages.holds(text, try run()) }

    /// Reads a text.
    mutating func text() throws(StoredFileError) -> String {
        guard let text = pages.text(try run()) else { throw StoredFileError("a text is not valid UTF-8") }
        return text
    }

    /// Reads a place in a file.
    mutating func position() throws(StoredFileError) -> Position {
        let line = try index()
        let column = try index()
        return Position(line: line, column: column, offset: try index())
    }

    /// Reads a digest.
    mutating func digest() throws(StoredFileError) -> Digest {
        let start = offset
        try skip(Digest.byteCount)
        guard let digest = Digest(pages.array(start..<offset), at: 0) else { throw TableReader.outside }
        return digest
    }

    /// Reads a whole number.
    mutating func integer() throws(StoredFileError) -> Integer {
        let isNegative = try truth()
        let bits = try number()
        return isNegative ? Integer(Int64(bitPattern: ~bits)) : Integer(bits)
    }

    /// Reads a value, as a node without places.
    mutating func node(depth: Int = 0) throws(StoredFileError) -> Node {
        guard depth <= PolicyFile.limits.depth else { throw StoredFileError("a value is nested too deeply") }
        guard let kind = TableValueKind(rawValue: try byte()) else {
            throw StoredFileError("a value is of no known kind")
        }
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
