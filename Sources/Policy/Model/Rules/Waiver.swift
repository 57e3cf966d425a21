package import Platform
package import PropertyList

/// An exception: somebody for whom a key is not forced, absent, sealed or constrained.
///
/// It lifts the key from its own file and from all files that are not `Enforced`; in an `Enforced` file, from those too.
package struct Waiver: Hashable, Sendable {
    /// For whom: every clause that was given, and inside one, any item; none is everybody whom its file applies to.
    package let clauses: Target.Clauses
    /// The domain.
    package let domain: Key
    /// The key.
    package let key: Key
    /// When it ends; `nil` is never.
    package let until: Timestamp?
    /// Why; empty where the file does not say.
    package let reason: String
    /// Who approved it; empty where the file does not say.
    package let approvedBy: String
    /// Where the waiver stands.
    package let origin: Origin

    /// Makes a waiver.
    package init(
        clauses: Target.Clauses = Target.Clauses(), domain: Key, key: Key, until: Timestamp? = nil, reason: String = "",
        approvedBy: String = "", origin: Origin
    ) {
        self.clauses = clauses
        self.domain = domain
        self.key = key
        self.until = until
        self.reason = reason
        self.approvedBy = approvedBy
        self.origin = origin
    }
}
