/// What a machine is called.
package struct HostName: Hashable, Sendable {
    /// The name up to its first dot.
    package let short: String
    /// The whole name.
    package let full: String

    /// Takes a name that is already known to be good.
    package init(short: String, full: String) {
        self.short = short
        self.full = full
    }

    /// Checks a name: 1 to 253 letters, digits, `-`, `_` and dots, no part of it empty or longer than 63.
    package init?(_ name: String) {
        let bytes = name.utf8
        guard bytes.count <= 253 else { return nil }
        // The length of the part so far, and of the first part.
        var (length, firstLength): (Int, Int?) = (0, nil)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "."):
                guard length > 0 else { return nil }
                firstLength = firstLength ?? length
                length = 0
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x5f:
                guard length < 63, length > 0 || byte != UInt8(ascii: "-") else { return nil }
                length += 1
            default: return nil
            }
        }
        guard length > 0 else { return nil }
        short = firstLength.map { String(Substring(bytes.prefix($0))) } ?? name
        full = name
    }
}
