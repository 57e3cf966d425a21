/// Reads property lists in the binary encoding, `bplist00`.
///
/// The layout is that of CoreFoundation's CFBinaryPList.c: a header of 8 bytes, the objects, a table of their offsets,
/// and a trailer of 32 bytes that ends the file. Objects that nothing refers to, and bytes between objects, are
/// ignored, as every reader does; between the table and the trailer there are none.
package enum BinaryReader {
    /// Whether the bytes begin as a binary property list does, of whatever version.
    package static func recognizes(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "bplist".utf8) }

    /// Reads a whole file.
    ///
    /// Each object is decoded once, however often it is referred to, so time and memory are in proportion to the file;
    /// against `limits` it counts each time. So that the values stay in proportion too, a file unfolds to at most 10,000
    /// values and keys, or four for each of its bytes if that is more.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - limits: the bounds beyond which it is refused; `bytes` bounds what text and data unfold to as well.
    ///   - readsUIDs: whether the UID of a keyed archive is read as a dictionary with the key `CF$UID`, as other
    ///     encodings write it.
    /// - Returns: the document, in which offsets are those of objects; a key that stands twice is a warning, and its last
    ///   value counts.
    /// - Throws: the first mistake, with its offset. A null, a set, a UID, a URL and a UUID are mistakes, and so is a key
    ///   that is no string.
    package static func read(
        _ bytes: [UInt8], limits: Limits = .standard, readsUIDs: Bool = false
    ) throws(PropertyListError) -> Document {
        guard bytes.count <= limits.bytes else {
            throw PropertyListError(
                .tooLarge, "the file has \(bytes.count) bytes; at most \(limits.bytes) are read",
                at: Position(byte: 0))
        }
        var layout = try BinaryLayout(bytes)
        layout.readsUIDs = readsUIDs
        var parser = BinaryParser(layout, limits: limits)
        let root = try parser.parse()
        return Document(
            root: root, format: .binary, source: SourceText(unchecked: []), warnings: parser.warnings)
    }
}
