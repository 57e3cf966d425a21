import MDPropertyList

/// Reads values in GVariant's binary form, of little-endian byte order.
///
/// Strict: what GLib would replace by a default value is no value.
package struct GVariantReader {
    private let bytes: ArraySlice<UInt8>

    private init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// Reads one value that takes all bytes; the first is at a multiple of 8.
    ///
    /// - Parameters:
    ///   - bytes: the bytes.
    ///   - type: the type of the value.
    /// - Returns: the value; `nil` if the bytes are not a value of this type.
    package static func read(_ bytes: ArraySlice<UInt8>, _ type: GVariantType) -> GVariant? {
        GVariantReader(bytes).value(bytes.startIndex..<bytes.endIndex, type, depth: 0)
    }

    private func value(_ range: Range<Int>, _ type: GVariantType, depth: Int) -> GVariant? {
        guard depth < GVariantType.depthLimit else { return nil }
        if let size = type.size, size != range.count { return nil }
        switch type {
        case .basic(let letter): return basic(range, letter)
        case .variant:
            guard let end = bytes[range].lastIndex(of: 0),
                let inner = GVariantType(bytes[end + 1..<range.upperBound])
            else { return nil }
            return value(range.lowerBound..<end, inner, depth: depth + 1).map { .variant($0) }
        case .maybe(let inner):
            if range.isEmpty { return .maybe(inner, nil) }
            guard inner.size == nil else { return value(range, inner, depth: depth + 1).map { .maybe(inner, $0) } }
            guard bytes[range.upperBound - 1] == 0 else { return nil }
            return value(range.lowerBound..<range.upperBound - 1, inner, depth: depth + 1).map { .maybe(inner, $0) }
        case .array(let element):
            guard let parts = parts(range, of: element) else { return nil }
            var elements: [GVariant] = []
            for part in parts {
                guard let value = value(part, element, depth: depth + 1) else { return nil }
                elements.append(value)
            }
            return .array(element, elements)
        case .tuple(let types): return members(range, types, type.size != nil, depth: depth).map { .tuple($0) }
        case .entry(let key, let content):
            guard let parts = members(range, [key, content], type.size != nil, depth: depth) else { return nil }
            return .entry(parts[0], parts[1])
        }
    }

    private func basic(_ range: Range<Int>, _ letter: UInt8) -> GVariant? {
        switch letter {
        case UInt8(ascii: "b"): return bytes[range.lowerBound] < 2 ? .boolean(bytes[range.lowerBound] == 1) : nil
        case UInt8(ascii: "d"): return .double(Double(bitPattern: number(range)))
        case UInt8(ascii: "s"), UInt8(ascii: "o"), UInt8(ascii: "g"):
            guard bytes[range].firstIndex(of: 0) == range.upperBound - 1 else { return nil }
            return String(validating: bytes[range].dropLast(), as: UTF8.self).map { .text(letter, $0) }
        case UInt8(ascii: "n"): return .integer(letter, Integer(Int16(truncatingIfNeeded: number(range))))
        case UInt8(ascii: "i"), UInt8(ascii: "h"):
            return .integer(letter, Integer(Int32(truncatingIfNeeded: number(range))))
        case UInt8(ascii: "x"): return .integer(letter, Integer(Int64(bitPattern: number(range))))
        default: return .integer(letter, Integer(number(range)))
        }
    }

    /// The number in at most 8 bytes.
    private func number(_ range: Range<Int>) -> UInt64 {
        bytes[range].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The width of the offsets in a container of a size.
    private func width(of size: Int) -> Int { size <= 0xff ? 1 : size <= 0xffff ? 2 : size <= 0xffff_ffff ? 4 : 8 }

    /// The offset at an index of those that begin at a place; `nil` if it leads beyond the container.
    private func offset(_ index: Int, from place: Int, width: Int, in range: Range<Int>) -> Int? {
        let start = place + index * width
        guard start >= range.lowerBound, start + width <= range.upperBound else { return nil }
        guard let offset = Int(exactly: number(start..<start + width)), offset <= range.count else { return nil }
        return range.lowerBound + offset
    }

    /// The places of an array's elements.
    private func parts(_ range: Range<Int>, of element: GVariantType) -> [Range<Int>]? {
        if range.isEmpty { return [] }
        if let size = element.size {
            guard range.count.isMultiple(of: size) else { return nil }
            return stride(from: range.lowerBound, to: range.upperBound, by: size).map { $0..<$0 + size }
        }
        let width = width(of: range.count)
        guard let table = offset(0, from: range.upperBound - width, width: width, in: range),
            (range.upperBound - table).isMultiple(of: width), table < range.upperBound
        else { return nil }
        var parts: [Range<Int>] = []
        var start = range.lowerBound
        for index in 0..<(range.upperBound - table) / width {
            start = range.lowerBound + (start - range.lowerBound).aligned(to: element.alignment)
            guard let end = offset(index, from: table, width: width, in: range), start <= end, end <= table else {
                return nil
            }
            parts.append(start..<end)
            start = end
        }
        return parts
    }

    /// The members of a tuple.
    private func members(_ range: Range<Int>, _ types: [GVariantType], _ isFixed: Bool, depth: Int) -> [GVariant]? {
        let width = width(of: range.count)
        var (values, start, table): ([GVariant], Int, Int) = ([], range.lowerBound, range.upperBound)
        for (index, type) in types.enumerated() {
            start = range.lowerBound + (start - range.lowerBound).aligned(to: type.alignment)
            let end: Int
            if let size = type.size {
                end = start + size
            } else if index == types.count - 1 {
                end = table
            } else {
                table -= width
                guard let offset = offset(0, from: table, width: width, in: range) else { return nil }
                end = offset
            }
            guard start <= end, end <= table, let value = value(start..<end, type, depth: depth + 1) else { return nil }
            values.append(value)
            start = end
        }
        return isFixed || start == table || values.isEmpty ? values : nil
    }
}
