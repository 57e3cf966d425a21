package import MDAuditRecord
import MDPlatform
package import MDPropertyList
import Synchronization

/// An override attempt whose record is complete but for the value that was tried: made once for a key, used by each
/// attempt to set it.
///
/// The bytes of the record's line that stay the same are kept, so that an attempt encodes the value only.
package final class PreparedAttempt: Sendable {
    /// Whether values of the key are secret.
    private enum Secrecy: UInt8 {
        /// Nobody has asked yet.
        case unknown
        /// They are recorded.
        case open
        /// They are never recorded.
        case secret
    }

    /// The record without the value that was tried, and with the forced one in full.
    private let record: AuditRecord
    /// The forced value; `nil` if the key is forced to have none.
    private let forced: Value?
    /// The ``Secrecy`` as far as it is known.
    private let secrecy: Atomic<UInt8>
    /// Finds out whether values are secret; may read files.
    private let isSecretByFiles: @Sendable () -> Bool
    /// The line for values that are recorded; `nil` if they are known to be secret.
    private let openLine: AttemptLine?
    /// The line for secret values; `nil` if they are known not to be.
    private let secretLine: AttemptLine?

    /// Prepares a record.
    ///
    /// - Parameters:
    ///   - record: the record, without `forced` and `tried`.
    ///   - forced: the forced value; `nil` if the key is forced to have none.
    ///   - isSecret: whether values of the key are secret; `nil` if only files say so.
    ///   - isSecretByFiles: asked once, on another thread than the one that makes the attempt, if `isSecret` is `nil`.
    package init(
        _ record: AuditRecord, forced: Value?, isSecret: Bool?, isSecretByFiles: @escaping @Sendable () -> Bool
    ) {
        var open = record
        open.exe = ProgramPath.own
        open.forced = forced.map { ValueSummary($0) }
        var secret = open
        secret.forced = open.forced?.asSecret
        openLine = isSecret == true ? nil : AttemptLine(open)
        secretLine = isSecret == false ? nil : AttemptLine(secret)
        self.record = open
        self.forced = forced
        let known: Secrecy = isSecret.map { $0 ? .secret : .open } ?? .unknown
        secrecy = Atomic(known.rawValue)
        self.isSecretByFiles = isSecretByFiles
    }

    /// The parts of the line of an attempt; `nil` as long as it is unknown whether values are secret.
    var line: AttemptLine? {
        switch Secrecy(rawValue: secrecy.load(ordering: .relaxed)) {
        case .open: openLine
        case .secret: secretLine
        case .unknown, nil: nil
        }
    }

    /// Whether values are secret, as far as it is known.
    var isKnownSecret: Bool { secrecy.load(ordering: .relaxed) == Secrecy.secret.rawValue }

    /// Finds out whether values are secret, unless it is known; may read files.
    func findSecrecy() {
        guard secrecy.load(ordering: .relaxed) == Secrecy.unknown.rawValue else { return }
        let secrecy: Secrecy = isSecretByFiles() ? .secret : .open
        self.secrecy.store(secrecy.rawValue, ordering: .relaxed)
    }

    /// Makes the record of one attempt, or of several equal ones; may read files.
    ///
    /// - Parameters:
    ///   - attempt: the attempt.
    ///   - root: the machine, whose key digests secret values if this process may read it.
    /// - Returns: the record.
    func record(of attempt: WaitingAttempt, root: Root) -> AuditRecord {
        findSecrecy()
        var record = record
        record.tried = attempt.tried
        if isKnownSecret {
            let key = HostKey(of: root)
            record.forced = forced.map { ValueSummary(sensitive: $0, under: key) }
            record.tried = attempt.tried.asSecret.digested(under: key)
        }
        record.time = attempt.time
        (record.count, record.first, record.last) = (attempt.count, attempt.first, attempt.last)
        return record
    }
}

/// An attempt that is not stored yet, or the count of equal ones.
struct WaitingAttempt: Sendable {
    /// All but the value.
    let attempt: PreparedAttempt
    /// The value that was tried.
    let tried: ValueSummary
    /// When it was made, or counted last.
    var time: Timestamp
    /// The number of attempts, if they were counted; `nil` for one that was not.
    var count: Int?
    /// When the first of those was made.
    var first: Timestamp?
    /// When the last of those was made.
    var last: Timestamp?

    /// The number of attempts.
    var weight: Int { count ?? 1 }
}

/// The bytes of a record's line for the audit service that all attempts to set one key share.
struct AttemptLine: Sendable {
    /// From the line's begin up to the value that was tried.
    private let head: [UInt8]
    /// From there up to the count.
    private let middle: [UInt8]
    /// From there up to the line's end.
    private let tail: [UInt8]

    /// Cuts the line of a record that has no tried value, count, time and place.
    init(_ record: AuditRecord) {
        var head = record
        (head.policy, head.outcome, head.note) = (nil, nil, nil)
        var middle = AuditRecord(kind: record.kind)
        let shared = middle.encoded().count - 1
        (middle.policy, middle.outcome) = (record.policy, record.outcome)
        let tail = AuditRecord(kind: record.kind, note: record.note)
        self.head = Array(head.encoded(isForService: true).dropLast())
        self.middle = Array(middle.encoded().dropFirst(shared).dropLast())
        self.tail = Array(tail.encoded().dropFirst(shared))
    }

    /// Appends the line of an attempt without its line feed.
    ///
    /// Complexity: O(length of the line).
    ///
    /// - Parameters:
    ///   - attempt: the attempt.
    ///   - isSecret: whether the value is sensitive, which the service digests.
    ///   - bytes: what is appended to.
    func append(_ attempt: WaitingAttempt, isSecret: Bool, to bytes: inout [UInt8]) {
        var writer = JSONWriter()
        (isSecret ? attempt.tried.asSecret : attempt.tried).write(to: &writer, isForService: true)
        bytes.reserveCapacity(bytes.count + head.count + middle.count + tail.count + writer.utf8.count + 128)
        bytes += head
        bytes += #","tried":"#.utf8
        bytes += writer.utf8
        bytes += middle
        if let count = attempt.count { bytes += #","count":\#(count)"#.utf8 }
        if let first = attempt.first { bytes += #","first":"\#(first.rfc3339)""#.utf8 }
        if let last = attempt.last { bytes += #","last":"\#(last.rfc3339)""#.utf8 }
        bytes += tail
    }
}
