import MDPlatform
import MDPolicyAdministration
import MDPolicyStore
import MDPropertyList
import MDTools

/// Asks root's part, over its socket, for what a delegate may do.
enum DelegateClient {
    /// How long root's part may take, in milliseconds.
    private static let patience = 10_000
    /// The pause before the next attempt while too many connections are open, in microseconds.
    private static let pause: Int64 = 100_000

    /// Whether root's part has to be asked, because this process may not write policy itself.
    ///
    /// - Parameters:
    ///   - root: the machine.
    ///   - action: what the verb does, for the message.
    /// - Returns: false if this process may write policy.
    /// - Throws: exit 4 with those who may, if no question can be asked.
    static func isNeeded(_ root: Root, to action: String) throws(Failure) -> Bool {
        let store = PolicyStore(root: root)
        if root.isSystem, !store.mayWrite, root.mayExist(DelegateRequest.socket) { return true }
        try PolicyWriting.requirePermission(for: store, to: action)
        return false
    }

    /// Asks, and prints the answer.
    ///
    /// - Returns: the exit code of the answer.
    /// - Throws: exit 4 if the caller is no delegate, or root's part does not answer.
    static func ask(_ request: DelegateRequest, _ context: Context) throws(Failure) -> ExitCode {
        var request = request
        request.isJSON = context.options.json
        let bytes = request.bytes
        guard bytes.count <= DelegateRequest.limit, DelegateRequest(bytes) == request else {
            throw Failure(
                code: .no,
                message:
                    "A delegate asks in at most \(DelegateRequest.limit) bytes, with a reason on one line, for a set"
                    + " that is installed, by its name.")
        }
        let answer: DelegateAnswer
        do throws(SystemError) {
            answer = try exchange(bytes)
        } catch {
            guard error.isForbidden else { throw .of(error) }
            throw Failure(
                code: .inputOutput,
                message:
                    "Only root may, and the delegates that \(Delegates.path) names; this session is of none of them"
                    + " (a group counts from the next login on).")
        }
        try context.console.write(answer.output)
        try context.console.flush()
        try? StandardStream.error.write(answer.messages)
        return ExitCode(rawValue: Int32(answer.code)) ?? .inputOutput
    }

    /// Sends the words and waits for the answer; again while too many connections are open.
    private static func exchange(_ bytes: [UInt8]) throws(SystemError) -> DelegateAnswer {
        let end = Clock.monotonicMicroseconds() + Int64(patience) * 1_000
        var rest: Int { Int((end - Clock.monotonicMicroseconds()) / 1_000) }
        while true {
            do throws(SystemError) {
                let socket = try MessageSocket.connect(DelegateRequest.socket, under: .system, waiting: max(rest, 1))
                try socket.send(bytes)
                guard socket.wait(milliseconds: max(rest, 1)) else {
                    throw SystemError(
                        operation: "ask", path: DelegateRequest.socket, code: 110,
                        reason: "there is no answer yet; policy exam list and policy grant list say what is in force")
                }
                if case .message(let bytes) = socket.receive(limit: DelegateAnswer.limit),
                    let answer = DelegateAnswer(bytes)
                {
                    return answer
                }
                // It ended without a word: too many connections are open.
                throw SystemError(operation: "ask", path: DelegateRequest.socket, code: 104)
            } catch {
                // ECONNREFUSED: nothing listens, and nothing will.
                guard error.isClosed || error.isFull, error.code != 111, rest > 0 else { throw error }
                Clock.pause(microseconds: pause)
            }
        }
    }
}

extension DelegateRequest {
    /// Makes the request for an exam.
    init(
        exam set: String, _ sitters: ExamSitters?, until end: Timestamp, _ reason: String, endsWithBoot: Bool
    ) {
        self.init(.startExam(set))
        (until, self.reason, self.endsWithBoot) = (end, reason, endsWithBoot)
        switch sitters {
        case .everybody: isForEverybody = true
        case .users(let names): users = names.map(\.string)
        case .groups(let names): groups = names.map(\.string)
        case nil: break
        }
    }
}
