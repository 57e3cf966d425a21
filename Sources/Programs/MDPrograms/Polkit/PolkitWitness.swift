import MDPlatform
import MDPropertyList
import MDTools

/// Asks polkit by `pkcheck`, whose exit status is its answer.
struct PolkitCheck {
    static let tool = "/usr/bin/pkcheck"

    /// A process about which polkit is asked.
    struct Subject {
        let pid: Int32
        let uid: UInt32
        fileprivate let started: UInt64

        /// A process; `nil` if it is gone.
        fileprivate init?(_ pid: Int32, _ uid: UInt32) {
            guard let stat = try? Root.system.read("/proc/\(pid)/stat", limit: 65_536).bytes,
                let started = CurrentProcess.startTime(inStat: stat)
            else { return nil }
            (self.pid, self.uid, self.started) = (pid, uid, started)
        }

        /// This process.
        static var own: Subject? {
            CurrentProcess.startTime.map { Subject(CurrentProcess.pid, CurrentProcess.uid, started: $0) }
        }

        private init(_ pid: Int32, _ uid: UInt32, started: UInt64) {
            (self.pid, self.uid, self.started) = (pid, uid, started)
        }

        /// A process of a service that is not root's: polkit asks nothing of its rules about root.
        static var ofService: Subject? {
            ProcessList.named(["polkitd", "dbus-daemon", "dbus-broker"]).lazy.filter { $0.uid != 0 }
                .compactMap { Subject($0.pid, $0.uid) }.first
        }

        /// A process of each user in a session that logind began, by the user's id.
        static var inSessions: [UInt32: Subject] {
            var subjects: [UInt32: Subject] = [:]
            for pid in ((try? Root.system.names(in: "/proc")) ?? []).lazy.compactMap({ Int32($0) }) {
                guard let uid = (try? Root.system.status("/proc/\(pid)", followingLinks: false))?.owner,
                    subjects[uid] == nil,
                    let group = try? Root.system.read("/proc/\(pid)/cgroup", limit: 8_192).bytes,
                    TextSearch.isPresent("/user-\(uid).slice/session-", in: String(decoding: group, as: UTF8.self))
                else { continue }
                subjects[uid] = Subject(pid, uid)
            }
            return subjects
        }
    }

    /// What polkit answers; the raw value is the tool's exit status.
    enum Reply: Int32 {
        case yes = 0
        case no = 1
        /// It wants a password.
        case password = 2
    }

    /// Asks; `nil` without an answer.
    static func ask(_ action: String, of subject: Subject, detail: String? = nil) -> Reply? {
        var words = ["--action-id", action, "--process", "\(subject.pid),\(subject.started),\(subject.uid)"]
        if let detail { words += ["--detail", PolkitRules.detail, detail] }
        let result = try? Subprocess.run(
            "/usr/bin/env", ["-i", tool] + words, timeoutMilliseconds: 5_000, limit: 1 << 16)
        return result?.status.flatMap { Reply(rawValue: $0) }
    }

    /// Whether polkit has read a text of rules; root asks.
    ///
    /// - Parameters:
    ///   - bytes: the text.
    ///   - milliseconds: how long polkit may take to read it.
    /// - Returns: whether it has.
    static func isInForce(_ bytes: [UInt8], milliseconds: Int64) -> Bool {
        guard let seal = PolkitRules.seal(of: bytes), let subject = Subject.ofService else { return false }
        // polkit itself registers this action.
        let action = "org.freedesktop.policykit.exec"
        let end = Clock.monotonicMicroseconds() + milliseconds * 1_000
        while true {
            // Two answers, because one of them may be polkit's own.
            if ask(action, of: subject, detail: seal) == .no, ask(action, of: subject, detail: "\(seal)?") == .password
            {
                return true
            }
            if Clock.monotonicMicroseconds() > end { return false }
            Clock.pause(microseconds: 20_000)
        }
    }
}

/// polkit, asked about a process of a user's session.
///
/// polkit answers root about everybody, and a user about processes of the user. No process of a user has
/// a part in what root asks.
struct PolkitWitness: Witness {
    let program: Polkit

    func testify(
        about policy: ProgramPolicy, for audience: Audience, at place: borrowing WitnessPlace
    ) throws(WitnessError) -> Testimony {
        let isRoot = CurrentProcess.uid == 0
        if isRoot {
            guard let bytes = try? Root.system.read(PolkitRules.path, limit: PlainJSON.sizeLimit).bytes,
                PolkitCheck.isInForce(bytes, milliseconds: 1_000)
            else { throw WitnessError("it does not answer as \(PolkitRules.path) says, or cannot be asked") }
        }
        var testimony = Testimony()
        let subject: PolkitCheck.Subject?
        if let user = audience.user, isRoot {
            subject = PolkitCheck.Subject.inSessions[user.uid]
            if subject == nil {
                testimony.remarks.append("\(user.name) has no session here, about which polkit could be asked.")
            }
        } else {
            subject = isRoot ? .ofService : .own
        }
        for entry in policy.entries {
            testimony.answers.append(answer(entry, subject, isRoot))
        }
        return testimony
    }

    func choice(of audiences: [Audience]) -> Audience? {
        let subjects = PolkitCheck.Subject.inSessions
        return audiences.first { $0.user.map { subjects[$0.uid] != nil } ?? true } ?? audiences.first
    }

    private func answer(_ entry: ProgramEntry, _ subject: PolkitCheck.Subject?, _ isRoot: Bool) -> WitnessAnswer {
        guard let word = program.answer(entry) else {
            return WitnessAnswer(entry, entry.level == .absent ? .isDefault : .unsupported)
        }
        guard let subject else { return WitnessAnswer(entry, .unknown) }
        let action = entry.key.string
        guard program.isMeant(entry.key, in: .system), let reply = PolkitCheck.ask(action, of: subject) else {
            return WitnessAnswer(entry, .unknown, note: "polkit has no such action")
        }
        // Whose password is wanted pkcheck does not say: the rules themselves do, to root.
        let isOurs = isRoot && reply == .password && PolkitCheck.ask(action, of: subject, detail: word) == .no
        return PolkitWitness.answer(entry, wanted: word, reply, isOurs: isOurs)
    }

    /// What polkit's reply says about an entry.
    static func answer(
        _ entry: ProgramEntry, wanted: String, _ reply: PolkitCheck.Reply, isOurs: Bool
    ) -> WitnessAnswer {
        switch (reply, Key(wanted)) {
        case (.yes, "yes"), (.no, "no"): WitnessAnswer(entry, .enforced, value: .string(wanted))
        case (.yes, _): WitnessAnswer(entry, .differs, value: .string("yes"))
        case (.no, _): WitnessAnswer(entry, .differs, value: .string("no"))
        case (.password, "no"), (.password, "yes"):
            WitnessAnswer(entry, .differs, note: "polkit asks for a password")
        case (.password, _) where isOurs: WitnessAnswer(entry, .enforced, value: .string(wanted))
        case (.password, _):
            WitnessAnswer(entry, .unknown, note: "polkit asks for a password, and does not say whose")
        }
    }
}
