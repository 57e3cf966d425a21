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
    /// Why policy may be in force of which nothing is known, as a clause; `nil` where all of it is known.
    package let uncertainty: String?
    /// The files that cannot be used as they are.
    package let broken: [BrokenFile]
    /// Whether something that nobody has recorded stands for one of them.
    package let hasUnrecorded: Bool
    /// Whether what was recorded is not what the directories of policy show, in a user namespace: for as long as it takes
    /// root's commands to record what somebody saved, or for good.
    package let isInDoubt: Bool
    /// The next moment at which time changes anything; `nil` where it never does.
    package let nextChange: Timestamp?
    /// The folders, under the root, of what policy files lead to that are links, in byte order.
    package let linkFolders: [String]

    /// Makes a reading.
    package init(
        resultant: ResultantSet, uncertainty: String? = nil, broken: [BrokenFile] = [],
        hasUnrecorded: Bool = false, isInDoubt: Bool = false, nextChange: Timestamp? = nil,
        linkFolders: [String] = []
    ) {
        self.resultant = resultant
        self.nextChange = nextChange
        self.uncertainty = uncertainty
        self.broken = broken
        self.hasUnrecorded = hasUnrecorded
        self.isInDoubt = isInDoubt
        self.linkFolders = linkFolders
    }
}
