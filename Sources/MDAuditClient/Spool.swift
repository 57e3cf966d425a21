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

    /// Appends a record, durably.
    ///
    /// - Returns: whether it fitted; if not, it is counted.
    func append(_ record: AuditRecord, waiting seconds: Double) throws(SystemError) -> Bool {
        try root.createDirectory(directory, mode: 0o700)
        let lock = try lock(waiting: seconds)
        defer { withExtendedLifetime(lock) {} }
        let file = try AppendFile(root: root, path: path, mode: Spool.mode)
        let line = record.encoded() + [0x0a]
        let size = try wholeSize(of: file)
        guard size + line.count <= Spool.limit else {
            try count(record)
            return false
        }
        try file.append(line)
        try file.sync()
        return true
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

    /// Counts a record that does not fit.
    private func count(_ record: AuditRecord) throws(SystemError) {
        let old = try LogFiles.ifPresent { () throws(SystemError) in
            try root.read(dropPath, limit: AuditRecord.longestLine).bytes
        }
        var drop = AuditRecord(
            kind: .drop, src: .spool, note: "The spool is full; so many attempts were counted and not kept.")
        drop.fillInMachine(root: root)
        drop.uid = record.uid
        let known = old.flatMap { try? AuditRecord(line: $0.prefix { $0 != 0x0a }) }
        // The user owns the file and may have written any number.
        drop.count = (known?.count ?? 0).addingReportingOverflow(record.count ?? 1).partialValue
        drop.first = known?.first ?? record.first ?? record.time
        drop.last = record.last ?? record.time
        try root.replace(dropPath, with: drop.encoded() + [0x0a], mode: Spool.mode, durable: false)
    }
}
