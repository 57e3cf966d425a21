/// A waiver that is meant for the subject, whether it is in force, and what it lifts.
package struct ResolvedWaiver: Sendable {
    /// The waiver.
    package let waiver: Waiver
    /// Whether it has ended.
    package let isExpired: Bool
    /// The entries, seals and constraints that it lifts; empty for one that has ended, and for one that lifts nothing.
    package let lifted: [Origin]

    /// Makes a resolved waiver.
    package init(waiver: Waiver, isExpired: Bool, lifted: [Origin]) {
        self.waiver = waiver
        self.isExpired = isExpired
        self.lifted = lifted
    }
}
