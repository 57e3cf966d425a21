/// Reads property lists in the binary encoding, `bplist00`.
package struct BinaryReader {
    /// Whether the bytes begin as a binary property list does.
    package static func recognizes(_ bytes: [UInt8]) -> Bool { bytes.starts(with: Array("bplist".utf8)) }

    /// Reads a whole file.
    package static func read(_ bytes: [UInt8], limits: Limits = .standard) throws(PropertyListError) -> Document {
        throw PropertyListError(.unsupported, "not written yet", at: .start)
    }
}
