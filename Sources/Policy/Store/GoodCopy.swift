import Platform
import PropertyList

/// The name of a good copy: the policy file's name, a number that grows with each copy, and the digest of the bytes.
///
/// `50-lab.json.7.3f2a…` carries all that is needed to check the copy, so that no index can be damaged or fall behind,
/// and a listing of the directory tells which copies there are. Of two copies, which a crash between writing the new
/// one and removing the old one leaves, the one with the higher number is the newer.
struct GoodCopy: Hashable, Sendable {
    /// The name of the policy file.
    let name: Key
    /// The number of the copy.
    let number: Int
    /// The digest of its bytes in hexadecimal.
    let digest: String

    /// The most copies that are counted; no disk lives to see as many.
    private static let largestNumber = 999_999_999_999

    /// Makes a name.
    init(name: Key, number: Int, digest: String) {
        self.name = name
        self.number = number
        self.digest = digest
    }

    /// Reads a name; `nil` for what is not the name of a good copy.
    init?(fileName: String) {
        let parts = fileName.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count >= 4, let digest = parts.last, parts.count >= 2 else { return nil }
        let number = parts[parts.count - 2]
        guard digest.count == 64, digest.allSatisfy(GoodCopy.isHexadecimal) else { return nil }
        guard number.count <= 12, number.allSatisfy(GoodCopy.isDecimal), let value = Int(Substring(number) + "") else {
            return nil
        }
        let end = fileName.utf8.index(number.startIndex, offsetBy: -1)
        let name = String(fileName[..<end])
        guard PolicyFileName.reasonToIgnore(name) == nil else { return nil }
        self.init(name: Key(name), number: value, digest: String(Substring(digest)))
    }

    /// The file name.
    var fileName: String { "\(name.string).\(number).\(digest)" }

    /// The name of the copy that follows this one.
    func next(digest: Digest) -> GoodCopy {
        GoodCopy(name: name, number: min(number + 1, GoodCopy.largestNumber), digest: digest.hex)
    }

    /// Whether a byte is a digit.
    private static func isDecimal(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Whether a byte is a lower-case hexadecimal digit.
    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDecimal(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
