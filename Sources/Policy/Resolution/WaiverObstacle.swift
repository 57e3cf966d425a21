/// What keeps a key from being free although a waiver is in force: an `Enforced` file, from which the waiver's own file,
/// which is not, cannot lift anything.
package struct WaiverObstacle: Hashable, Sendable {
    /// What the file does to the key.
    package enum Kind: Hashable, Sendable {
        /// It gives the key a value, or none.
        case forces
        /// It seals the domain of the key.
        case seals
        /// It limits what the user may choose.
        case constrains
    }

    /// What the file does.
    package let kind: Kind
    /// Where it says so.
    package let origin: Origin

    /// What the file does in spite of the waiver, as a clause that goes on with the file.
    package var clause: String {
        switch kind {
        case .forces: "which is Enforced, still forces the key"
        case .seals: "which is Enforced, still seals the domain"
        case .constrains: "which is Enforced, still limits the key"
        }
    }
}
