package import MDAuditLog

/// How much the service accepts, stores and waits; times are in microseconds.
package struct ServiceLimits: Sendable {
    /// How much is stored of each person.
    package var persons = PersonalShares.Limits()
    /// Whether the limits of a user also apply to root, although root could write the log itself.
    package var limitsRoot = false
    /// The most connections; fewer if the process may not have as many descriptors.
    package var connections = 1_024
    /// The most connections of a person.
    package var connectionsOfPerson = 32
    /// The most records of a write.
    package var batch = 256
    /// The longest wait for more records to write together.
    package var gathering: Int64 = 2_000
    /// The time within which equal attempts are one record.
    package var window: Int64 = 10_000_000
    /// The time between records of what was not stored.
    package var dropInterval: Int64 = 10_000_000
    /// The time between checkpoints.
    package var checkpointInterval: Int64 = 1_000_000
    /// The time between attempts to write a log that could not be written.
    package var retryInterval: Int64 = 500_000
    /// Whether the service reads the link of a client's program itself where it may; if not, root is asked, as for the
    /// programs of other users.
    package var readsPrograms = true
    /// The most names of domains that are held for all persons, and for one.
    package var openedDomains = (all: 4_096, ofPerson: 512)

    /// How long records are retained; `nil` for what the administrator chose.
    package var log: LogLimits?

    /// Makes the usual limits.
    package init() {}
}
