/// One way in which the bytes of a file may be damaged.
enum Damage: CustomStringConvertible {
    /// Only so many bytes at the beginning are left.
    case truncated(to: Int)
    /// One byte has other bits.
    case flipped(at: Int, mask: UInt8)

    /// The bits that are flipped: the lowest, the highest, all.
    static let masks: [UInt8] = [0x01, 0x80, 0xff]
    /// The size up to which every byte is flipped in each way; in larger files the ways take turns by position.
    private static let smallSize = 400

    /// Every truncation of a file, and a flip of every byte.
    static func all(of size: Int) -> [Damage] {
        let truncations = (0..<size).map { Damage.truncated(to: $0) }
        guard size > smallSize else {
            return truncations + (0..<size).flatMap { index in masks.map { .flipped(at: index, mask: $0) } }
        }
        return truncations + (0..<size).map { .flipped(at: $0, mask: masks[$0 % masks.count]) }
    }

    /// The damaged bytes.
    func applied(to bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .truncated(let size): return Array(bytes.prefix(size))
        case .flipped(let index, let mask):
            var bytes = bytes
            bytes[index] ^= mask
            return bytes
        }
    }

    var description: String {
        switch self {
        case .truncated(let size): "truncated to \(size) bytes"
        case .flipped(let index, let mask): "byte \(index) xor \(mask)"
        }
    }
}
