import MDPlatform

/// Digests as programs print them.
enum SHA256Text {
    /// The digest of some bytes in hexadecimal digits.
    static func hex(_ bytes: [UInt8]) -> String { SHA256.hash(bytes).hex }
}
