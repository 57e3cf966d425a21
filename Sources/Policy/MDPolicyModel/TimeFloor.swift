package import MDPlatform

/// The newest time that a machine has recorded; a clock that is earlier is wrong.
///
/// It is the newest kernel time stamp of the files that recording verbs replace and every user can stat: the policy
/// record, the compiled table, and a file whose time says when policy was last applied. It only grows, until `policy
/// forget --clock` writes them again.
package final class TimeFloor: @unchecked Sendable {
    /// The lock of `isKnown` and `newest`; not `Guarded`, because every process has a floor and few read it.
    private let lock = Lock()
    /// Whether the time was read.
    private var isKnown: Bool
    /// The newest time; `nil` if nothing is recorded or the time was not read.
    private var newest: Timestamp?
    private let root: Root?

    /// The files that recording verbs stamp.
    private static let paths = [StorePath.record, StorePath.table, StorePath.clock]

    /// Makes a floor that reads the machine's files on first use.
    package init(root: Root) {
        self.root = root
        isKnown = false
    }

    /// Makes a floor of a known time.
    package init(newest: Timestamp?) {
        root = nil
        self.newest = newest
        isKnown = true
    }

    /// The newest recorded time; `nil` if nothing is recorded.
    package var time: Timestamp? {
        lock.acquire()
        defer { lock.release() }
        if !isKnown {
            newest = root.flatMap(TimeFloor.newest)
            isKnown = true
        }
        return newest
    }

    /// The newest recorded time, if it was read already.
    package var known: Timestamp? {
        lock.acquire()
        defer { lock.release() }
        return newest
    }

    /// Whether the machine's clock is earlier than the newest recorded time.
    package var isAhead: Bool {
        // Times that were recorded after this process began to read policy are never in the future.
        time.map { Clock.now() < $0 } ?? false
    }

    /// The time to stamp on a file that replaces one of ``paths``; `nil` if the clock is right.
    ///
    /// Without it, the first write on a clock that was set back would make that clock the newest recorded time.
    package var carried: Timestamp? { isAhead ? time : nil }

    /// By how much the newest recorded time is ahead of the clock, in microseconds; 0 if it is not.
    package var lead: Int64 {
        time.map { max($0.microseconds - Clock.now().microseconds, 0) } ?? 0
    }

    /// The files whose times are ahead of the clock.
    package static func pathsAhead(in root: Root) -> [String] {
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
