/// Where a record is made, if that is a user namespace of somebody else than root, whose ids say nothing about the user.
package struct RecordOrigin: Sendable {
    /// The host that policy was decided for.
    let host: String

    /// Makes an origin.
    package init(host: String) { self.host = host }

    /// What the note of a record ends with whose user is unknown.
    static let noPerson = "who this is outside of the user namespace is unknown"
}
