package import MDPlatform
import MDPolicyCore
import MDPolicyStore
import MDTools

/// Scans of users' stored values, each in a process of its own, which nothing else waits for.
package final class SessionScans: Sendable {
    /// A scan that ended.
    package struct Outcome: Sendable {
        /// The user.
        package let uid: UInt32
        /// What it cost, in microseconds: the time of a processor, and all of the time if the home did not answer.
        package let cost: Int64
        /// What went wrong, as a sentence.
        package let problem: String?
    }

    /// The root of the machine.
    private let root: Root
    /// The scans that ended since the last ``takeOutcomes()``.
    private let outcomes = Guarded<[Outcome]>([])
    /// When users of directories were last noted.
    private let noted = Guarded<[UInt32: Timestamp]>([:])
    /// Whether there are any.
    private let ended: WakeSignal

    /// How long a scan runs that got no answer from the home, in microseconds.
    private static let silence: Int64 = 5_000_000
    /// How long a scan may run, in milliseconds.
    private static let limit = 120_000

    /// Begins without scans.
    ///
    /// - Throws: if no descriptor is left.
    package init(of root: Root) throws(SystemError) {
        self.root = root
        ended = try WakeSignal()
    }

    /// The descriptor that is readable when a scan ended.
    package var raw: Int32 { ended.raw }

    /// Scans what a user has stored, on a thread of its own.
    package func begin(_ uid: UInt32) {
        if !BackgroundThread.run("scan", { self.end(self.scan(uid)) }) {
            end(
                Outcome(
                    uid: uid, cost: 0, problem: "What the user \(uid) has stored was not scanned: there is no thread."))
        }
    }

    /// Hands over the scans that ended.
    package func takeOutcomes() -> [Outcome] {
        ended.reset()
        return outcomes.withLock { outcomes in
            defer { outcomes = [] }
            return outcomes
        }
    }

    /// Keeps an outcome for the watch, and wakes it.
    private func end(_ outcome: Outcome) {
        outcomes.withLock { $0.append(outcome) }
        ended.raise()
    }

    /// Notes a user of a directory in the register of people, once a day, and at once if the uid has another name.
    ///
    /// If that fails, the next recording command notes who has a session.
    private func note(_ account: Account) {
        guard account.isFromNameService else { return }
        let now = Clock.now()
        let isKnown = PeopleRegister.person(of: account.uid, in: root)?.name == account.name
        if isKnown, KnownPeople.isOfToday(noted.withLock({ $0[account.uid] }), now) { return }
        guard (try? KnownPeople.note([account], root: root)) != nil else { return }
        noted.withLock { noted in
            if noted.count >= PeopleRegister.capacity { noted = [:] }
            noted[account.uid] = now
        }
    }

    /// Scans the stored values of one user in a separate process, the only one that sees them.
    private func scan(_ uid: UInt32) -> Outcome {
        let begin = Clock.monotonicMicroseconds()
        let found = try? AccountDatabase(root: root).lookUpAccount(uid: uid)
        if let account = found.flatMap(\.self) { note(account) }
        let known = PeopleRegister.person(of: uid, in: root).map {
            Account(inDirectory: $0.name, uid: uid, gid: .max, home: $0.home)
        }
        guard let account = found.flatMap(\.self) ?? known, let program = CurrentProcess.executablePath else {
            return Outcome(
                uid: uid, cost: 0,
                problem: "What the user \(uid) has stored was not scanned: no account has this number.")
        }
        let place = root.isSystem ? [] : ["--root", root.path]
        let words = place + ["--user", account.name, "audit", "scan", "--observed"]
        let result = try? Subprocess.run(
            program, words, timeoutMilliseconds: SessionScans.limit, limit: 64 << 20)
        let time = Clock.monotonicMicroseconds() - begin
        let name = Printable.escape(account.name)
        return Outcome(
            uid: uid, cost: time < SessionScans.silence ? min(result?.cost ?? time, time) : time,
            problem: result == nil || result?.status == 4
                ? "What \(name) has stored could not be scanned; `mdefaults --user \(name) audit scan` says why." : nil)
    }
}
