package import MDAuditRecord
import MDPlatform
import MDPropertyList

/// Why a log that could be continued is set aside, and another begun.
package enum LogSuccession: String, CaseIterable, Sendable {
    /// It belongs to another machine, whose disk was copied.
    case copied = "belongs to another machine, as a copied disk has it"
    /// Its collector has records that it lacks, or others: the disk was set back to an earlier state.
    case setBack = "was set back to an earlier state, as its collector shows"
    /// The disk is set back at each boot, as the administrator says.
    case resetAtBoot = "is set back at each boot of this machine"

    /// Why the log is not continued, as the end of a sentence.
    var reason: String { "it \(rawValue)" }
}

/// The first record of a log that was begun in place of another one: it names that log, and its last number there.
package struct LogAnnouncement: Hashable, Sendable {
    /// Why it was begun.
    package let succession: LogSuccession
    /// The id of the log that was there.
    package let log: String
    /// The number of that log's last record.
    package let last: Int

    package init(_ succession: LogSuccession, of log: String, last: Int) {
        (self.succession, self.log, self.last) = (succession, log, last)
    }

    /// Parses the first line of a log; `nil` if it is no such record.
    package init?(line: [UInt8]) {
        guard let record = try? AuditRecord(line: line[...]), record.kind == .recover, record.seq == 1,
            let note = record.note
        else { return nil }
        self.init(note: note)
    }

    /// Parses a note; `nil` if ``note`` did not make it.
    init?(note: String) {
        for succession in LogSuccession.allCases {
            let front = LogAnnouncement.front(succession)
            guard note.utf8.starts(with: front.utf8) else { continue }
            let words = note.dropFirst(front.count).split(separator: " ")
            guard let log = words.first?.dropLast(), let number = words.last?.dropLast(), let last = Int(number)
            else { return nil }
            self.init(succession, of: String(log), last: last)
            if self.note.utf8.elementsEqual(note.utf8) { return }
            return nil
        }
        return nil
    }

    /// The beginning of the note.
    private static func front(_ succession: LogSuccession) -> String {
        "This log was begun because the one that was here \(succession.rawValue): the log "
    }

    /// The note of the record.
    var note: String { "\(LogAnnouncement.front(succession))\(log), whose last record here is \(last)." }
}

extension AuditLog {
    /// Sets the log aside, and begins another with a record that says so and the records of this boot.
    ///
    /// - Parameters:
    ///   - succession: why.
    ///   - log: the log that the new one follows for its collector; of another than the one that is here, nothing is here.
    /// - Returns: the alarm, if it is one.
    /// - Throws: `busy` while another process writes the log; `system` if a file cannot be read or written.
    package func beginAgain(_ succession: LogSuccession, after log: String) throws(AuditError) -> AppendResult {
        try storing(waiting: 5, succeeding: LogAnnouncement(succession, of: log, last: 0)) {
            (writer: inout LogWriter) throws(SystemError) in
            try writer.append(LogEntries())
        }
    }
}

extension LogWriter {
    /// The most bytes at the end of a log that is set aside in which records of this boot are looked for.
    private static let mostCarried = 4 << 20

    /// The fields after the number of the last records of the log that were written since this boot.
    ///
    /// Where a log that was set back parted from its earlier self is unknown, but what was written since the boot is new.
    static func fieldsOfThisBoot(_ root: Root) throws(SystemError) -> [ArraySlice<UInt8>] {
        guard let boot = Machine.bootID(root: root) else { return [] }
        let tail = try LogFiles.ifPresent { () throws(SystemError) in
            let file = try ReadFile(root: root, path: LogFiles.current.log)
            let size = try file.status().size
            return try file.read(offset: max(size - mostCarried, 0), count: mostCarried)
        }
        let lines = (tail ?? []).split(separator: 0x0a).reversed().prefix { line in
            (try? AuditRecord(line: line))?.boot == boot
        }
        return lines.reversed().compactMap { line in
            guard line.starts(with: AuditRecord.lineHead) else { return nil }
            let rest = line.dropFirst(AuditRecord.lineHead.count).drop { (0x30...0x39).contains($0) }
            return rest.first == UInt8(ascii: ",") ? rest.dropFirst() : nil
        }
    }
}
