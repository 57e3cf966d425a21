import MDAuditLog
import MDPlatform

/// What came of one round of the collector.
package struct CollectorRound: Sendable {
    /// The hosts that sent something.
    package internal(set) var hosts = 0
    /// The batches that were read.
    package internal(set) var batches = 0
    /// The records that were stored, and those that were here already and were compared.
    package internal(set) var records = 0
    package internal(set) var repeated = 0
    /// What waits and why, a sentence without a full stop for each host.
    package internal(set) var waiting: [String] = []
    /// The alarms that were raised.
    package internal(set) var alarms: [FleetAlarm] = []
    /// The files whose names no host can have, which are left where they are.
    package internal(set) var unknown = 0
    /// What could not be done, a sentence without a full stop each.
    package internal(set) var problems: [String] = []

    package init() {}

    /// Whether more came of it than signs of life.
    package var isWorthSaying: Bool {
        batches > 0 || !waiting.isEmpty || !alarms.isEmpty || unknown > 0 || !problems.isEmpty
    }
}

/// What a round does about one host, step by step.
struct HostRound {
    let folder: HostFolder
    /// What is known of the host, as it is after the round.
    var head: HostHead
    /// What to say to the host; `nil` for nothing new.
    var acknowledgement: Acknowledgement?
    /// The records that were appended and the checkpoint that covers them.
    var uncommitted: (checkpoint: Checkpoint, records: LogMirror.Uncommitted)?
    /// The files that were read and are done with.
    var done: [(name: SpoolName, status: FileStatus)] = []
    /// Whether something of it could not be written, so that nothing is acknowledged or removed.
    var hasFailed = false
    /// The alarms to raise.
    var alarms: [FleetAlarm] = []

    var host: FleetHost { folder.host }
}
