import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDPlatform

/// Reads a user's spool and removes from it what is in the log, in a process that has no more rights than the user.
///
/// The user may have written anything there: a line that is not a record is counted, and anything but a regular file is
/// not opened for long.
struct SpoolReader {
    /// The most bytes of a spool that are read, twice as many as programs write.
    static let mostBytes = 2 * Spool.limit
    /// The most records that are taken at a time; the others wait for the next time.
    static let mostRecords = 8_192
    /// The longest wait for a program that writes the spool, in seconds.
    private static let lockSeconds = 1.0
    /// How long records are parsed, in microseconds: the process must answer before its own time is over.
    private static let parsingTime: Int64 = 3_000_000

    /// The files.
    let spool: Spool
    /// The user who must own them; `nil` under a folder, where owners are not checked.
    let owner: UInt32?

    /// Whether there is something to read, or to say.
    var isNeeded: Bool {
        if spool.root.mayExist(spool.dropPath) { return true }
        guard spool.root.mayExist(spool.path) else { return false }
        let status = try? spool.root.status(spool.path, followingLinks: false)
        return status.map { $0.kind != .regular || $0.size > 0 } ?? true
    }

    /// Reads what was not taken before.
    ///
    /// - Parameters:
    ///   - taken: what was.
    ///   - most: the most records; the others wait for the next time.
    /// - Returns: the content; if a file could not be read, it says why.
    func read(after taken: SpoolRegister.Taken, most: Int = SpoolReader.mostRecords) -> SpoolContent {
        var content = SpoolContent()
        guard spool.root.mayExist(spool.path) || spool.root.mayExist(spool.dropPath) else { return content }
        do throws(SystemError) {
            // In a home that cannot be written, no process writes the spool either.
            let lock = try writable { () throws(SystemError) in try spool.lock(waiting: SpoolReader.lockSeconds) }
            defer { withExtendedLifetime(lock) {} }
            let problem = try readRecords(after: taken, most: most, isLocked: lock != nil, into: &content)
            let other = try readOverflow(into: &content)
            content.problem = problem ?? other
        } catch {
            content.problem = SpoolReader.problem(error)
        }
        if let problem = content.problem { content.problem = String(decoding: problem.utf8.prefix(512), as: UTF8.self) }
        return content
    }

    /// The result of something that needs a home which can be written; `nil` if it cannot.
    private func writable<Result>(_ body: () throws(SystemError) -> Result) throws(SystemError) -> Result? {
        do {
            return try body()
        } catch {
            if error.isPermission { return nil }
            throw error
        }
    }

    /// The end of a sentence about a file that could not be read.
    private static func problem(_ error: SystemError) -> String { "\(error.path) could not be read: \(error.text)" }

    /// Opens one of the files.
    ///
    /// - Returns: its status; `nil` if there is none; or why it is not read.
    private func status(of path: String) throws(SystemError) -> (status: FileStatus?, problem: String?) {
        do {
            let status = try spool.root.status(path, followingLinks: false)
            let shown = spool.root.display(path)
            guard status.kind == .regular else { return (nil, "\(shown) is \(status.kind.noun), not a regular file") }
            if let owner, status.owner != owner { return (nil, "\(shown) is owned by uid \(status.owner)") }
            return (status, nil)
        } catch {
            if error.isMissing { return (nil, nil) }
            throw error
        }
    }

    /// Reads the records.
    ///
    /// - Returns: why the spool was not read; `nil` if it was, or there is none.
    private func readRecords(
        after taken: SpoolRegister.Taken, most: Int, isLocked: Bool, into content: inout SpoolContent
    ) throws(SystemError) -> String? {
        let (status, problem) = try status(of: spool.path)
        guard let status else { return problem }
        let file = try ReadFile(root: spool.root, path: spool.path)
        // Between the two calls another file may have got the name.
        guard try file.status().isSameFile(as: status) else {
            return "\(spool.root.display(spool.path)) was replaced while it was read"
        }
        let size = try file.status().size
        let bytes = try file.read(offset: 0, count: min(size, SpoolReader.mostBytes))
        let start = taken.skip(in: bytes)
        let isLonger = size > bytes.count
        let end = parse(bytes, from: start, most: most, isWhole: isLocked || isLonger, into: &content)
        if isLonger {
            (content.rest, content.surplus) = (bytes.count - end, size - bytes.count)
            // If it could not be removed the last time, it was counted then.
            if start == 0 { content.refused += 1 }
        }
        (content.length, content.digest) = (end, SHA256.hash(Array(bytes[..<end])))
        return nil
    }

    /// Parses the lines of a spool.
    ///
    /// - Parameters:
    ///   - bytes: the spool.
    ///   - start: the place of the first line.
    ///   - most: the most records.
    ///   - isWhole: whether a last line without an end counts as one that is not a record.
    ///   - content: gets the records.
    /// - Returns: the place of the first line that was not parsed.
    private func parse(
        _ bytes: [UInt8], from start: Int, most: Int, isWhole: Bool, into content: inout SpoolContent
    ) -> Int {
        let deadline = Clock.monotonicMicroseconds() + SpoolReader.parsingTime
        var place = start
        while place < bytes.count, content.records.count < min(most, SpoolReader.mostRecords),
            Clock.monotonicMicroseconds() < deadline
        {
            let end = bytes[place...].firstIndex(of: 0x0a)
            if end == nil, !isWhole { break }
            let line = bytes[place..<(end ?? bytes.count)]
            place = min(line.endIndex + 1, bytes.count)
            if line.isEmpty { continue }
            if end != nil, line.first == UInt8(ascii: "{"), let record = try? AuditRecord(line: line),
                record.isSpoolable
            {
                content.records.append(record.spoolable)
            } else {
                content.refused += 1
            }
        }
        return place
    }

    /// Reads the count of attempts that did not fit.
    ///
    /// - Returns: why the file was not read; `nil` if it was, or there is none.
    private func readOverflow(into content: inout SpoolContent) throws(SystemError) -> String? {
        let (status, problem) = try status(of: spool.dropPath)
        guard let status else { return problem }
        let (bytes, now) = try spool.root.read(spool.dropPath, limit: AuditRecord.longestLine)
        let shown = spool.root.display(spool.dropPath)
        guard now.isSameFile(as: status) else { return "\(shown) was replaced while it was read" }
        guard let record = try? AuditRecord(line: bytes.prefix { $0 != 0x0a }), record.kind == .drop,
            let count = record.count, (0...SpoolContent.largestCount).contains(count), let time = record.time
        else { return "\(shown) holds no count" }
        content.overflow = SpoolContent.Overflow(
            first: (record.first ?? time).microseconds, last: (record.last ?? time).microseconds, count: count)
        return nil
    }

    /// Removes what is in the log, and nothing that was added meanwhile.
    ///
    /// - Parameter content: what was taken.
    /// - Throws: why it stays.
    func remove(_ content: SpoolContent) throws(SystemError) {
        let lock = try spool.lock(waiting: SpoolReader.lockSeconds)
        defer { withExtendedLifetime(lock) {} }
        if content.length > 0, try status(of: spool.path).status != nil { try removeRecords(content) }
        guard let overflow = content.overflow, try status(of: spool.dropPath).status != nil else { return }
        // A count that has grown stays as it is: it is known how much of it was taken.
        var now = SpoolContent()
        if try readOverflow(into: &now) == nil, now.overflow == overflow { try spool.root.remove(spool.dropPath) }
    }

    /// Removes the first bytes of the spool.
    private func removeRecords(_ content: SpoolContent) throws(SystemError) {
        let file = try AppendFile.open(root: spool.root, path: spool.path, mode: Spool.mode)
        let size = try file.size()
        let start = content.length + content.rest + content.surplus
        // A spool that begins with anything else is not the one that was read.
        guard size >= start, try SHA256.hash(file.read(offset: 0, count: content.length)) == content.digest else {
            return
        }
        guard size > start || content.rest > 0 else {
            try file.truncate(to: 0)
            try file.sync()
            return
        }
        guard size - start <= SpoolReader.mostBytes else {
            throw SystemError.tooLarge("replace", path: spool.root.display(spool.path), limit: SpoolReader.mostBytes)
        }
        let rest = try file.read(offset: content.length, count: content.rest)
        try spool.root.replace(
            spool.path, with: rest + (try file.read(offset: start, count: size - start)), mode: Spool.mode)
    }
}
