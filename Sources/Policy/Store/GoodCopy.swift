import Platform
import PropertyList

/// The name of a good copy: the policy file's name, a number that grows with each copy, and the digest of the bytes.
///
/// `50-lab.json.7.3f2a…` carries all that is needed to check the copy, so that no index can be damaged or fall behind,
/// and a listing of the directory tells which copies there are. The copy of a file whose signature was good ends in
/// `.signed`. Of two copies, which a crash between writing the new
/// one and removing the old one leaves, the one with the higher number is the newer.
struct GoodCopy: Hashable, Sendable {
    /// The name of the policy file.
    let name: Key
    /// The number of the copy.
    let number: Int
    /// The digest of its bytes.
    let digest: Digest
    /// Whether the signature of the file was found to be good.
    let isSigned: Bool

    /// What the name of a copy ends in whose file was signed.
    private static let mark = ".signed"
    /// The most copies that are counted; no disk lives to see as many.
    private static let largestNumber = 999_999_999_999

    /// Makes a name.
    init(name: Key, number: Int, digest: Digest, isSigned: Bool = false) {
        self.name = name
        self.number = number
        self.digest = digest
        self.isSigned = isSigned
    }

    /// Reads a name; `nil` for what is not the name of a good copy.
    init?(fileName: String) {
        let (bytes, mark) = (Array(fileName.utf8), GoodCopy.mark.utf8)
        let isSigned = bytes.count > mark.count && bytes.suffix(mark.count).elementsEqual(mark)
        let rest = isSigned ? bytes.dropLast(mark.count) : bytes[...]
        let dot = UInt8(ascii: ".")
        guard let last = rest.lastIndex(of: dot), let middle = rest[..<last].lastIndex(of: dot) else { return nil }
        let (number, digits) = (rest[middle + 1..<last], rest[(last + 1)...])
        // Only what this type would have written: no leading zeros, no capital digits.
        guard number.count <= 12, number.allSatisfy(GoodCopy.isDecimal),
            number.count == 1 || number.first != UInt8(ascii: "0"),
            let value = number.isEmpty ? nil : number.reduce(0, { $0 * 10 + Int($1 - UInt8(ascii: "0")) }),
            digits.count == 2 * Digest.byteCount,
            digits.allSatisfy({ $0 < UInt8(ascii: "A") || $0 > UInt8(ascii: "F") }),
            let digest = Digest(hex: digits)
        else { return nil }
        let name = String(decoding: rest[..<middle], as: UTF8.self)
        guard PolicyFileName.reasonToIgnore(name) == nil else { return nil }
        self.init(name: Key(name), number: value, digest: digest, isSigned: isSigned)
    }

    /// The file name.
    var fileName: String { "\(name.string).\(number).\(digest.hex)\(isSigned ? GoodCopy.mark : "")" }

    /// The name of the copy that follows this one.
    func next(digest: Digest, isSigned: Bool) -> GoodCopy {
        GoodCopy(name: name, number: min(number + 1, GoodCopy.largestNumber), digest: digest, isSigned: isSigned)
    }

    /// Whether a byte is a digit.
    private static func isDecimal(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
