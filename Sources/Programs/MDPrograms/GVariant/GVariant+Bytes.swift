import MDPropertyList

extension GVariant {
    /// The value in GVariant's binary form, of little-endian byte order, as it begins at an offset that is a multiple of 8.
    package var bytes: [UInt8] {
        switch self {
        case .boolean(let value): return [value ? 1 : 0]
        case .integer(_, let number):
            let bits = number.uint64 ?? UInt64(bitPattern: number.int64 ?? 0)
            return GVariant.littleEndian(bits, width: type.size ?? 8)
        case .double(let number): return GVariant.littleEndian(number.bitPattern, width: 8)
        case .text(_, let text): return Array(text.utf8) + [0]
        case .variant(let inner): return inner.bytes + [0] + Array(inner.type.text.utf8)
        case .maybe(let inner, let value):
            guard let value else { return [] }
            return inner.size == nil ? value.bytes + [0] : value.bytes
        case .array(let element, let elements):
            var (bytes, ends): ([UInt8], [Int]) = ([], [])
            for value in elements {
                bytes.pad(to: element.alignment)
                bytes += value.bytes
                ends.append(bytes.count)
            }
            return element.size == nil ? GVariant.framed(bytes, ends) : bytes
        case .tuple(let members): return GVariant.bytes(of: members, type)
        case .entry(let key, let value): return GVariant.bytes(of: [key, value], type)
        }
    }

    /// The members of a tuple behind each other.
    private static func bytes(of members: [GVariant], _ type: GVariantType) -> [UInt8] {
        var (bytes, ends): ([UInt8], [Int]) = ([], [])
        for (index, member) in members.enumerated() {
            let memberType = member.type
            bytes.pad(to: memberType.alignment)
            bytes += member.bytes
            if memberType.size == nil, index < members.count - 1 { ends.append(bytes.count) }
        }
        guard let size = type.size else { return framed(bytes, ends.reversed()) }
        bytes += [UInt8](repeating: 0, count: max(size - bytes.count, 0))
        return bytes
    }

    /// Bytes with the offsets at which their parts end, each as wide as the whole requires.
    private static func framed(_ bytes: [UInt8], _ ends: [Int]) -> [UInt8] {
        if ends.isEmpty { return bytes }
        let width = [1, 2, 4].first { bytes.count + ends.count * $0 < 1 << ($0 * 8) } ?? 8
        return ends.reduce(into: bytes) { $0 += littleEndian(UInt64($1), width: width) }
    }

    static func littleEndian(_ bits: UInt64, width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
    }
}

extension [UInt8] {
    /// Adds zeros until the count is a multiple of a power of 2.
    mutating func pad(to alignment: Int) {
        self += [UInt8](repeating: 0, count: count.aligned(to: alignment) - count)
    }
}
