package import MDAuditLog
package import MDAuditRecord
package import MDPlatform
package import MDPolicyCore

/// Gets each whole line of a log while something else reads the files.
package protocol LogLineReader: AnyObject {
    /// Begins before the first line; what was read before does not count, because the files are read again.
    func begin()
    /// Takes a line.
    ///
    /// - Returns: its number, if it is known to be a record that declares nothing missing or mended; else 0.
    func take(_ line: LogLine) -> Int
    /// Takes the tally of a segment in the place of its lines.
    ///
    /// - Parameter tally: the tally of the segment.
    /// - Returns: whether the tally is taken; otherwise each line is wanted. If it is, only the lines that it does not
    ///   count are wanted.
    func take(_ tally: SegmentTally) -> Bool
    /// Ends the pass after the last line; no existing line was left out.
    func finish()
}

/// Gets the records of a log, oldest first.
package protocol LogReader {
    /// Takes an attempt in the form in which this program writes it.
    ///
    /// - Parameters:
    ///   - attempt: the attempt.
    ///   - bytes: the bytes that it is a part of.
    /// - Returns: whether the whole record is wanted as well.
    mutating func take(_ attempt: StoredAttempt, in bytes: [UInt8]) -> Bool
    /// Takes the tally of a segment in the place of its attempts.
    ///
    /// - Parameter tally: the tally of the segment.
    /// - Returns: whether the tally is taken; otherwise each attempt is wanted.
    mutating func take(_ tally: SegmentTally) -> Bool
    /// Takes a record.
    ///
    /// - Parameters:
    ///   - record: the record.
    ///   - isCounted: whether it is an attempt that was taken before.
    mutating func take(_ record: AuditRecord, isCounted: Bool)
}

/// Reads all records of a log once, and parses only those that need it.
///
/// Lines that are not records are passed over: verifying the log says what they are. Nothing is allocated for an
/// attempt in the form in which this program writes it.
package final class LogPass<Reader: LogReader>: LogLineReader {
    /// What gets the records.
    package private(set) var reader: Reader
    /// Whether all records were read.
    package private(set) var isFinished = false
    /// What gets the records, before the first one.
    private let beginning: Reader
    /// The keys whose values are hidden.
    private let secrets: ManifestSecrets
    /// Whether every line is parsed, which only tests want.
    private let isParsing: Bool
    /// Reads the times of attempts.
    private var times = PlainTimes()

    /// Makes a pass.
    ///
    /// - Parameters:
    ///   - reader: what gets the records.
    ///   - secrets: the keys whose values are hidden.
    ///   - isParsing: whether every line is parsed.
    package init(_ reader: Reader, hiding secrets: ManifestSecrets, isParsing: Bool = false) {
        (self.reader, beginning, self.secrets, self.isParsing) = (reader, reader, secrets, isParsing)
    }

    package func begin() { (reader, isFinished) = (beginning, false) }

    package func finish() { isFinished = true }

    package func take(_ line: LogLine) -> Int {
        guard !isParsing, let attempt = StoredAttempt(line.text, line.place, &times) else {
            parse(line, isCounted: false)
            return 0
        }
        if reader.take(attempt, in: line.text) { parse(line, isCounted: true) }
        return attempt.seq
    }

    package func take(_ tally: SegmentTally) -> Bool { !isParsing && reader.take(tally) }

    /// Parses a line, if it is a record.
    private func parse(_ line: LogLine, isCounted: Bool) {
        guard !line.isTooLong, var record = try? AuditRecord(line: line.bytes) else { return }
        _ = secrets.hideValues(of: &record)
        reader.take(record, isCounted: isCounted)
    }

    /// Reads the log of a root, which is not checked; one that does not exist is empty.
    ///
    /// - Throws: if the log exists and cannot be read.
    package func read(_ root: Root) throws(AuditError) {
        begin()
        do throws(SystemError) {
            let files = LogFiles.current
            let log = try LogFiles.ifPresent { () throws(SystemError) in try ReadFile(root: root, path: files.log) }
            let parts = try LogParts(root: root, files: files)
            for segment in parts.segments(before: try log?.status(), in: root) {
                let file = try LogFiles.ifPresent { () throws(SystemError) in
                    try ReadFile(root: root, path: segment.path)
                }
                // One that was just deleted is not missed.
                if let file { try file.forEachLine { _ = take($0) } }
            }
            if let log { try log.forEachLine { _ = take($0) } }
        } catch {
            throw .system(error)
        }
        finish()
    }
}
