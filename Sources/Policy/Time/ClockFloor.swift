package import Platform

/// The newest time that a machine has recorded: while its clock is earlier, the clock is wrong.
///
/// That is when the kernel last stamped the record of policy, the compiled table or the checkpoint of the audit log, which
/// root's commands and the audit log replace as they go. Nobody stamps a file with a time to come but by setting the clock,
/// or, for the times that root can set, as root.
package final class ClockFloor: Sendable {
    /// The newest time; the outer `nil` before somebody asks, the inner one where nothing is recorded.
    private let newest: Guarded<Timestamp??>
    /// The root of the machine.
    private let root: Root?

    /// The files that root stamps anew where the clock was ahead by mistake.
    package static let paths = [StorePath.record, StorePath.table]
    /// The checkpoint of the audit log, whose owner is not root: the time that its owner can set does not count.
    private static let checkpoint = "/var/log/managed-defaults/checkpoint"

    /// Looks at a machine when first asked.
    package init(root: Root) {
        self.root = root
        newest = Guarded(nil)
    }

    /// Takes over a time that is known.
    package init(newest: Timestamp?) {
        root = nil
        self.newest = Guarded(.some(newest))
    }

    /// The newest recorded time; `nil` where nothing is recorded.
    package var time: Timestamp? {
        newest.withLock { newest in
            if let newest { return newest }
            let found = root.flatMap(ClockFloor.newest)
            newest = .some(found)
            return found
        }
    }

    /// The newest recorded time, where somebody asked for it.
    package var known: Timestamp? { newest.withLock { $0 ?? nil } }

    /// Whether the machine's clock is earlier than the newest recorded time.
    package var isAhead: Bool {
        // What was recorded since this process began to read policy is not in the future.
        time.map { Clock.now() < $0 } ?? false
    }

    /// Looks at the files.
    private static func newest(in root: Root) -> Timestamp? {
        var times: [Int64] = []
        for path in paths {
            guard let status = try? root.status(path, followingLinks: false), status.owner == root.owner else {
                continue
            }
            times += [status.changed, status.modified]
        }
        if let status = try? root.status(checkpoint, followingLinks: false) { times.append(status.changed) }
        return times.max().map { Timestamp(microseconds: $0 / 1_000) }
    }
}
