import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDEngine
import MDPlatform
import MDPolicyModel
import MDPolicyStore
import MDTools

/// What was taken of users' spools into the log, so that nothing is taken twice if it could not be removed there.
///
/// A file that only root writes and reads.
struct SpoolRegister: Hashable, Sendable {
    /// A spool: the user, and the directory of the files, which another home of the same user has elsewhere.
    struct Owner: Hashable, Sendable {
        /// The user's number.
        let uid: UInt32
        /// The directory.
        let directory: String
    }

    /// What was taken of a spool.
    struct Taken: Hashable, Sendable {
        /// The number of bytes at the beginning of the spool.
        var length = 0
        /// The digest of those bytes.
        var digest = SHA256.hash([])
        /// The count of attempts that did not fit, as far as it was taken; `nil` if none was.
        var overflow: SpoolContent.Overflow?

        /// When records were to be added to the log, if it is unknown whether they were; `nil` if it is known.
        var pending: Timestamp?

        /// Makes an entry of nothing.
        init() {}

        /// The number of bytes to pass over in a spool that begins with these bytes: 0 if it is another one.
        func skip(in bytes: [UInt8]) -> Int {
            guard length > 0, length <= bytes.count, SHA256.hash(Array(bytes[..<length])) == digest else { return 0 }
            return length
        }

        /// The number of attempts in a count that were not taken yet.
        func rest(of now: SpoolContent.Overflow) -> Int {
            guard let overflow, overflow.first == now.first else { return now.count }
            return max(now.count - overflow.count, 0)
        }
    }

    /// The file.
    static let path = "\(StorePath.home)/spools.register"
    /// The lock of the process that takes spools.
    static let lock = "\(StorePath.home)/spools.register.lock"
    /// The first line; the number at its end grows with every change of the format.
    private static let header = "managed-defaults spools register 2"
    /// The most bytes that are read.
    private static let sizeLimit = 16 << 20

    /// What was taken, by spool.
    var taken: [Owner: Taken] = [:]

    /// Makes an empty register.
    init() {}

    /// Reads the register of a machine; an empty one if there is none.
    ///
    /// - Throws: why it cannot be read, is not trusted or is damaged, as a clause.
    init(root: Root) throws(StoredFileError) {
        guard let bytes = try root.register(at: SpoolRegister.path, limit: SpoolRegister.sizeLimit) else {
            self.init()
            return
        }
        try self.init(decoding: bytes)
    }

    /// Reads a file.
    ///
    /// - Throws: what is wrong with it, as a clause.
    init(decoding bytes: [UInt8]) throws(StoredFileError) {
        var taken: [Owner: Taken] = [:]
        try ChecksummedLines.read(bytes, headers: [SpoolRegister.header, "managed-defaults spools register 1"]) {
            line in
            var fields = line.fields
            // An earlier version counted the bytes of a day here, which now are in the shares beside the log.
            if fields.count == 11 { fields.removeSubrange(5...6) }
            guard fields.count == 9, fields[0] == "spool", let uid = UInt32(fields[1]),
                let directory = ChecksummedLines.unescape(fields[2]), let length = Int(fields[3]), length >= 0,
                let digest = Digest(hex: fields[4])
            else { return false }
            var item = Taken()
            (item.length, item.digest) = (length, digest)
            item.pending = Int64(fields[8]).map(Timestamp.init(microseconds:))
            if item.pending == nil, fields[8] != "-" { return false }
            if let first = Int64(fields[5]), let last = Int64(fields[6]), let count = Int(fields[7]), count >= 0 {
                item.overflow = SpoolContent.Overflow(first: first, last: last, count: count)
            } else if fields[5...7] != ["-", "-", "-"] {
                return false
            }
            return taken.updateValue(item, forKey: Owner(uid: uid, directory: directory)) == nil
        }
        self.taken = taken
    }

    /// Writes the register, durably.
    func write(root: Root) throws(SystemError) {
        try root.replace(SpoolRegister.path, with: encoded, mode: 0o600)
    }

    /// The register as a file.
    var encoded: [UInt8] {
        var lines = ChecksummedLines(header: SpoolRegister.header)
        for (owner, item) in taken.sorted(by: { ($0.key.uid, $0.key.directory) < ($1.key.uid, $1.key.directory) }) {
            let overflow = item.overflow.map { ["\($0.first)", "\($0.last)", "\($0.count)"] } ?? ["-", "-", "-"]
            lines.add(
                [
                    "spool", "\(owner.uid)", ChecksummedLines.escape(owner.directory), "\(item.length)",
                    item.digest.hex,
                ] + overflow + [item.pending.map { "\($0.microseconds)" } ?? "-"])
        }
        return lines.sealed
    }
}

/// What of users' spools is in the log although the register does not know it, because the process that took it ended
/// before it could write the register.
struct StoredSpools {
    /// A count in the log.
    private struct Count: Hashable {
        /// The user.
        let uid: UInt32?
        /// What was counted.
        let note: String?
    }

    /// The records that were added since something was pending, without their places and times.
    private var records: Set<AuditRecord> = []
    /// What the log has in place of people; `nil` if it names them.
    private var pseudonyms: Pseudonyms?
    /// The counts that were added since something was pending.
    private var counts: [Count: Int] = [:]

    /// Reads the log, unless nothing is pending.
    init(of register: SpoolRegister, in log: AuditLog) throws(AuditError) {
        var pending: [UInt32: Timestamp] = [:]
        for (owner, taken) in register.taken {
            if let time = taken.pending { pending[owner.uid] = min(time, pending[owner.uid] ?? time) }
        }
        guard !pending.isEmpty else { return }
        pseudonyms = Pseudonyms.current(of: log.root)
        var aliases: [String: UInt32] = [:]
        for uid in pending.keys {
            if let alias = pseudonyms?.person(uid: uid) { aliases[alias] = uid }
        }
        try log.forEachRecord { record in
            guard record.src == .spool, let uid = record.uid ?? record.user.flatMap({ aliases[$0] }),
                let time = pending[uid], record.time.map({ $0 >= time }) ?? false
            else { return }
            if record.kind != .drop {
                records.insert(StoredSpools.plain(record))
            } else {
                let count = Count(uid: uid, note: record.note)
                counts[count] = counts[count, default: 0].addingReportingOverflow(record.count ?? 0).partialValue
            }
        }
    }

    /// A record without its place, and without the time when it was taken.
    private static func plain(_ record: AuditRecord) -> AuditRecord {
        var record = record
        (record.seq, record.time) = (0, nil)
        return record
    }

    /// The records, and what of the counts, is not in the log.
    func rest(of batch: [AuditRecord]) -> [AuditRecord] {
        if records.isEmpty, counts.isEmpty { return batch }
        return batch.compactMap { record in
            if record.kind == .drop {
                var record = record
                let rest = (record.count ?? 0) - max(counts[Count(uid: record.uid, note: record.note)] ?? 0, 0)
                record.count = rest
                return rest > 0 ? record : nil
            }
            // The log has long texts cut.
            var asStored = record
            pseudonyms?.apply(to: &asStored)
            let stored = (try? AuditRecord(line: asStored.encoded())) ?? asStored
            return records.contains(StoredSpools.plain(stored)) ? nil : record
        }
    }
}
