package import MDPlatform
import MDPropertyList

/// A full segment of the log: what stays known of it when its records are deleted.
package struct LogSegment: Hashable, Sendable {
    /// The number of its first record.
    package let first: Int
    /// The number of its last record.
    package let last: Int
    /// The bytes of its file.
    package let bytes: Int
    /// The time of its first record; `nil` if that has none.
    package let begin: Timestamp?
    /// The time of its last record; `nil` if that has none.
    package let end: Timestamp?
    /// The roots of its complete subtrees, each of as many records as the log's segments usually have: one, but for a
    /// segment that could not be ended in time.
    package let roots: [Digest]
    /// When its records were deleted; `nil` if they are retained.
    package private(set) var deleted: Timestamp?
    /// From which age on, in days, the administrator's file allowed that then; `nil` for the usual one.
    package private(set) var leastDays: Int?

    /// Makes a value.
    package init(
        first: Int, last: Int, bytes: Int, begin: Timestamp?, end: Timestamp?, roots: [Digest],
        deleted: Timestamp? = nil, leastDays: Int? = nil
    ) {
        (self.first, self.last, self.bytes) = (first, last, bytes)
        (self.begin, self.end, self.roots) = (begin, end, roots)
        (self.deleted, self.leastDays) = (deleted, leastDays)
    }

    /// Marks the records as deleted.
    mutating func markDeleted(_ time: Timestamp, by limits: LogLimits) {
        (deleted, leastDays) = (time, limits.youngest < LogLimits().youngest ? limits.leastDays : nil)
    }

    /// Parses a line; `nil` for anything that ``line`` did not make.
    init?(line: ArraySlice<UInt8>, size: Int) {
        guard let text = String(validating: line, as: UTF8.self) else { return nil }
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 6 || ((8...9).contains(words.count) && words[6] == "deleted"),
            let first = Checkpoint.size(words[0].utf8), let last = Checkpoint.size(words[1].utf8),
            let bytes = Checkpoint.size(words[2].utf8), first > 0, last >= first
        else { return nil }
        let roots = words[5].split(separator: ",", omittingEmptySubsequences: false).compactMap { word in
            (try? Base64.decode(Array(word.utf8))).flatMap { Digest(bytes: $0) }
        }
        let (count, overflow) = roots.count.multipliedReportingOverflow(by: size)
        guard !overflow, count == last - first + 1 else { return nil }
        self.init(
            first: first, last: last, bytes: bytes, begin: Timestamp(rfc3339: words[3]),
            end: Timestamp(rfc3339: words[4]), roots: roots,
            deleted: words.count >= 8 ? Timestamp(rfc3339: words[7]) : nil,
            leastDays: words.count == 9 ? Checkpoint.size(words[8].utf8) : nil)
        // One text for each segment: anything else was changed.
        guard self.line.utf8.dropLast().elementsEqual(line) else { return nil }
    }

    /// The segment as a line with its line feed: the first and the last number, the bytes, both times, the roots in
    /// Base64 with commas between, when it was deleted, and from which unusual age on that was allowed.
    var line: String {
        let roots = roots.map { Base64.encode($0.bytes) }.joined(separator: ",")
        let times = "\(begin?.rfc3339 ?? "-") \(end?.rfc3339 ?? "-")"
        let mark = deleted.map { " deleted \($0.rfc3339)" + (leastDays.map { " \($0)" } ?? "") }
        return "\(first) \(last) \(bytes) \(times) \(roots)\(mark ?? "")\n"
    }
}

/// The full segments of a log, from the file `roots`: its first line has the origin and the number of records of a
/// segment, and each other line a segment.
///
/// The roots of retained segments can be computed again; those of deleted ones cannot. The checkpoint vouches for all of
/// them: they are part of its tree.
package struct SegmentRoots: Hashable, Sendable {
    /// The largest file that is read, in bytes: about a million segments.
    private static let limit = 256 << 20
    /// The largest number of records of a segment.
    private static let largest = 1 << 24

    /// The name of the log.
    package let origin: String
    /// The number of records of a subtree that a root covers, a power of two.
    package let size: Int
    /// The segments, each beginning where the one before ends.
    package private(set) var segments: [LogSegment] = []
    /// The line after which nothing could be read, counted from 1; `nil` if the file is whole.
    package private(set) var damagedLine: Int?

    /// Makes the list of a log without segments.
    package init(origin: String, size: Int) {
        (self.origin, self.size) = (origin, size)
    }

    /// Reads the file of a log.
    ///
    /// What follows a damaged line is not read.
    ///
    /// - Returns: `nil` if there is no file, or its first line is damaged.
    package init?(root: Root, path: String) throws(SystemError) {
        let text = try LogFiles.ifPresent { () throws(SystemError) in
            try root.read(path, limit: SegmentRoots.limit).bytes
        }
        guard let text else { return nil }
        self.init(text: text)
    }

    /// Parses the content of the file; `nil` if its first line is damaged.
    package init?(text: [UInt8]) {
        let lines = text.split(separator: 0x0a, omittingEmptySubsequences: false)
        let words = lines[0].split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 2, let origin = String(validating: words[0], as: UTF8.self),
            Checkpoint.isOrigin(origin), let size = Checkpoint.size(words[1]), size > 0, size.nonzeroBitCount == 1,
            size <= SegmentRoots.largest
        else { return nil }
        self.init(origin: origin, size: size)
        for (number, line) in lines.enumerated().dropFirst() {
            if number == lines.count - 1, line.isEmpty { return }
            guard number < lines.count - 1, let segment = LogSegment(line: line, size: size),
                segment.first == records + 1
            else {
                damagedLine = number + 1
                return
            }
            segments.append(segment)
        }
        // The first line does not end.
        if lines.count == 1 { damagedLine = 1 }
    }

    /// The content of the file.
    package var text: String {
        segments.reduce(into: "\(origin) \(size)\n") { $0 += $1.line }
    }

    /// The number of records in all segments.
    package var records: Int { segments.last?.last ?? 0 }

    /// The bytes of all segments whose records are retained.
    package var bytes: Int { segments.reduce(0) { $1.deleted == nil ? $0 + $1.bytes : $0 } }

    /// The tree of all segments.
    package var tree: MerkleTree {
        segments.reduce(into: MerkleTree()) { tree, segment in
            for root in segment.roots { tree.append(subtree: root, size: size) }
        }
    }

    /// Adds a segment, which begins where the last one ends.
    mutating func append(_ segment: LogSegment) { segments.append(segment) }

    /// Leaves out the segments after a number of records.
    mutating func cut(after records: Int) {
        while let last = segments.last, last.last > records { segments.removeLast() }
    }

    /// Marks a segment as deleted.
    mutating func markDeleted(at index: Int, _ time: Timestamp, by limits: LogLimits) {
        segments[index].markDeleted(time, by: limits)
    }
}
