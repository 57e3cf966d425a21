import MDPolicyCore
import Synchronization

/// What a process has seen of a machine's policy: what was in force ends only by a record.
///
/// A restore or the switch of an image moves `/etc/managed-defaults` and `/var/lib/managed-defaults` away together; then
/// the machine looks like one that never had policy. A process that has seen policy takes that for a failure to read it,
/// so what it knows stays in force. One word, so that a child that fork(2) made can read what its parent has seen.
final class PolicyMemory: Sendable {
    /// What policy came from when it was last known.
    private enum Source: UInt8 {
        /// There was none.
        case nothing
        /// Files that no record names.
        case files
        /// A record that names files.
        case record
    }

    /// The source.
    private let source = Atomic<UInt8>(Source.nothing.rawValue)

    /// Compares a reading with what was seen before, and remembers it.
    ///
    /// - Parameters:
    ///   - knowledge: what the reading knows.
    ///   - record: what the record names.
    ///   - hasFiles: whether a policy file is in force.
    ///   - isManaged: whether the machine can have policy.
    /// - Returns: what is known in view of what was seen before.
    func review(
        _ knowledge: PolicyKnowledge, record: RecordedFiles, hasFiles: Bool, isManaged: Bool
    ) -> PolicyKnowledge {
        let before = Source(rawValue: source.load(ordering: .relaxed)) ?? .nothing
        guard knowledge.isDecisive else {
            // What could not be read is not known to be nothing.
            if before == .nothing { source.store(Source.files.rawValue, ordering: .relaxed) }
            return knowledge
        }
        if record == .missing {
            if before == .record { return .unknown(because: "the record of policy is gone") }
            if before == .files, !isManaged { return .unknown(because: "the folders of policy are gone") }
        }
        let now: Source = record == .some ? .record : hasFiles ? .files : .nothing
        source.store(now.rawValue, ordering: .relaxed)
        return knowledge
    }
}
