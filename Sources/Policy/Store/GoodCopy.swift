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
        let isSigned = PolicyFileName.hasSuffix(fileName, GoodCopy.mark)
        let bytes = fileName.utf8.span
        let last = bytes.count - (isSigned ? GoodCopy.mark.utf8.count : 0) - 2 * Digest.byteCount - 1
        guard last >= 0, bytes[last] == UInt8(ascii: "."),
            let (number, middle) = GoodCopy.number(before: last, in: bytes)
        else { return nil }
        // Only what this type would have written: no capital digits.
        let digits = bytes.extracting(last + 1..<last + 1 + 2 * Digest.byteCount)
        for index in digits.indices where (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(digits[index]) { return nil }
        guard let digest = Digest(hex: digits), let name = String(fileName.utf8.prefix(middle)),
            PolicyFileName.reasonToIgnore(name) == nil
        else { return nil }
        self.init(name: Key(name), number: number, digest: digest, isSigned: isSigned)
    }

    /// The number that ends at an index, without leading zeros, and the index of the dot before it; `nil` where there is
    /// none.
    private static func number(before end: Int, in bytes: Span<UInt8>) -> (number: Int, dot: Int)? {
        var (index, number, worth) = (end - 1, 0, 1)
        while index >= 0, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) {
            guard end - index <= 12 else { return nil }
            number += worth * Int(bytes[index] - UInt8(ascii: "0"))
            (index, worth) = (index - 1, worth * 10)
        }
        let count = end - 1 - index
        guard index >= 0, bytes[index] == UInt8(ascii: "."), count > 0,
            count == 1 || bytes[index + 1] != UInt8(ascii: "0")
        else { return nil }
        return (number, index)
    }

    /// The file name.
    var fileName: String { "\(name.string).\(number).\(digest.hex)\(isSigned ? GoodCopy.mark : "")" }

    /// The name of the copy that follows this one.
    func next(digest: Digest, isSigned: Bool) -> GoodCopy {
        GoodCopy(name: name, number: min(number + 1, GoodCopy.largestNumber), digest: digest, isSigned: isSigned)
    }
}
