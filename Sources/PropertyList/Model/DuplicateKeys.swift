/// Finds keys that stand twice in one dictionary.
enum DuplicateKeys {
    /// The most warnings of one file: each place costs time, and nobody reads more.
    static let mostWarnings = 100
    /// Up to here, comparing each with each is faster than hashing.
    private static let fewEntries = 8

    /// Adds a warning for each key that stood in the dictionary before.
    ///
    /// Complexity: O(n).
    ///
    /// - Parameters:
    ///   - entries: the entries of one dictionary.
    ///   - warnings: the warnings of the file so far.
    ///   - place: turns an offset into a place.
    static func report(
        _ entries: [Node.Entry], into warnings: inout [PropertyListError], place: (Int) -> Position
    ) {
        guard !areDistinct(entries) else { return }
        var first: [Key: Int] = [:]
        for entry in entries {
            guard let offset = first[entry.key] else {
                first[entry.key] = entry.keyOffset
                continue
            }
            guard warnings.count < mostWarnings else { return }
            warnings.append(
                PropertyListError(
                    .duplicateKey,
                    "the key \"\(excerpt(entry.key))\" stands at \(place(offset)) already; the last value counts",
                    at: place(entry.keyOffset)))
        }
    }

    /// Whether no key stands twice.
    static func areDistinct(_ entries: [Node.Entry]) -> Bool {
        if entries.count < 2 { return true }
        guard entries.count <= fewEntries else {
            var table = NumberTable(minimumCapacity: entries.count)
            for (index, entry) in entries.enumerated() {
                let known = table.number(hash: entry.key.quickHash(), orAdd: index) { entries[$0].key == entry.key }
                if known != nil { return false }
            }
            return true
        }
        // Fields by index: a loop over the entries would copy each whole.
        for index in entries.indices {
            for other in 0..<index where entries[other].key == entries[index].key { return false }
        }
        return true
    }

    /// The beginning of a key, short enough for a message.
    private static func excerpt(_ key: Key) -> String {
        let text = key.string.unicodeScalars
        guard text.count > 80 else { return key.string }
        return String(String.UnicodeScalarView(text.prefix(80))) + "…"
    }
}
