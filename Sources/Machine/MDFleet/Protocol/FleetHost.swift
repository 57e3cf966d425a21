/// The name of a host in its fleet: the common name of its certificate, and the beginning of its files' names.
///
/// `[a-z0-9.-]`, at most 64 bytes, begins and ends with a letter or digit, and has no two dots in a row, so that it is
/// never a way out of a folder.
package struct FleetHost: Hashable, Sendable, CustomStringConvertible {
    /// The most bytes of a name.
    package static let longest = 64

    /// The name.
    package let name: String

    /// Checks a name; `nil` if it is not one.
    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard (1...FleetHost.longest).contains(bytes.count), let first = bytes.first, let last = bytes.last,
            FleetHost.isAlphanumeric(first), FleetHost.isAlphanumeric(last),
            bytes.allSatisfy({ FleetHost.isAlphanumeric($0) || $0 == 0x2d || $0 == 0x2e }),
            !zip(bytes, bytes.dropFirst()).contains(where: { $0 == 0x2e && $1 == 0x2e })
        else { return nil }
        name = String(text)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte)
    }

    package var description: String { name }
}

extension FleetHost: Comparable {
    /// Natural order: a run of digits compares as a number, so that pc2 comes before pc10.
    package static func < (left: FleetHost, right: FleetHost) -> Bool {
        NaturalOrder.isLess(left.name, right.name)
    }
}

/// The order of names in which a run of digits compares as a number.
package enum NaturalOrder {
    /// Whether a name comes before another; names that differ only by leading zeros compare as bytes.
    package static func isLess(_ left: String, _ right: String) -> Bool {
        var (one, two) = (Array(left.utf8)[...], Array(right.utf8)[...])
        while let first = one.first, let second = two.first {
            if isDigit(first), isDigit(second) {
                let (ones, twos) = (number(&one), number(&two))
                if ones.count != twos.count { return ones.count < twos.count }
                if !ones.elementsEqual(twos) { return ones.lexicographicallyPrecedes(twos) }
                continue
            }
            if first != second { return first < second }
            one.removeFirst()
            two.removeFirst()
        }
        if one.isEmpty != two.isEmpty { return one.isEmpty }
        return left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Takes a run of digits away and returns it without leading zeros.
    private static func number(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let digits = bytes.prefix(while: isDigit)
        bytes = bytes.dropFirst(digits.count)
        return digits.drop { $0 == 0x30 }
    }
}
