import MDTestSupport

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

    /// About how many truncations, and how many places of a flip, a run tries that is not told otherwise.
    private static let usual = 48

    /// Truncations of a file and flips of its bytes, spread over all of it; every one in a full sweep.
    static func sample(of bytes: [UInt8]) -> [Damage] {
        let places = Sweeping.places(in: bytes, about: usual)
        let truncations = places.map { Damage.truncated(to: $0) }
        guard bytes.count > smallSize else {
            return truncations + places.flatMap { index in masks.map { .flipped(at: index, mask: $0) } }
        }
        return truncations + places.map { .flipped(at: $0, mask: masks[$0 % masks.count]) }
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
