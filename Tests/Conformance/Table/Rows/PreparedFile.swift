/// A preference file that is there before the program starts.
package struct PreparedFile: Sendable {
    /// The domain.
    package let domain: String
    /// Whose and where it is.
    package let kind: Kind
    /// What is in it.
    package let content: Wire

    /// Whose a file is and where it counts.
    package enum Kind: String, Sendable {
        /// The user's, on every host.
        case user = "file"
        /// The user's, on this host.
        case host = "host-file"
        /// Another user's.
        case other = "other-file"
    }
}
