package import MDAuditClient
package import MDPlatform

/// Makes the indexes of a log's segments, in a process that may write the log.
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

    /// Makes the indexes that are missing or out of date, of the newest segments first.
    ///
    /// - Parameter most: how many at most, because each one takes a part of a second.
    /// - Returns: the number of indexes that were made.
    package func renew(most: Int) -> Int {
        var made = 0
        guard let parts = try? LogParts(root: root, files: files) else { return 0 }
        for segment in parts.segments.reversed() where made < most {
            guard let file = try? ReadFile(root: root, path: segment.path), let before = try? file.status(),
                SegmentIndex(root: root, path: segment.path, segment: file) == nil
            else { continue }
            var builder = SegmentIndexBuilder()
            let torn = try? FileLines.forEach(in: file) { line, length, offset in
                builder.add(length < AuditRecord.longestLine ? try? AuditRecord(line: line) : nil, at: offset)
            }
            guard torn == 0, let after = try? file.status(), after == before else { continue }
            if write(builder, ofSegment: segment.path, file) { made += 1 }
        }
        return made
    }

    /// Writes the index of a segment; returns whether it could.
    @discardableResult
    func write(_ builder: SegmentIndexBuilder, ofSegment path: String, _ segment: borrowing ReadFile) -> Bool {
        guard let status = try? segment.status(),
            let sample = try? segment.read(offset: 0, count: SegmentIndex.sampleSize),
            let bytes = builder.encoded(status, sample: sample)
        else { return false }
        do throws(SystemError) {
            try CurrentThread.usingFiles(as: owner) { () throws(SystemError) in
                try root.replace(
                    SegmentIndex.path(ofSegment: path), with: bytes, mode: SegmentIndexes.mode, durable: false)
            }
            return true
        } catch {
            // Without an index the segment is read whole.
            return false
        }
    }
}
