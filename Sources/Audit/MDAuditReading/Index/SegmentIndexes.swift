package import MDAuditLog
import MDAuditRecord
package import MDPlatform

/// Makes the indexes and the tallies of a log's segments, in a process that may write the log.
package struct SegmentIndexes: Sendable {
    /// The root that the log belongs to.
    private let root: Root
    /// The files of the log.
    private let files: LogFiles
    /// The user whose the files of the log are.
    private let owner: UInt32
    /// The mode of an index, that of the log's files.
    private static let mode: UInt32 = 0o640

    /// Makes a value; `nil` in a process that may not write the log, and where there is none.
    package init?(root: Root, files: LogFiles = .current) {
        let user = CurrentProcess.euid
        guard let owner = try? root.status(files.segments, followingLinks: true).owner,
            user == 0 || user == root.owner || user == owner
        else { return nil }
        (self.root, self.files, self.owner) = (root, files, owner)
    }

    /// Makes the indexes and tallies that are missing or out of date, of the newest segments first.
    ///
    /// - Parameter most: of how many segments at most, because each one takes a part of a second.
    /// - Returns: the number of segments that got one.
    package func renew(most: Int) -> Int {
        var made = 0
        guard let parts = try? LogParts(root: root, files: files) else { return 0 }
        for segment in parts.segments.reversed() where made < most {
            guard let file = try? ReadFile(root: root, path: segment.path), let before = try? file.status() else {
                continue
            }
            let hasIndex = SegmentIndex(root: root, path: segment.path, segment: file) != nil
            if hasIndex, SegmentTally.written(root: root, path: segment.path, segment: file) != nil { continue }
            var (builder, tally) = (SegmentIndexBuilder(), SegmentTallyBuilder(first: segment.first))
            let torn = try? FileLines.forEach(in: file) { bytes, place, length, offset in
                let line = bytes[place]
                let record = length < AuditRecord.longestLine ? try? AuditRecord(line: line) : nil
                builder.add(record, at: offset)
                tally.add(line, record, at: offset)
            }
            guard torn == 0, let after = try? file.status(), after == before,
                let sample = try? file.read(offset: 0, count: SegmentIndex.sampleSize)
            else { continue }
            let index = hasIndex ? nil : builder.encoded(after, sample: sample)
            let isIndexed = write(index, SegmentIndex.path(ofSegment: segment.path))
            let isTallied = write(tally.encoded(after), SegmentTally.path(ofSegment: segment.path))
            if isIndexed || isTallied { made += 1 }
        }
        return made
    }

    /// Writes a file beside a segment, if there is one; returns whether it could.
    private func write(_ bytes: [UInt8]?, _ path: String) -> Bool {
        guard let bytes else { return false }
        do throws(SystemError) {
            try CurrentThread.usingFiles(as: owner) { () throws(SystemError) in
                try root.replace(path, with: bytes, mode: SegmentIndexes.mode, durable: false)
            }
            return true
        } catch {
            // Without it the segment is read whole.
            return false
        }
    }
}
