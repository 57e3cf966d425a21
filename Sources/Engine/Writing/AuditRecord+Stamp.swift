package import Audit
package import Platform

extension AuditRecord {
    /// Names the user whose settings are concerned; the reporter adds what the kernel says of this process.
    package mutating func stamp(with account: Account?) {
        uid = account?.uid
        user = account?.name
    }
}
