package import Audit
package import Policy
package import Preferences

/// What became of an edit of a domain.
package struct DomainEditResult: Sendable {
    /// The forced entries that stood against the edit; where there are any, nothing was changed.
    package var refused: [ResolvedEntry] = []
    /// The forced entries under which a value is stored now, without effect.
    package var shadowed: [ResolvedEntry] = []
    /// The forced entries whose keys were removed beneath, without effect.
    package var hidden: [ResolvedEntry] = []
    /// The damaged files that were set aside.
    package var damaged: [DamagedFile] = []
    /// What became of each audit record.
    package var deliveries: [Delivery] = []

    /// Makes the result of an edit that did nothing yet.
    package init() {}
}
