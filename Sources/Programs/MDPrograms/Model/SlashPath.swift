package import MDPropertyList

/// A key that is a path of names, joined by slashes.
///
/// In a name `%2F` is a slash and `%25` a percent sign; any other percent sign is itself.
package struct SlashPath: Hashable, Sendable {
    /// The names; an empty one for each slash too many.
    package let names: [String]

    package init(_ key: Key) {
        var (names, name): ([String], [UInt8]) = ([], [])
        var rest = key.string.utf8[...]
        func end() { names.append(String(decoding: name, as: UTF8.self)) }
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "/") {
                end()
                name = []
            } else if byte == UInt8(ascii: "%"), let escaped = SlashPath.escaped[rest.prefix(2).map { $0 }] {
                rest = rest.dropFirst(2)
                name.append(escaped)
            } else {
                name.append(byte)
            }
        }
        end()
        self.names = names
    }

    /// The key that is a path of names.
    static func key(_ names: [String]) -> Key {
        var bytes: [UInt8] = []
        for (index, name) in names.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "/")) }
            for byte in name.utf8 {
                switch byte {
                case UInt8(ascii: "/"): bytes += Array("%2F".utf8)
                case UInt8(ascii: "%"): bytes += Array("%25".utf8)
                default: bytes.append(byte)
                }
            }
        }
        return Key(String(decoding: bytes, as: UTF8.self))
    }

    /// What two digits after a percent sign mean.
    private static let escaped: [[UInt8]: UInt8] = [
        Array("2F".utf8): UInt8(ascii: "/"), Array("2f".utf8): UInt8(ascii: "/"), Array("25".utf8): UInt8(ascii: "%"),
    ]
}
