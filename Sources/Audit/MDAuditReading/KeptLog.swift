package import MDPlatform

/// The knowledge that a machine has of its log besides the log: the checkpoint that root keeps, and the policy record,
/// which is never written before a record of it is in the log.
package struct KeptLog {
    /// The policy record.
    private static let policyRecord = "/var/lib/managed-defaults/policy.record"

    /// The checkpoints that the log must continue.
    package let checkpoints: [HeldCheckpoint]
    /// What shows that the log once existed, as a clause; `nil` if nothing does.
    package let witness: String?
    /// Why the kept checkpoint could not be compared, as a sentence; `nil` if it could, and if there is none.
    package let problem: String?

    /// The file by which root says that the log was cleared for an image, until the first checkpoint is kept.
    package static let imageMark = "/var/lib/managed-defaults/image"

    /// Whether a log must exist: policy was recorded, which is in the log first, and the log was not cleared for an image.
    package static func mustExist(_ root: Root) -> Bool {
        root.mayExist(policyRecord) && (try? root.status(imageMark, followingLinks: false)) == nil
    }

    /// Reads what is kept.
    package init(_ root: Root) {
        do {
            checkpoints = try KeptCheckpoint.read(root).map { [$0] } ?? []
            problem = nil
        } catch {
            checkpoints = []
            problem = "The checkpoint that root keeps could not be compared: \(error)."
        }
        witness = KeptLog.mustExist(root) ? "policy was recorded, and that is recorded in the log first" : nil
    }
}
