package import Audit
package import Policy
package import Preferences
package import PropertyList

/// What became of an edit of a domain.
package struct DomainEditResult: Sendable {
    /// A value outside of a constraint.
    package struct Excess: Sendable {
        /// The constraint.
        package let constraint: ResolvedConstraint
        /// The value that was tried.
        package let tried: Value
        /// The value that was stored in its place; `nil` where nothing was.
        package let kept: Value?
    }

    /// The forced entries that stood against the edit; where there are any, nothing was changed.
    package var refused: [ResolvedEntry] = []
    /// The values outside of constraints; where one is without a value that was kept, nothing was changed.
    package var excesses: [Excess] = []
    /// The forced entries under which a value is stored now, without effect.
    package var shadowed: [ResolvedEntry] = []
    /// The forced entries whose keys were removed beneath, without effect.
    package var hidden: [ResolvedEntry] = []
    /// A sentence for each thing that went wrong beside the edit.
    package var problems: [String] = []
    /// The damaged files that were set aside.
    package var damaged: [DamagedFile] = []
    /// What became of each audit record.
    package var deliveries: [Delivery] = []

    /// Makes the result of an edit that did nothing yet.
    package init() {}
}
