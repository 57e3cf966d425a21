/// Puts binary property lists together by hand, broken ones too.
enum BinaryFile {
    /// A file of objects, the first of which is the root.
    static func of(_ objects: [[UInt8]], referenceWidth: UInt8 = 1) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        let width = table > 0xffff ? 4 : table > 0xff ? 2 : 1
        for offset in offsets { bytes += bigEndian(offset, width: width) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(width), referenceWidth]
        return bytes + bigEndian(objects.count, width: 8) + bigEndian(0, width: 8) + bigEndian(table, width: 8)
    }

    /// The bytes of a number.
    private static func bigEndian(_ number: Int, width: Int) -> [UInt8] {
        (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
