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
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard name.utf8.count <= 253, let first = parts.first else { return nil }
        for part in parts {
            guard !part.isEmpty, part.count <= 63, part.first != UInt8(ascii: "-") else { return nil }
            let isGood = part.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x5f: true
                default: false
                }
            }
            guard isGood else { return nil }
        }
        short = String(Substring(first))
        full = name
    }
}
