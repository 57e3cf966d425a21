import MDAuditRecord
import MDPolicyCore

extension ManifestSecrets {
    /// Replaces what a record has of values by what is shown of sensitive ones, if its key is sensitive by now.
    ///
    /// Every reader of the log for people or other programs calls it for each record. The stored line does not change,
    /// because proofs are about its bytes.
    ///
    /// - Parameter record: the record.
    /// - Returns: whether it had something to hide.
    func hideValues(of record: inout AuditRecord) -> Bool {
        if isEmpty || record.forced == nil && record.tried == nil { return false }
        guard record.domain.map({ concern(record.key, of: $0) }) ?? true else { return false }
        let before = (record.forced, record.tried, record.note)
        record.hideValues(under: nil)
        return before != (record.forced, record.tried, record.note)
    }
}
