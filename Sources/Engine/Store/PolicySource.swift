package import Platform
package import Policy
package import PropertyList

/// Where a store's policy comes from: a machine, or a test.
package protocol PolicySource: Sendable {
    /// Reads policy as it is in force now, for the store's user.
    ///
    /// - Parameter domains: the domains that somebody uses; `nil` for all. More may be told, and cost time.
    /// - Returns: what is in force at one moment, in these domains at least.
    /// - Throws: why nothing can be told.
    func read(_ domains: Set<Key>?) throws(SessionError) -> PolicyReading
    /// The folders, under the root, whose changes may change policy.
    var folders: [String] { get }
}

/// Policy for one user, as it was read.
package struct PolicyReading: Sendable {
    /// What is in force.
    package let resultant: ResultantSet
    /// Why what is in force is unknown, as a clause; `nil` if it is known.
    package let uncertainty: String?
    /// The next moment at which time changes anything; `nil` where it never does.
    package let nextChange: Timestamp?
    /// The folders, under the root, of what policy files lead to that are links, in byte order.
    package let linkFolders: [String]

    /// Makes a reading.
    package init(
        resultant: ResultantSet, uncertainty: String? = nil, nextChange: Timestamp? = nil, linkFolders: [String] = []
    ) {
        self.resultant = resultant
        self.nextChange = nextChange
        self.uncertainty = uncertainty
        self.linkFolders = linkFolders
    }
}
