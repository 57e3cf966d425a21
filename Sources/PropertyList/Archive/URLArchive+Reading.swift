extension URLArchive {
    /// Reads an archive whose root is an NSURL, in the binary or the XML encoding.
    ///
    /// Strict: `nil` for anything else, for another version and for an archive that leads in circles or beyond the
    /// bounds. No object is made of any class that an archive names. Time and memory are in proportion to the bytes.
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

    /// The property list that an archive is, UIDs as dictionaries with the key `CF$UID`.
    private static func propertyList(_ bytes: [UInt8]) -> Value? {
        if BinaryReader.recognizes(bytes) {
            return try? BinaryReader.read(bytes, limits: limits, readsUIDs: true).root.value
        }
        return try? Document.read(bytes, as: .xml, limits: limits).root.value
    }

    /// The index that a UID is; `nil` for anything else.
    private static func index(_ value: Value?) -> Int? {
        guard case .dictionary(let entries)? = value, entries.count == 1,
            case .integer(let index)? = entries[uid], let index = index.int64, index >= 0
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
                // A missing base and the null are the same: there is none.
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

        /// Whether an object says that it is of one of some classes.
        private func isOfClass(_ entries: [Key: Value], _ names: [String]) -> Bool {
            guard case .dictionary(let description)? = object(at: URLArchive.index(entries["$class"])),
                case .string(let name)? = description["$classname"]
            else { return false }
            return names.contains { Key($0) == Key(name) }
        }
    }
}
