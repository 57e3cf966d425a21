/// The XML text of a dictionary, in which the lines of single keys are found and replaced.
///
/// A preference file is often read and written with one key changed. This type then moves bytes instead of parsing and
/// writing everything, because it stores the offset after the lines of each key of the root dictionary. The text has
/// the layout of CoreFoundation and ``XMLWriter``, with the keys in ascending order, and ``XMLReader`` always reads the
/// same values from it.
package struct XMLDictionaryText: Sendable {
    /// The whole file.
    package private(set) var bytes: [UInt8]
    /// The keys of the root dictionary, ascending.
    private var keys: [Key]
    /// The offset after the lines of each key.
    private var ends: [Int]

    /// The text before the first key.
    private static let opening = Array(XMLWriter.opening.utf8) + Array("<dict>\n".utf8)
    /// The text after the last key.
    private static let closing: StaticString = "</dict>\n</plist>\n"
    /// The maximum size of a file that is read here.
    ///
    /// Each value needs 7 bytes, so no smaller file has more values than ``Limits/standard`` allows.
    package static let maximumBytes = 16 << 20

    /// Writes a dictionary.
    ///
    /// - Throws: what ``XMLWriter/write(_:)`` throws.
    package init(_ values: [Key: Value]) throws(PropertyListError) {
        let sorted = values.sorted { $0.key < $1.key }
        var writer = XMLWriter()
        writer.output.write(XMLWriter.opening)
        keys = sorted.map(\.key)
        ends = []
        ends.reserveCapacity(keys.count)
        writer.output.write(keys.isEmpty ? "<dict/>\n" : "<dict>\n")
        var path = ValuePath()
        for (key, value) in sorted {
            try writer.write(key: key, value, indent: 1, &path)
            ends.append(writer.output.bytes.count)
        }
        writer.output.write(keys.isEmpty ? "</plist>\n" : "</dict>\n</plist>\n")
        bytes = writer.output.bytes
    }

    /// Uses a text that was parsed.
    private init(bytes: [UInt8], keys: [Key], ends: [Int]) {
        self.bytes = bytes
        self.keys = keys
        self.ends = ends
    }

    /// Reads a file quickly if it has the usual layout.
    ///
    /// - Returns: the values, and the text if its keys are in order. `nil` if the file must be read with
    ///   ``Document/read(_:as:limits:)``, which also reports errors.
    /// - Complexity: O(n).
    package static func read(
        _ bytes: [UInt8], limits: Limits = .standard
    ) -> (values: [Key: Value], text: XMLDictionaryText?)? {
        guard bytes.count <= min(limits.bytes, maximumBytes), limits.objects >= maximumBytes / 7,
            limits.depth > XMLQuickParser.maximumDepth, bytes.starts(with: opening)
        else { return nil }
        let span = bytes.span
        var index = opening.count
        guard let entries = entries(span, &index, before: nil) else { return nil }
        // If a key occurs twice, the strict reader warns.
        guard entries.values.count == entries.keys.count else { return nil }
        guard entries.isAscending else { return (entries.values, nil) }
        return (entries.values, XMLDictionaryText(bytes: bytes, keys: entries.keys, ends: entries.ends))
    }

    /// Some keys in the order of the file.
    private struct Entries {
        /// The keys.
        var keys: [Key] = []
        /// The values by key.
        var values: [Key: Value] = [:]
        /// The offset after each.
        var ends: [Int] = []
        /// Whether each key sorts after the one before.
        var isAscending = true

        /// Reserves memory for an estimated number of keys.
        mutating func reserve(_ count: Int) {
            keys.reserveCapacity(count)
            values.reserveCapacity(count)
            ends.reserveCapacity(count)
        }
    }

    /// Reads keys up to an offset, or up to the closing tags at the end of the file.
    private static func entries(_ text: Span<UInt8>, _ index: inout Int, before end: Int?) -> Entries? {
        var entries = Entries()
        let (start, sample) = (index, 16)
        while true {
            if let end {
                guard index <= end else { return nil }
                if index == end { return entries }
            } else if index < text.count, text[index] == UInt8(ascii: "<") {
                return XMLQuickParser.skip(closing, text, &index) && index == text.count ? entries : nil
            }
            guard let entry = XMLQuickParser.entry(text, &index) else { return nil }
            if let last = entries.keys.last, !(last < entry.key) { entries.isAscending = false }
            entries.keys.append(entry.key)
            entries.values[entry.key] = entry.value
            entries.ends.append(index)
            if entries.keys.count == sample {
                let average = max((index - start) / sample, 1)
                entries.reserve(((end ?? text.count) - start) / average * 17 / 16)
            }
        }
    }
}

extension XMLDictionaryText {
    /// Gives a key another value, or removes it.
    ///
    /// - Throws: what ``XMLWriter/write(_:)`` throws; then nothing has changed.
    /// - Complexity: O(n) to move bytes, O(log n) else.
    package mutating func set(_ value: Value?, for key: Key) throws(PropertyListError) {
        var lines: [UInt8] = []
        if let value {
            guard !keys.isEmpty else {
                self = try XMLDictionaryText([key: value])
                return
            }
            var writer = XMLWriter()
            var path = ValuePath()
            try writer.write(key: key, value, indent: 1, &path)
            lines = writer.output.bytes
        }
        let position = position(of: key)
        let start = start(of: position)
        guard position < keys.count, keys[position] == key else {
            guard value != nil else { return }
            bytes.insert(contentsOf: lines, at: start)
            keys.insert(key, at: position)
            ends.insert(start, at: position)
            move(position..., by: lines.count)
            return
        }
        if value == nil, keys.count == 1 {
            self = try XMLDictionaryText([:])
            return
        }
        let end = ends[position]
        bytes.replaceSubrange(start..<end, with: lines)
        if value == nil {
            keys.remove(at: position)
            ends.remove(at: position)
        }
        move(position..., by: lines.count - (end - start))
    }

    /// Replaces the text by the current content of the file, and parses only the lines that differ.
    ///
    /// - Returns: the keys whose lines differ, with their new values; the value is `nil` if the key is gone. If the
    ///   whole result is `nil`, nothing has changed here and the whole file must be read.
    /// - Complexity: O(n) to compare bytes, O(lines that differ) else.
    package mutating func follow(_ other: [UInt8]) -> [Key: Value?]? {
        guard !keys.isEmpty, other.count <= XMLDictionaryText.maximumBytes else { return nil }
        let equal = XMLDictionaryText.commonLengths(bytes.span, other.span)
        let growth = other.count - bytes.count
        // The text before the first and after the last line that differs is unchanged, and so is the state of a parser
        // there.
        let first = ends.partition { $0 > equal.start }
        guard equal.start >= XMLDictionaryText.opening.count else { return nil }
        var last = first
        while last < keys.count, start(of: last) < bytes.count - equal.end { last += 1 }
        guard start(of: last) >= bytes.count - equal.end else { return nil }
        var index = start(of: first)
        let end = start(of: last) + growth
        guard index <= end, let entries = XMLDictionaryText.entries(other.span, &index, before: end),
            entries.isAscending
        else { return nil }
        if let key = entries.keys.first, first > 0, !(keys[first - 1] < key) { return nil }
        if let key = entries.keys.last, last < keys.count, !(key < keys[last]) { return nil }
        // Removing the last key would change the tag of the dictionary.
        guard keys.count - (last - first) + entries.keys.count > 0 else { return nil }
        var changes: [Key: Value?] = [:]
        for position in first..<last { changes[keys[position]] = .some(nil) }
        for (key, value) in entries.values { changes[key] = .some(value) }
        bytes = other
        keys.replaceSubrange(first..<last, with: entries.keys)
        ends.replaceSubrange(first..<last, with: entries.ends)
        move((first + entries.keys.count)..., by: growth)
        return changes
    }

    /// The lengths of the common prefix of two texts, and of the common suffix of the rest.
    private static func commonLengths(_ one: Span<UInt8>, _ other: Span<UInt8>) -> (start: Int, end: Int) {
        let shorter = min(one.count, other.count)
        // Eight bytes are compared at once; every load ends within the shorter text.
        return unsafe one.withUnsafeBytes { one in
            unsafe other.withUnsafeBytes { other in
                var start = 0
                while start + 8 <= shorter,
                    unsafe one.loadUnaligned(fromByteOffset: start, as: UInt64.self)
                        == other.loadUnaligned(fromByteOffset: start, as: UInt64.self)
                {
                    start += 8
                }
                while start < shorter, unsafe one[start] == other[start] { start += 1 }
                var end = 0
                let rest = shorter - start
                while end + 8 <= rest,
                    unsafe one.loadUnaligned(fromByteOffset: one.count - end - 8, as: UInt64.self)
                        == other.loadUnaligned(fromByteOffset: other.count - end - 8, as: UInt64.self)
                {
                    end += 8
                }
                while end < rest, unsafe one[one.count - 1 - end] == other[other.count - 1 - end] { end += 1 }
                return (start, end)
            }
        }
    }

    /// The index of a key, or the index at which to insert it.
    private func position(of key: Key) -> Int {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The offset of the first line of a key.
    private func start(of position: Int) -> Int {
        position == 0 ? XMLDictionaryText.opening.count : ends[position - 1]
    }

    /// Moves the ends from an index on.
    private mutating func move(_ positions: PartialRangeFrom<Int>, by distance: Int) {
        guard distance != 0 else { return }
        for position in positions.lowerBound..<ends.count { ends[position] += distance }
    }
}

extension [Int] {
    /// The index of the first element that meets a condition; all elements after it must meet it too.
    fileprivate func partition(_ isBeyond: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBeyond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
