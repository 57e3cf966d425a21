/// Why nothing can be stored at present, though a later write may succeed.
package enum WriteObstacle: Sendable, Hashable {
    /// Policy is unknown, so it is unknown whether the key is forced.
    case unknownPolicy
    /// An exclusive update is under way, and this one is inside of it.
    case nestedUpdate
    /// The caller has no account.
    case noAccount
    /// The preference file cannot be read, locked or replaced.
    case file
}
