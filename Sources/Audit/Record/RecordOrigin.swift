/// Where a record is made, and by whom, where this process has other names and ids than the machine whose policy it obeys.
package struct RecordOrigin: Sendable {
    /// The host that policy was decided for; `nil` where nobody can tell.
    let host: String?
    /// Asks who the process is outside of its user namespace; `nil` where nobody can tell.
    let person: @Sendable () -> Person?

    /// Makes an origin.
    ///
    /// - Parameters:
    ///   - host: the host that policy was decided for; `nil` where nobody can tell.
    ///   - person: asks who the process is outside of its user namespace; called once for each record that is stored.
    package init(host: String?, person: @escaping @Sendable () -> Person?) {
        self.host = host
        self.person = person
    }

    /// Somebody outside of a user namespace.
    package struct Person: Sendable {
        /// The user's id.
        let uid: UInt32
        /// The user's name; `nil` where the user database has none, or cannot be trusted.
        let name: String?

        /// Names somebody.
        package init(uid: UInt32, name: String?) {
            (self.uid, self.name) = (uid, name)
        }
    }

    /// What stands behind the note of a record of which nobody can tell the user.
    static let noPerson = "nobody can tell who this is outside of the user namespace"
    /// What stands behind the note of a record of which nobody can tell the host.
    static let noHost = "nobody can tell the host outside of the user namespace"
}
