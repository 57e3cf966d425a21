package import MDPlatform

/// Comparing records that arrive again with those that are here.
extension LogMirror {
    /// The bytes that are read at a time.
    private static let piece = 1 << 18

    /// The first of some records that is another one here.
    ///
    /// Complexity: O(n) in the bytes from the first of them to the end of the copy, or to the end of its segment.
    ///
    /// - Parameters:
    ///   - first: the number of the first record.
    ///   - lines: the lines from it on; those behind the end of the copy are not compared.
    /// - Returns: its number; `nil` if none is. Records that are here only as a root are not compared.
    /// - Throws: if a file cannot be read.
    package borrowing func firstDifference(
        from first: Int, _ lines: some Collection<[UInt8]>
    ) throws(SystemError) -> Int? {
        var (number, rest) = (first, lines.prefix(max(size - first + 1, 0)))
        for segment in segments where segment.last >= number && segment.first < number + rest.count {
            let count = segment.last - number + 1
            if segment.deleted == nil, let found = try difference(in: segment, from: number, rest.prefix(count)) {
                return found
            }
            number += min(count, rest.count)
            rest = rest.dropFirst(count)
        }
        if rest.isEmpty { return nil }
        let file = try openLog()
        let bytes = try file.read(
            offset: try start(of: number, in: file), count: rest.reduce(0) { $0 + $1.count + 1 })
        var place = 0
        for line in rest {
            let end = place + line.count
            guard end < bytes.count, bytes[end] == 0x0a, bytes.has(line, line.indices, at: place) else { return number }
            place = end + 1
            number += 1
        }
        return nil
    }

    /// Cuts away the records that no checkpoint covers, which were never acknowledged; the copy has to be opened again.
    ///
    /// - Returns: whether they are gone: they stay if a segment has ended since the checkpoint, or was about to be committed.
    /// - Throws: if a file cannot be read or cut.
    package borrowing func forgetUncommitted() throws(SystemError) -> Bool {
        let history = try ReadFile(root: writer.root, path: LogFiles.current.history)
        let ends = try CheckpointHistoryEnds(size: try history.status().size) { offset, count throws(SystemError) in
            try history.read(offset: offset, count: count)
        }
        guard checkpoint.size + 1 >= firstAfterSegments, ends.last?.size ?? 0 <= checkpoint.size else { return false }
        try writer.file.truncate(to: try start(of: checkpoint.size + 1, in: try openLog()))
        return true
    }

    /// The first of some records of a full segment that is another one here.
    private borrowing func difference(
        in segment: LogSegment, from first: Int, _ lines: some Collection<[UInt8]>
    ) throws(SystemError) -> Int? {
        var (number, rest, found) = (segment.first, lines[...], Int?.none)
        try openSegment(segment).forEachLine { line in
            if number >= first, found == nil, let wanted = rest.popFirst(), !line.bytes.elementsEqual(wanted) {
                found = number
            }
            number += 1
        }
        return found
    }

    /// Where a record begins in the file of the records after all segments: it is looked for from the end, where those that
    /// arrive again are.
    private borrowing func start(of number: Int, in file: borrowing ReadFile) throws(SystemError) -> Int {
        if number == firstAfterSegments { return 0 }
        // The line feed before a record is the first of one more than the records from it on.
        var (missing, end) = (size - number + 2, try file.status().size)
        while end > 0 {
            let begin = max(end - LogMirror.piece, 0)
            let bytes = try file.read(offset: begin, count: end - begin)
            for place in bytes.indices.reversed() where bytes[place] == 0x0a {
                missing -= 1
                if missing == 0 { return begin + place + 1 }
            }
            end = begin
        }
        return 0
    }
}
