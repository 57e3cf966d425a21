import PropertyList

/// How much room the entries of some layers take.
struct TableSize {
    /// Keys, those that stand in several layers counted each time.
    var entries = 0
    /// Bytes of keys and texts, each rounded up to a multiple of eight.
    var text = 0
    /// Values that stay objects.
    var boxes = 0

    /// Counts a key and its value.
    mutating func add(_ key: Key, _ value: Value?) {
        entries += 1
        text += TableSize.aligned(key.string.utf8.count)
        switch value {
        case .string(let value): text += TableSize.aligned(value.utf8.count)
        case .data, .array, .dictionary: boxes += 1
        case .boolean, .integer, .real, .date, nil: break
        }
    }

    /// A size rounded up to a multiple of eight.
    static func aligned(_ count: Int) -> Int { (count + 7) & ~7 }
}
