package import Platform

/// Whom a policy file applies to, and when.
package struct Target: Hashable, Sendable {
    /// The four kinds of clause that name somebody or something; `nil` is a clause that was not given.
    package struct Clauses: Hashable, Sendable {
        /// User names.
        package let users: [TargetName]?
        /// Group names.
        package let groups: [TargetName]?
        /// Patterns of host names.
        package let hosts: [HostPattern]?
        /// Words of the machine's tags file.
        package let tags: [TargetName]?

        /// Makes clauses.
        package init(
            users: [TargetName]? = nil, groups: [TargetName]? = nil, hosts: [HostPattern]? = nil,
            tags: [TargetName]? = nil
        ) {
            self.users = users
            self.groups = groups
            self.hosts = hosts
            self.tags = tags
        }

        /// Whether no clause was given.
        package var isEmpty: Bool { users == nil && groups == nil && hosts == nil && tags == nil }
    }

    /// What must match: every clause that was given, and inside one, any item.
    package let include: Clauses
    /// What takes out whoever any of its clauses matches.
    package let except: Clauses
    /// The weekly windows, of which one must be open; `nil` is always.
    package let schedule: [ScheduleItem]?
    /// The first moment at which the file applies, where given.
    package let notBefore: Timestamp?
    /// The first moment at which the file does not apply any more, where given.
    package let notAfter: Timestamp?

    /// Makes a target.
    package init(
        include: Clauses, except: Clauses = Clauses(), schedule: [ScheduleItem]? = nil, notBefore: Timestamp? = nil,
        notAfter: Timestamp? = nil
    ) {
        self.include = include
        self.except = except
        self.schedule = schedule
        self.notBefore = notBefore
        self.notAfter = notAfter
    }
}
