package import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDTools

/// Watches policy for all programs of a machine: vouches that no policy file changed, and announces changes.
///
/// The generation file has a number, which changes with each change of a policy file before programs are notified. They
/// watch the file, whose lock ends with this process. All else is left to the root process: a request file asks it to
/// record.
///
/// Everything happens on the one thread that watches, so that no write to the disk delays it.
package final class GenerationKeeper: Sendable {
    /// What is in memory.
    private struct State {
        /// The generation; `nil` while this process does not vouch for policy.
        var file: LockedFile?
        /// Its number.
        ///
        /// Other starts had other numbers, so that no table of theirs is taken for one of this start.
        var number = UInt64.random(in: GenerationKeeper.firstNumbers)
        /// When programs are to be reminded of the last change, in order.
        var reminders: [Timestamp] = []
        /// Rings when they are.
        var reminder: WallClockAlarm?
        /// The folders that policy files which are links lead to.
        var links: [String] = []
    }

    /// The file that asks the root part to record policy.
    static let requestPath = "/run/mdefaultsd/apply-request"
    /// The files whose names and numbers the record has.
    private static let surroundings = ["/etc/passwd", "/etc/group"]

    /// The record of what was written into other programs' files, which exists once something was.
    private static let written = "\(StorePath.home)/programs/written"
    /// How long after a change programs are reminded of it, in microseconds.
    ///
    /// A browser watches its folder only some seconds after its start, 13 at most where it was measured, and misses what
    /// changes before.
    package static let reminders: [Int64] = [15_000_000, 60_000_000]

    /// The root of the machine.
    private let root: Root
    /// How long after a change programs are reminded of it, in microseconds, in order.
    private let delays: [Int64]
    /// What is in memory.
    private let state = Guarded(State())
    /// Watches policy.
    private let watch: PolicyWatch
    /// The keys of policy, as of its last reading.
    package let keys = Guarded(PolicyKeys())

    /// Names the machine; nothing is watched yet.
    package init(root: Root, reminding delays: [Int64] = GenerationKeeper.reminders) {
        (self.root, self.delays, watch) = (root, delays, PolicyWatch(root: root))
    }

    /// Begins to watch, and vouches for policy from then on.
    ///
    /// Without the kernel's watches, programs watch for themselves as they do without this service; standard error says
    /// so.
    package func begin() {
        state.withLock { state in
            state.reminder = WallClockAlarm.begin { [weak self] in self?.remind() }
        }
        beginWatching()
        request()
    }

    /// Ends: programs watch for themselves from then on.
    package func end() {
        watch.stop()
        state.withLock { $0.reminder }?.stop()
        state.withLock { state in
            try? state.file?.remove()
            state = State()
        }
    }

    /// Watches everything that policy depends on, and vouches for it if every change is reported.
    private func beginWatching() {
        let folders =
            PolicyStore.watchedFolders + ManifestSet.directories + GenerationKeeper.surroundings
            + state.withLock { $0.links }
        watch.begin(folders) { [weak self] in self?.filesChanged($0) }
        // What changed before the watch is looked for now.
        let links = readPolicy()
        if links != state.withLock({ $0.links }) {
            state.withLock { $0.links = links }
            return beginWatching()
        }
        let problem = state.withLock { vouch(&$0) }
        if let problem { say(problem) }
    }

    /// Vouches for policy, or stops doing so.
    ///
    /// - Returns: why it does not, as a sentence.
    private func vouch(_ state: inout State) -> String? {
        guard watch.isPrompt else {
            try? state.file?.remove()
            state.file = nil
            return "The kernel does not report every change of policy, so programs watch it themselves."
        }
        do throws(SystemError) {
            if state.file == nil {
                state.file = try LockedFile.publish(
                    root: root, path: GenerationFile.path, content: text(of: state.number))
            } else {
                try state.file?.write(text(of: state.number))
            }
            return nil
        } catch {
            state.file = nil
            return "\(error), so programs watch policy themselves."
        }
    }

    /// The numbers to begin with: all have 19 digits, as those after them.
    private static let firstNumbers: ClosedRange<UInt64> = 1_000_000_000_000_000_000...4_000_000_000_000_000_000

    /// The bytes of the file.
    private func text(of number: UInt64) -> [UInt8] { Array("\(number)\n".utf8) }

    /// Notifies programs of a change of files, and requests a record of it.
    private func filesChanged(_ changes: [FolderChange]) {
        let relevant = changes.filter { PolicyStore.mayChangePolicy($0) }
        if relevant.isEmpty { return }
        let recorded = [StorePath.home] + ManifestSet.directories
        let isPolicyNew = relevant.contains { !recorded.contains($0.folder) }
        let problem = state.withLock { state -> String? in
            if isPolicyNew { state.number &+= 1 }
            return vouch(&state)
        }
        // Programs on the same processor read policy before this one does.
        BackgroundThread.giveWay()
        if let problem { say(problem) }
        if isPolicyNew {
            request()
            planReminders()
        }
        let links = readPolicy()
        guard links != state.withLock({ $0.links }) else { return }
        state.withLock { $0.links = links }
        beginWatching()
    }

    /// Notifies programs that a moment has come, and requests a record of it.
    private func timeChangesPolicy() {
        let problem = state.withLock { state -> String? in
            do throws(SystemError) {
                try state.file?.touch()
                return nil
            } catch {
                return "\(error)."
            }
        }
        BackgroundThread.giveWay()
        if let problem { say(problem) }
        request()
        planReminders()
        _ = readPolicy()
    }

    /// Sets when programs are reminded of the change that is being recorded.
    private func planReminders() {
        let now = Clock.now()
        state.withLock { state in
            state.reminders = delays.map { Timestamp(microseconds: now.microseconds + $0) }
            state.reminder?.set(state.reminders.first)
        }
    }

    /// Asks the root process, when a reminder is due, to look again for programs that may have missed the last change.
    private func remind() {
        let now = Clock.now()
        let isDue = state.withLock { state -> Bool in
            let count = state.reminders.count
            // Beyond the last delay only where the clock was set back.
            let horizon = now.microseconds + (delays.last ?? 0)
            state.reminders.removeAll { $0 <= now || $0.microseconds > horizon }
            state.reminder?.set(state.reminders.first)
            return state.reminders.count < count
        }
        if isDue, root.mayExist(GenerationKeeper.written) { request() }
    }

    /// Reads policy, and sets the alarm to its next moment.
    ///
    /// - Returns: the folders that policy files which are links lead to.
    private func readPolicy() -> [String] {
        let store = PolicyStore(root: root)
        let policies = store.load()
        let moment = Moment(time: Clock.now(), floor: TimeFloor(root: root), zones: ZoneDatabase(root: root))
        // Also without a next moment: the alarm notices a clock that is set, which may bring one.
        let horizon = Timestamp(microseconds: moment.time.microseconds + GenerationKeeper.horizon)
        let next = policies.nextChange(after: moment) ?? horizon
        watch.setAlarm(next) { [weak self] in self?.timeChangesPolicy() }
        var read = PolicyKeys()
        (read.sensitive, read.named) = (ManifestSecrets(of: policies, root: root), NamedKeys(of: policies))
        keys.withLock { [read] in $0 = read }
        return store.linkFolders(of: policies)
    }

    /// How far ahead the alarm is set at most, in microseconds: 30 days.
    private static let horizon: Int64 = 30 * 86_400 * 1_000_000

    /// Asks the root part to record policy.
    private func request() {
        do throws(SystemError) {
            try root.replace(GenerationKeeper.requestPath, with: [], mode: 0o644, durable: false)
        } catch {
            say("\(error), so policy is recorded at the next run of the timer.")
        }
    }

    /// Says something on standard error.
    private func say(_ sentence: String) {
        try? StandardStream.error.write(Array("mdefaultsd: \(sentence)\n".utf8))
    }
}
