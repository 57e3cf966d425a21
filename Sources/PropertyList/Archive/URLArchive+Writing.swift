extension URLArchive {
    /// The archive in the binary encoding, as Apple's and Foundation's unarchivers read it.
    ///
    /// `nil` for a URL that would not be read back: too long, or with too many bases. The same URL always gives the same
    /// bytes.
    package var bytes: [UInt8]? {
        guard bases.count <= URLArchive.baseLimit else { return nil }
        var objects: [Value] = [.string("$null")]
        let texts = [relative] + bases
        // Each URL and its text stand one after the other; the description of the class is last.
        let classIndex = 1 + 2 * texts.count
        for (position, text) in texts.enumerated() {
            let index = 1 + 2 * position
            let base = position + 1 < texts.count ? index + 2 : 0
            objects.append(
                .dictionary([
                    "$class": URLArchive.reference(classIndex), "NS.base": URLArchive.reference(base),
                    "NS.relative": URLArchive.reference(index + 1),
                ]))
            objects.append(.string(text))
        }
        objects.append(
            .dictionary(["$classes": .array([.string("NSURL"), .string("NSObject")]), "$classname": .string("NSURL")]))
        let archive = Value.dictionary([
            "$archiver": .string("NSKeyedArchiver"), "$objects": .array(objects),
            "$top": .dictionary(["root": URLArchive.reference(1)]), "$version": .integer(100_000),
        ])
        guard let bytes = try? BinaryWriter.write(archive, writesUIDs: true), bytes.count <= URLArchive.limits.bytes
        else { return nil }
        return bytes
    }

    /// The UID of an object.
    private static func reference(_ index: Int) -> Value {
        .dictionary([uid: .integer(Integer(index))])
    }
}
