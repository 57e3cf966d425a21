package import MDAuditRecord
import MDPlatform
package import MDPropertyList
import Synchronization

/// An attempt whose record is complete but for the value that was tried: made once for a forced key, used by each attempt
/// to set it; or made of the record of one attempt.
///
/// For a forced key the bytes of the record's line that stay the same are kept, so that an attempt encodes the value only.
package final class PreparedAttempt: Sendable {
    /// Whether values of the key are secret.
    private enum Secrecy: UInt8 {
        /// They were not asked for yet.
        case unknown
        /// They are recorded.
        case open
        /// They are never recorded.
        case secret
    }

    /// The record without the value that was tried, and with the forced one in full.
    private let record: AuditRecord
    /// What makes two attempts equal, but for the value.
    let identity: AttemptIdentity
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
        identity = AttemptIdentity(open, of: 0)
        self.forced = forced
        let known: Secrecy = isSecret.map { $0 ? .secret : .open } ?? .unknown
        secrecy = Atomic(known.rawValue)
        self.isSecretByFiles = isSecretByFiles
    }

    /// Takes the members of one attempt's record beside the value, which has no secret any more.
    fileprivate init(of record: AuditRecord) {
        var record = record
        record.tried = nil
        self.record = record
        identity = AttemptIdentity(record, of: 0)
        forced = nil
        secrecy = Atomic(Secrecy.open.rawValue)
        isSecretByFiles = { false }
        (openLine, secretLine) = (nil, nil)
    }

    /// The parts of the line of an attempt; `nil` as long as it is unknown whether values are secret.
    var line: AttemptLine? {
        switch Secrecy(rawValue: secrecy.load(ordering: .relaxed)) {
        case .open: openLine ?? AttemptLine(record.asClaim)
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
            let key = HostKey.readOrMake(of: root)
            record.forced = forced.map { ValueSummary(sensitive: $0, under: key) }
            record.tried = attempt.tried?.asSecret.digested(under: key)
        }
        record.time = attempt.time
        (record.count, record.first, record.last) = (attempt.count, attempt.first, attempt.last)
        return record
    }
}

/// An attempt that is not stored yet, or the count of equal ones.
struct WaitingAttempt: Sendable {
    /// All but the value.
    var attempt: PreparedAttempt
    /// The value that was tried; `nil` for a removal.
    let tried: ValueSummary?
    /// When it was made, or counted last.
    var time: Timestamp
    /// The number of attempts, if they were counted; `nil` for one that was not.
    var count: Int?
    /// When the first of those was made.
    var first: Timestamp?
    /// When the last of those was made.
    var last: Timestamp?

    /// The number of attempts.
    var weight: Int { max(count ?? 1, 1) }
}

extension WaitingAttempt {
    /// Makes an attempt of its record.
    init(_ record: AuditRecord, at time: Timestamp) {
        self.init(
            attempt: PreparedAttempt(of: record), tried: record.tried, time: time, count: record.count,
            first: record.first, last: record.last)
    }
}

/// The bytes of a record's line for the audit service that all attempts to set one key share.
struct AttemptLine: Sendable {
    /// From the line's begin up to the value that was tried.
    private let head: [UInt8]
    /// From there up to the count.
    private let middle: [UInt8]
    /// From there up to the line's end.
    private let tail: [UInt8]

    /// Cuts the line of a record.
    init(_ record: AuditRecord) {
        head = [UInt8(ascii: "{")] + record.encoded(from: .v, to: .forced, isForService: true).dropFirst()
        middle = record.encoded(from: .policy, to: .outcome)
        tail = record.encoded(from: .note, to: .note) + [UInt8(ascii: "}")]
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
        bytes.reserveCapacity(bytes.count + head.count + middle.count + tail.count + 256)
        bytes += head
        if let tried = attempt.tried {
            var writer = JSONWriter()
            (isSecret ? tried.asSecret : tried).write(to: &writer, isForService: true)
            bytes += AttemptLine.tried
            bytes += writer.utf8
        }
        bytes += middle
        if attempt.count != nil {
            var counts = AuditRecord(kind: .override)
            (counts.count, counts.first, counts.last) = (attempt.count, attempt.first, attempt.last)
            bytes += counts.encoded(from: .count, to: .last)
        }
        bytes += tail
    }

    /// The bytes before the value.
    private static let tried = RecordMember.tried.bytes
}
