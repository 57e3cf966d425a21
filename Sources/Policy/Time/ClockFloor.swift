package import Platform

/// The newest time that a machine has recorded: while its clock is earlier, the clock is wrong.
///
/// That is when the kernel last stamped the record of policy, the compiled table or the checkpoint of the audit log, which
/// root's commands and the audit log replace as they go, and the newest of them as root last saw it: users cannot look at
/// the audit log. Nobody stamps a file with a time to come but by setting the clock,
/// or, for the times that root can set, as root. It only grows, until root touches the files.
package final class ClockFloor: @unchecked Sendable {
    /// The lock of `isKnown` and `newest`; not `Guarded`, because every process has a floor and few ask it.
    private let lock = Lock()
    /// Whether somebody has asked.
    private var isKnown: Bool
    /// The newest time; `nil` where nothing is recorded, or nobody has asked.
    private var newest: Timestamp?
    /// The root of the machine.
    private let root: Root?

    /// The files that root's commands stamp.
    private static let paths = [StorePath.record, StorePath.table, StorePath.clock]
    /// The checkpoint of the audit log: where its owner is not root, the time that its owner can set does not count.
    private static let checkpoint = "/var/log/managed-defaults/checkpoint"

    /// Looks at a machine when first asked.
    package init(root: Root) {
        self.root = root
        isKnown = false
    }

    /// Takes over a time that is known.
    package init(newest: Timestamp?) {
        root = nil
        self.newest = newest
        isKnown = true
    }

    /// The newest recorded time; `nil` where nothing is recorded.
    package var time: Timestamp? {
        lock.acquire()
        defer { lock.release() }
        if !isKnown {
            newest = root.flatMap(ClockFloor.newest)
            isKnown = true
        }
        return newest
    }

    /// The newest recorded time, where somebody asked for it.
    package var known: Timestamp? {
        lock.acquire()
        defer { lock.release() }
        return newest
    }

    /// Whether the machine's clock is earlier than the newest recorded time.
    package var isAhead: Bool {
        // What was recorded since this process began to read policy is not in the future.
        time.map { Clock.now() < $0 } ?? false
    }

    /// The time that a file must carry on which replaces one of ``paths``; `nil` while the clock is right.
    ///
    /// Else the first thing that is recorded on a clock which was set back would make that clock right.
    package var carried: Timestamp? { isAhead ? time : nil }

    /// The newest recorded time where users do not know it and have to: where it is later than what they see by more than
    /// some minutes, or where the clock is earlier; `nil` where they know enough.
    ///
    /// Beneath a folder that stands for a machine everybody sees the same.
    static func untold(in root: Root) -> Timestamp? {
        guard root.isSystem else { return nil }
        let times = times(in: root)
        return untold(
            newest: times.map(\.time).max(), seen: times.filter { $0.path != checkpoint }.map(\.time).max(),
            now: Clock.now())
    }

    /// The newest recorded time, where those who see an earlier one have to know it.
    ///
    /// - Parameters:
    ///   - newest: the newest recorded time; `nil` where nothing is recorded.
    ///   - seen: what users see of it; `nil` where root's commands have not written anything yet.
    ///   - now: what the clock says.
    /// - Returns: the newest time; `nil` where they know enough.
    static func untold(newest: Timestamp?, seen: Timestamp?, now: Timestamp) -> Timestamp? {
        guard let newest, let seen, seen < newest else { return nil }
        let lag = newest.microseconds.subtractingReportingOverflow(seen.microseconds)
        return lag.overflow || lag.partialValue > tolerance || now < newest ? newest : nil
    }

    /// By how much users may lag behind while the clock is right, in microseconds: ten minutes.
    private static let tolerance: Int64 = 600_000_000

    /// The files whose times lie ahead of the clock, which root touches where the clock was ahead by mistake.
    package static func pathsAhead(in root: Root) -> [String] {
        let now = Clock.now()
        return times(in: root).filter { now < $0.time }.map(\.path)
    }

    /// Looks at the files.
    private static func newest(in root: Root) -> Timestamp? {
        times(in: root).map(\.time).max()
    }

    /// The newest time of each file.
    private static func times(in root: Root) -> [(path: String, time: Timestamp)] {
        (paths + [checkpoint]).compactMap { path in
            guard let status = try? root.status(path, followingLinks: false) else { return nil }
            let isLog = path == checkpoint
            guard isLog || status.owner == root.owner else { return nil }
            let counts = !isLog || root.isSystem && status.owner == root.owner
            let newest = counts ? max(status.changed, status.modified) : status.changed
            return (path, Timestamp(microseconds: newest / 1_000))
        }
    }
}
