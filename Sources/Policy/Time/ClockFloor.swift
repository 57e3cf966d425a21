package import Platform

/// The newest time that a machine has recorded: while its clock is earlier, the clock is wrong.
///
/// That is when the kernel last stamped one of the files that recording verbs replace and everybody can stat: the record of
/// policy, the compiled table, and a file that says when policy was last applied. It only grows, until
/// `policy forget --clock` writes them anew.
package final class ClockFloor: @unchecked Sendable {
    /// The lock of `isKnown` and `newest`; not `Guarded`, because every process has a floor and few ask it.
    private let lock = Lock()
    /// Whether somebody has asked.
    private var isKnown: Bool
    /// The newest time; `nil` where nothing is recorded, or nobody has asked.
    private var newest: Timestamp?
    /// The root of the machine.
    private let root: Root?

    /// The files that recording verbs stamp.
    private static let paths = [StorePath.record, StorePath.table, StorePath.clock]

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

    /// By how much the newest recorded time lies ahead of the clock, in microseconds; 0 if it does not.
    package var lead: Int64 {
        time.map { max($0.microseconds - Clock.now().microseconds, 0) } ?? 0
    }

    /// The files whose times lie ahead of the clock.
    static func pathsAhead(in root: Root) -> [String] {
        let now = Clock.now()
        return times(in: root).filter { now < $0.time }.map(\.path)
    }

    /// The newest time of a machine.
    private static func newest(in root: Root) -> Timestamp? { times(in: root).map(\.time).max() }

    /// The newest time of each file.
    private static func times(in root: Root) -> [(path: String, time: Timestamp)] {
        let owner = TrustRule(root: root).owner
        return paths.compactMap { path in
            guard let status = try? root.status(path, followingLinks: false), status.owner == owner else { return nil }
            return (path, Timestamp(microseconds: max(status.changed, status.modified) / 1_000))
        }
    }
}
