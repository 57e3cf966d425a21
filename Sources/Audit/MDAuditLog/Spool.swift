package import MDAuditRecord
package import MDPlatform

/// The file in a user's home for records of processes that may not write the log.
///
/// Its size is bounded. Records that do not fit are counted, in the one line of a second file.
package struct Spool: Sendable {
    /// The most bytes of the spool; about four thousand attempts.
    package static let limit = 1 << 20
    /// The mode of both files.
    package static let mode: UInt32 = 0o600

    /// The root that the files are under.
    package let root: Root
    /// The directory of both files.
    package let directory: String

    /// Names the files in a directory.
    package init(root: Root, directory: String) { (self.root, self.directory) = (root, directory) }

    /// The records, one a line, without `seq`.
    package var path: String { "\(directory)/spool.jsonl" }
    /// One record of kind `drop` with the number of those that did not fit.
    package var dropPath: String { "\(directory)/spool-dropped.jsonl" }

    /// Waits until no other process writes the files; their lock is made if it is missing.
    package func lock(waiting seconds: Double) throws(SystemError) -> FileLock {
        try root.lock("\(directory)/spool.lock", mode: Spool.mode, seconds: seconds)
    }

    /// Appends records, durably.
    ///
    /// - Returns: of each whether it fitted; if not, it is counted.
    package func append(_ records: [AuditRecord], waiting seconds: Double) throws(SystemError) -> [Bool] {
        try root.createDirectory(directory, mode: 0o700)
        let lock = try lock(waiting: seconds)
        defer { withExtendedLifetime(lock) {} }
        let file = try AppendFile.open(root: root, path: path, mode: Spool.mode)
        var room = Spool.limit - (try wholeSize(of: file))
        var lines: [UInt8] = []
        var excess: [AuditRecord] = []
        let fits = records.map { record in
            let line = record.encoded() + [0x0a]
            let fits = line.count <= room
            if fits {
                lines += line
                room -= line.count
            } else {
                excess.append(record)
            }
            return fits
        }
        if !excess.isEmpty { try count(excess) }
        if !lines.isEmpty {
            try file.append(lines)
            try file.sync()
        }
        return fits
    }

    /// Cuts a torn line away.
    ///
    /// - Returns: the size that remains.
    private func wholeSize(of file: borrowing AppendFile) throws(SystemError) -> Int {
        let size = try file.size()
        guard size > 0 else { return 0 }
        let start = max(0, size - AuditRecord.longestLine)
        let tail = try file.read(offset: start, count: size - start)
        guard tail.last != 0x0a else { return size }
        let whole = tail.lastIndex(of: 0x0a).map { start + $0 + 1 } ?? start
        try file.truncate(to: whole)
        return whole
    }

    /// Counts records that do not fit.
    private func count(_ records: [AuditRecord]) throws(SystemError) {
        let old = try LogFiles.ifPresent { () throws(SystemError) in
            try root.read(dropPath, limit: AuditRecord.longestLine).bytes
        }
        var drop = AuditRecord(
            kind: .drop, src: .spool, note: "The spool is full; so many attempts were counted and not kept.")
        drop.fillInMachine(root: root)
        drop.uid = records.first?.uid
        let known = old.flatMap { try? AuditRecord(line: $0.prefix { $0 != 0x0a }) }
        // The user owns the file and may have written any number.
        drop.count = records.reduce(known?.count ?? 0) { $0.addingReportingOverflow($1.count ?? 1).partialValue }
        drop.first = known?.first ?? records.first?.first ?? records.first?.time
        drop.last = records.last?.last ?? records.last?.time
        try root.replace(dropPath, with: drop.encoded() + [0x0a], mode: Spool.mode, durable: false)
    }
}
