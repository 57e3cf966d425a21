package import MDPlatform

/// Watches what policy depends on: files, and time.
///
/// One for the audit service, and one for each store of an application, which adds the folders of the user's own files.
/// In a child that fork(2) made it is lost, and begins again there.
package final class PolicyWatch: Sendable {
    /// Whether changes are reported.
    package enum Status: Sendable {
        /// It was not begun yet.
        case idle
        /// Each change is reported, though on some file systems only by a comparison once a second.
        case reporting
        /// No change is reported: the system granted no thread, or the thread is that of a parent process.
        case lost
    }

    /// What is in memory.
    private struct State {
        /// Watches the folders.
        var watch: FolderWatch?
        /// The folders.
        var folders: [String] = []
        /// Rings when time changes policy; `nil` before it first can.
        var alarm: WallClockAlarm?
    }

    /// The least time between two readings of policy that time brings about, in microseconds.
    private static let readingPause: Int64 = 10_000

    /// The root of the folders.
    private let root: Root
    /// What is in memory.
    private let state = Guarded(State())

    /// Names a machine; nothing is watched yet.
    package init(root: Root) {
        self.root = root
    }

    /// Watches folders from now on, in place of those before.
    ///
    /// What changed before is not reported: a caller reads it after this returns.
    ///
    /// - Parameters:
    ///   - folders: paths beneath the root; a file is watched as a folder.
    ///   - changed: called on the watching thread with the changes that are ready.
    package func begin(_ folders: [String], _ changed: @escaping @Sendable ([FolderChange]) -> Void) {
        let watch = FolderWatch.begin(root: root, folders: folders, changed)
        let old = state.withLock { state -> FolderWatch? in
            defer { (state.watch, state.folders) = (watch, folders) }
            return state.watch
        }
        // Waits for a call that is under way, so no lock may be held.
        old?.stop()
    }

    /// Ends: nothing is called any more.
    package func stop() {
        let old = state.withLock { state in
            defer { state = State() }
            return state
        }
        old.watch?.stop()
        old.alarm?.stop()
    }

    /// Whether changes are reported.
    package var status: Status {
        state.withLock { state in state.watch.map { $0.isOfThisProcess ? .reporting : .lost } ?? .idle }
    }

    /// Whether the kernel reports each change at once, so that no comparison is needed.
    package var isPrompt: Bool {
        state.withLock { state in state.watch.map { $0.isOfThisProcess && !$0.isPolling } ?? false }
    }

    /// Whether changes in these folders, and no others, are reported.
    package func covers(_ folders: [String]) -> Bool {
        state.withLock { $0.folders == folders && $0.watch?.isOfThisProcess == true }
    }

    /// Calls a function when time changes policy, and when the clock is set: it must look at the time.
    ///
    /// Policy that does not depend on time never has an alarm.
    ///
    /// - Parameters:
    ///   - time: the moment, in place of any before; `nil` for none.
    ///   - rang: called on the watching thread.
    package func setAlarm(_ time: Timestamp?, _ rang: @escaping @Sendable () -> Void) {
        let earliest = Clock.now().microseconds + PolicyWatch.readingPause
        state.withLock { state in
            if time == nil, state.alarm == nil { return }
            if state.alarm?.isOfThisProcess != true { state.alarm = WallClockAlarm.begin(rang) }
            state.alarm?.set(time.map { Timestamp(microseconds: max($0.microseconds, earliest)) })
        }
    }
}
