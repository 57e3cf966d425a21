package import Platform
package import PropertyList

/// One line of the tamper-evident log; the fields have the names and the order that they have in the line.
package struct AuditRecord: Hashable, Sendable {
    /// The version of the format that is written and read.
    package static let formatVersion = 1

    /// The version of the format.
    package var v = AuditRecord.formatVersion
    /// The place in the log, counted from 1; 0 for a record that no log has stored.
    package var seq = 0
    /// When it was recorded.
    package var time: Timestamp?
    /// The kernel's identifier of the boot.
    package var boot: String?
    /// Microseconds since the boot, which no change of the clock moves.
    package var mono: Int?
    /// What the record is about.
    package var kind: RecordKind
    /// Who vouches for it.
    package var src: RecordSource?
    /// The name of the host.
    package var host: String?
    /// The user who did it.
    package var uid: UInt32?
    /// The name of that user.
    package var user: String?
    /// The user who logged in, whatever became of the process since.
    package var auid: UInt32?
    /// The kernel's number of the login session.
    package var session: UInt32?
    /// The process.
    package var pid: Int32?
    /// When the process began, in clock ticks since the boot (field 22 of `/proc/PID/stat`).
    package var start: UInt64?
    /// The program that the process runs.
    package var exe: String?
    /// The service unit of the process.
    package var unit: String?
    /// The way that was tried.
    package var via: WriteVia?
    /// The domain of the key.
    package var domain: Key?
    /// The forced key.
    package var key: Key?
    /// The forced value; `nil` where the key is forced to be absent.
    package var forced: ValueSummary?
    /// The value that was tried; `nil` for a removal.
    package var tried: ValueSummary?
    /// The policy that forces the key, or that changed.
    package var policy: PolicyReference?
    /// What became of the attempt.
    package var outcome: AttemptOutcome?
    /// How many equal attempts, or lost records, this record stands for; `nil` for one.
    package var count: Int?
    /// When the first of several equal attempts was made.
    package var first: Timestamp?
    /// When the last of several equal attempts was made.
    package var last: Timestamp?
    /// A sentence for people.
    package var note: String?
    /// Fields of a later version, in the order of the line.
    package var extra: [ExtraField] = []

    /// Makes a record; all other fields are set one by one, or filled in when it is stored.
    package init(kind: RecordKind, src: RecordSource? = nil, note: String? = nil) {
        self.kind = kind
        self.src = src
        self.note = note
    }
}
