import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTools

/// Root's part for delegates: answers one connection of the socket, which the service manager accepted.
///
/// The person is the kernel's word for the peer. Words are compared with what is installed, and become the command line
/// of a verb only then.
struct DelegateService {
    /// The folder of the locks, one for each delegate.
    private static let locks = "/run/managed-defaults/delegates"
    /// The most changes of a delegate in an hour: each is in the audit log.
    private static let changes = 120
    /// How long a request waits for its turn, in seconds.
    private static let turn = 2.0
    /// How long the name services are asked, in microseconds.
    private static let patience: Int64 = 4_000_000

    private let root = Root.system
    private let start = Clock.monotonicMicroseconds()

    /// Answers the connection on standard input.
    ///
    /// - Throws: if standard input is no connection.
    func run() throws(SystemError) {
        let socket = MessageSocket(owning: FileDescriptor(owning: 0))
        let peer = try PeerStamp(of: socket)
        let answer: DelegateAnswer
        do throws(Failure) {
            // One connection of a delegate at a time: others are answered at once, and make room for other delegates.
            let lock: FileLock
            do throws(Failure) {
                lock = try self.lock("\(peer.uid)", seconds: 0)
            } catch {
                // The journal says who floods the socket.
                Console().say("uid \(peer.uid) has more than one connection at a time.")
                throw error
            }
            answer = withExtendedLifetime(lock) { self.answer(socket, peer) }
        } catch {
            answer = DelegateService.refusal(error)
        }
        try socket.send(answer.bytes)
    }

    private func lock(_ name: String, seconds: Double) throws(Failure) -> FileLock {
        do throws(SystemError) {
            try root.createDirectory(DelegateService.locks, mode: 0o700)
            return try root.lock("\(DelegateService.locks)/\(name)", seconds: seconds)
        } catch {
            throw Failure(code: .inputOutput, message: "Nothing was changed: another request is being answered.")
        }
    }

    /// Counts a change, and refuses one too many; the counts end with the boot.
    private func count(_ uid: UInt32) throws(Failure) {
        let path = "\(DelegateService.locks)/\(uid).changes"
        let hour = start / 3_600_000_000
        var words = ((try? root.read(path, limit: 64).bytes) ?? []).split(separator: 0x20).map {
            Int64(String(decoding: $0, as: UTF8.self)) ?? 0
        }
        if words.count != 2 || words[0] != hour { words = [hour, 0] }
        guard words[1] < DelegateService.changes else {
            throw Failure(
                code: .no,
                message:
                    "Nothing was changed: a delegate changes something \(DelegateService.changes) times an hour at most."
            )
        }
        do throws(SystemError) {
            try root.replace(path, with: Array("\(hour) \(words[1] + 1)".utf8), mode: 0o600, durable: false)
        } catch {
            throw .of(error)
        }
    }

    private static func refusal(_ failure: Failure) -> DelegateAnswer {
        let console = Console(isCaptured: true)
        console.report(failure)
        return DelegateAnswer(
            code: UInt8(truncatingIfNeeded: failure.code.rawValue), messages: console.captured?.messages ?? [])
    }

    /// Reads the words, and does what they say or says why not.
    private func answer(_ socket: borrowing MessageSocket, _ peer: PeerStamp) -> DelegateAnswer {
        guard socket.wait(milliseconds: DelegateRequest.patience),
            case .message(let bytes) = socket.receive(limit: DelegateRequest.limit),
            let request = DelegateRequest(bytes)
        else {
            return DelegateService.refusal(Failure(code: .usage, message: "These are no words of a delegate."))
        }
        do throws(Failure) {
            let delegates = Delegates(of: root)
            let judge: DelegateJudge
            do throws(DelegateJudge.Refusal) {
                judge = try DelegateService.judge(peer.uid, delegates, from: start)
                switch request.action {
                case .stopExam, .revoke: break
                case .startExam, .grant: try judge.require(request, at: Clock.now())
                }
            } catch {
                throw Failure(
                    code: error.isUnknown ? .inputOutput : .no, message: "Nothing was changed. \(error.reason)")
            }
            // Temporary policy of others is looked at and changed under one lock.
            let lock = try lock("all", seconds: DelegateService.turn)
            defer { withExtendedLifetime(lock) {} }
            try count(peer.uid)
            return try perform(request, for: judge.person)
        } catch {
            return DelegateService.refusal(error)
        }
    }

    /// Identifies the person that asks, by the name services as they are now.
    private static func judge(
        _ uid: UInt32, _ delegates: Delegates, from start: Int64
    ) throws(DelegateJudge.Refusal) -> DelegateJudge {
        let recorded = PolicyRecordInspection(root: .system).record.names
        return try DelegateJudge(uid, delegates, .system(recorded: recorded, until: start + patience))
    }

    /// The judge of a caller that only asks what is delegated; `nil` beneath another root, for root, and for an unknown
    /// person.
    static func judge(of uid: UInt32, _ delegates: Delegates, _ root: Root) -> DelegateJudge? {
        guard root.isSystem, uid != 0, !delegates.entries.isEmpty else { return nil }
        return try? judge(uid, delegates, from: Clock.monotonicMicroseconds())
    }

    // MARK: Work

    /// Does what was allowed, as the verb does it.
    private func perform(_ request: DelegateRequest, for person: Account) throws(Failure) -> DelegateAnswer {
        var options = GlobalOptions()
        options.json = request.isJSON
        let console = Console(isCaptured: true)
        let context = Context(options: options, console: console)
        context.delegate = TemporaryPolicyActor(
            name: person.name, uid: person.uid, user: person.name, isDelegate: true)
        var code = ExitCode.success
        for words in try commandLines(request, person, context) {
            do throws(Failure) {
                var arguments = Arguments(words.words, literal: words.literal, of: words.verb)
                code = try words.verb.run(&arguments, context)
                try console.flush()
            } catch {
                console.report(error)
                code = error.code
            }
            if code != .success { break }
        }
        let captured = console.captured ?? ([], [])
        return DelegateAnswer(
            code: UInt8(truncatingIfNeeded: code.rawValue), output: captured.output, messages: captured.messages)
    }

    /// A command line behind its verb; its last words are no options.
    private struct CommandLine {
        let verb: any Verb.Type
        var words: [String]
        var literal: Int
    }

    /// The command lines of a request.
    ///
    /// - Throws: if another person started it.
    private func commandLines(
        _ request: DelegateRequest, _ person: Account, _ context: Context
    ) throws(Failure) -> [CommandLine] {
        let machine = try context.machine(saying: false)
        let files: [(name: String, policy: PolicyFile)]
        do throws(TemporaryPolicyError) {
            files = try TemporaryPolicyInstaller.files(machine)
        } catch {
            throw .of(error, PolicyExamVerb.self)
        }
        /// Refuses temporary policy in force that another person started.
        func requireOwn(_ found: [PolicyFile], _ what: String) throws(Failure) {
            for policy in found {
                guard let temporary = policy.temporary, temporary.by != person.name,
                    temporary.until.map({ $0 > machine.moment.time }) ?? true
                else { continue }
                throw Failure(
                    code: .no,
                    message: Printable.escape(
                        "Nothing was changed. \(temporary.by) started \(what), which only \(temporary.by) and root change."
                    ))
            }
        }
        func exam(_ set: String) -> [PolicyFile] { files.map(\.policy).filter { $0.examSet == Key(set) } }
        func grants(_ user: String, _ domain: Key, _ key: Key) -> [PolicyFile] {
            let grant = TemporaryPolicy.Grant(
                user: Key(user), uid: 0, domain: domain, key: key, value: nil, reason: "", approvedBy: "")
            return files.map(\.policy).filter { grant.isGiven(by: $0) }
        }
        switch request.action {
        case .startExam(let set):
            guard ExamSet.names(in: root).contains(set) else {
                throw Failure(code: .no, message: "Nothing was changed. There is no set \(set).")
            }
            try requireOwn(exam(set), "the exam \(set)")
            return [CommandLine(verb: PolicyExamVerb.self, words: ["start"] + options(request) + [set], literal: 1)]
        case .stopExam(let set?):
            try requireOwn(exam(set), "the exam \(set)")
            return [CommandLine(verb: PolicyExamVerb.self, words: ["stop", set], literal: 1)]
        case .stopExam(nil):
            let sets = Set(files.filter { $0.policy.temporary?.by == person.name }.compactMap { $0.policy.examSet })
            if sets.isEmpty { throw Failure(code: .no, message: "No exam of yours is in force.") }
            return sets.sorted().map {
                CommandLine(verb: PolicyExamVerb.self, words: ["stop", $0.string], literal: 1)
            }
        case .grant(let user, let domain, let key), .revoke(let user, let domain, let key):
            // The file has the canonical spelling.
            let name = try context.account(named: user).name
            try requireOwn(grants(name, domain, key), "this grant")
            var words = ["--user=\(name)"] + options(request)
            if case .revoke = request.action { words.append("revoke") }
            return [
                CommandLine(verb: PolicyGrantVerb.self, words: words + [domain.string, key.string], literal: 2)
            ]
        }
    }

    /// The options of a request.
    private func options(_ request: DelegateRequest) -> [String] {
        var words: [String] = []
        if let until = request.until { words += ["--until=\(until.rfc3339)", "--yes"] }
        if !request.reason.isEmpty { words.append("--reason=\(request.reason)") }
        if !request.groups.isEmpty { words.append("--group=\(request.groups.joined(separator: ","))") }
        if !request.users.isEmpty { words.append("--users=\(request.users.joined(separator: ","))") }
        if request.isForEverybody { words.append("--everybody") }
        if request.endsWithBoot { words.append("--until-boot") }
        return words
    }
}
