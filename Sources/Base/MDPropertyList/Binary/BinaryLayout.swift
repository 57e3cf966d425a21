/// The validated outline of a binary property list: the offsets of its objects, and the widths of its numbers.
struct BinaryLayout {
    /// The bytes of the header, `bplist00`.
    static let headerSize = 8
    /// The bytes of the trailer: 6 unused, two widths, and three numbers of 8 bytes.
    static let trailerSize = 32

    /// The file.
    let bytes: [UInt8]
    /// Whether a UID is read as a dictionary, as in other encodings, or refused.
    var readsUIDs = false
    /// The number of objects.
    let objectCount: Int
    /// The index of the root object.
    let root: Int
    /// The offset at which the objects end and the table of their offsets begins.
    let tableOffset: Int
    /// The bytes of a number in the table.
    private let offsetWidth: Int
    /// The bytes of a reference.
    let referenceWidth: Int

    /// Checks header and trailer of a file.
    ///
    /// - Throws: `empty`, `syntax`, `unsupported`, `truncated` or `reference`, at the field that is wrong.
    init(_ bytes: [UInt8]) throws(PropertyListError) {
        /// An error at an offset.
        func error(_ code: PropertyListError.Code, _ message: String, at offset: Int) -> PropertyListError {
            PropertyListError(code, message, at: Position(byte: offset))
        }
        guard !bytes.isEmpty else { throw error(.empty, "the file is empty", at: 0) }
        guard bytes.starts(with: "bplist".utf8) else {
            throw error(.syntax, "a binary property list begins with 'bplist00'", at: 0)
        }
        guard bytes.count >= BinaryLayout.headerSize + 2 + BinaryLayout.trailerSize else {
            throw error(
                .truncated, "the file has \(bytes.count) bytes, too few for a binary property list", at: bytes.count)
        }
        guard bytes[6] == UInt8(ascii: "0"), bytes[7] == UInt8(ascii: "0") else {
            throw error(.unsupported, "only version 00 of binary property lists is read", at: 6)
        }
        let trailer = bytes.count - BinaryLayout.trailerSize
        let widths = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
        guard (1...8).contains(widths.0) else {
            throw error(.truncated, "the file is cut off or damaged: no valid width of offsets", at: trailer + 6)
        }
        guard (1...8).contains(widths.1) else {
            throw error(.truncated, "the file is cut off or damaged: no valid width of references", at: trailer + 7)
        }
        self.bytes = bytes
        (offsetWidth, referenceWidth) = widths

        // All three are checked against the file's size before they are used as indices.
        let count = BinaryLayout.number(in: bytes, at: trailer + 8, width: 8)
        let top = BinaryLayout.number(in: bytes, at: trailer + 16, width: 8)
        let table = BinaryLayout.number(in: bytes, at: trailer + 24, width: 8)
        guard table > UInt64(BinaryLayout.headerSize), table < UInt64(trailer) else {
            throw error(.reference, "the table of offsets is said to lie outside of the file", at: trailer + 24)
        }
        let (size, overflows) = count.multipliedReportingOverflow(by: UInt64(widths.0))
        guard count > 0, !overflows, size == UInt64(trailer) - table else {
            throw error(
                .reference,
                "the table of offsets does not end where the trailer begins: \(count) objects are said to "
                    + "be there", at: trailer + 8)
        }
        guard top < count else {
            throw error(.reference, "the root is said to be object \(top) of \(count)", at: trailer + 16)
        }
        (objectCount, root, tableOffset) = (Int(count), Int(top), Int(table))
    }

    /// The offset of an object.
    ///
    /// - Parameter index: below ``objectCount``.
    /// - Returns: an offset after the header and before the table.
    /// - Throws: `reference` if the table points outside of the objects.
    func offset(ofObject index: Int) throws(PropertyListError) -> Int {
        let place = tableOffset + index * offsetWidth
        let offset = BinaryLayout.number(in: bytes, at: place, width: offsetWidth)
        guard offset >= UInt64(BinaryLayout.headerSize), offset < UInt64(tableOffset) else {
            throw PropertyListError(
                .reference, "the table says that object \(index) is at byte \(offset), outside of the objects",
                at: Position(byte: place))
        }
        return Int(offset)
    }

    /// The index of the object that a reference names.
    ///
    /// - Parameter offset: the offset of the reference; the caller has checked that it is before the table.
    /// - Returns: an index below ``objectCount``.
    /// - Throws: `reference` if there is no such object.
    func object(referredToAt offset: Int) throws(PropertyListError) -> Int {
        let index = BinaryLayout.number(in: bytes, at: offset, width: referenceWidth)
        guard index < UInt64(objectCount) else {
            throw PropertyListError(
                .reference, "this refers to object \(index), and there are \(objectCount)", at: Position(byte: offset))
        }
        return Int(index)
    }

    /// A big-endian number of 1 to 8 bytes.
    static func number(in bytes: [UInt8], at offset: Int, width: Int) -> UInt64 {
        var result: UInt64 = 0
        for index in offset..<(offset + width) { result = result << 8 | UInt64(bytes[index]) }
        return result
    }
}
