/// A URL in the form that NSKeyedArchiver writes and NSUserDefaults stores, unless the URL is a path.
///
/// The layout is that of Foundation's archives on Linux: a property list with `$archiver` (`NSKeyedArchiver`),
/// `$version` (100000), `$top` (`root`) and `$objects`, in which a UID is an index. An NSURL is a dictionary with
/// `NS.relative`, its text, `NS.base`, another NSURL or the null at index 0, and `$class`.
package struct URLArchive: Hashable, Sendable {
    /// The text of the URL; relative if there are bases.
    package let relative: String
    /// The texts of the URLs that it is relative to, each relative to the next; the last is absolute.
    package let bases: [String]

    /// Makes a URL from its texts.
    package init(relative: String, bases: [String] = []) {
        self.relative = relative
        self.bases = bases
    }

    /// The maximum number of bases of a URL; Foundation itself makes at most one.
    static let baseLimit = 8
    /// The limits of an archive; no useful URL needs more than 16 MiB.
    static let limits = Limits(bytes: 16 << 20, depth: 8, objects: 4096)
}

extension URLArchive {
    /// Reads an archive whose root is an NSURL, in the binary or the XML encoding.
    ///
    /// The result is `nil` for anything else, for another version, and for an archive with circular references or
    /// beyond the limits. No class that an archive names is instantiated. Time and memory are proportional to the size.
    ///
    /// - Parameter bytes: the archive.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count <= URLArchive.limits.bytes, let root = URLArchive.propertyList(bytes),
            case .dictionary(let archive) = root,
            archive["$archiver"] == .string("NSKeyedArchiver"), archive["$version"] == .integer(100_000),
            case .dictionary(let top)? = archive["$top"], case .array(let objects)? = archive["$objects"],
            let index = URLArchive.index(top["root"])
        else { return nil }
        let reading = Objects(objects: objects)
        guard let texts = reading.texts(ofURLAt: index), let first = texts.first else { return nil }
        self.init(relative: first, bases: Array(texts.dropFirst()))
    }

    /// Reads the property list of an archive, with UIDs as dictionaries with the key `CF$UID`.
    private static func propertyList(_ bytes: [UInt8]) -> Value? {
        if BinaryReader.recognizes(bytes) {
            return try? BinaryReader.read(bytes, limits: limits, readsUIDs: true).root.value
        }
        return try? Document.read(bytes, as: .xml, limits: limits).root.value
    }

    /// The index in a UID; `nil` for anything else.
    private static func index(_ value: Value?) -> Int? {
        guard case .dictionary(let entries)? = value, entries.count == 1,
            case .integer(let index)? = entries[BinaryObject.uidKey], let index = index.int64, index >= 0
        else { return nil }
        return Int(exactly: index)
    }

    /// The objects of an archive.
    private struct Objects {
        /// The objects; the first is the null.
        let objects: [Value]

        /// The object at an index; `nil` for the null and beyond the end.
        private func object(at index: Int?) -> Value? {
            guard let index, index > 0, index < objects.count else { return nil }
            return objects[index]
        }

        /// The texts of a URL and of its bases.
        func texts(ofURLAt index: Int) -> [String]? {
            var texts: [String] = []
            var next = index
            while true {
                guard texts.count <= URLArchive.baseLimit, case .dictionary(let url)? = object(at: next),
                    isOfClass(url, ["NSURL"]), let text = text(at: URLArchive.index(url["NS.relative"]))
                else { return nil }
                texts.append(text)
                // A missing base and the null both mean that there is none.
                guard let base = url["NS.base"] else { return texts }
                guard let base = URLArchive.index(base) else { return nil }
                if base == 0 { return texts }
                next = base
            }
        }

        /// A text: a string, or an NSString or NSMutableString with one.
        private func text(at index: Int?) -> String? {
            switch object(at: index) {
            case .string(let text)?: return text
            case .dictionary(let entries)?:
                guard isOfClass(entries, ["NSString", "NSMutableString"]) else { return nil }
                if case .string(let text)? = entries["NS.string"] { return text }
                guard case .string(let text)? = object(at: URLArchive.index(entries["NS.string"])) else { return nil }
                return text
            default: return nil
            }
        }

        /// Whether the class of an object has one of some names.
        private func isOfClass(_ entries: [Key: Value], _ names: [String]) -> Bool {
            guard case .dictionary(let description)? = object(at: URLArchive.index(entries["$class"])),
                case .string(let name)? = description["$classname"]
            else { return false }
            return names.contains { Key($0) == Key(name) }
        }
    }
}

extension URLArchive {
    /// The archive in the binary encoding, for Apple's and Foundation's unarchivers.
    ///
    /// It is `nil` if the URL could not be read again because it is too long or has too many bases. The bytes depend
    /// only on the URL.
    package var bytes: [UInt8]? {
        guard bases.count <= URLArchive.baseLimit else { return nil }
        var objects: [Value] = [.string("$null")]
        let texts = [relative] + bases
        // Each URL is followed by its text; the description of the class is last.
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
        .dictionary([BinaryObject.uidKey: .integer(Integer(index))])
    }
}
