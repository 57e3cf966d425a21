/// A waiver that is meant for the subject, whether it is in force, and what it lifts.
package struct ResolvedWaiver: Sendable {
    /// The waiver.
    package let waiver: Waiver
    /// Whether it has ended.
    package let isExpired: Bool
    /// Whether it is unknown whether its file applies, so that it lifts nothing.
    package let isInDoubt: Bool
    /// The entries, seals and constraints that it lifts; empty for one that has ended, for one that lifts nothing, and where
    /// something keeps the key from being free.
    package let lifted: [Origin]
    /// What keeps the key from being free; `nil` for a waiver that has ended.
    package let obstacle: WaiverObstacle?

    /// Makes a resolved waiver.
    package init(
        waiver: Waiver, isExpired: Bool, isInDoubt: Bool, lifted: [Origin], obstacle: WaiverObstacle? = nil
    ) {
        self.waiver = waiver
        self.isExpired = isExpired
        self.isInDoubt = isInDoubt
        self.lifted = lifted
        self.obstacle = obstacle
    }
}
