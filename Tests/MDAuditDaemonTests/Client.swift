import Foundation
import MDAuditClient
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTestSupport
import MDTools
import Synchronization

/// Why a test cannot go on.
struct ClientFailure: Error, CustomStringConvertible {
    /// A sentence.
    let description: String
}

/// A client of the audit service.
final class Client: Sendable {
    /// The time after which a wait counts as hanging; far above any real wait.
    static let milliseconds = 120_000

    /// The connection.
    let socket: MessageSocket
    /// The number of the last request.
    private let number = Atomic<Int>(0)

    /// Connects.
    init(_ root: Root) throws(SystemError) {
        socket = try MessageSocket.connect(ServiceProtocol.socketPath, under: root)
    }

    /// Sends a request and waits for its answer.
    func ask(_ content: ServiceRequest.Content) throws -> ServiceAnswer.Result {
        let number = number.wrappingAdd(1, ordering: .relaxed).newValue
        return try ask(ServiceRequest(number: number, content).encoded, number: number)
    }

    /// Sends a message and waits for the answer.
    func ask(_ message: [UInt8], number: Int) throws -> ServiceAnswer.Result {
        try socket.send(message)
        let answer = try answer()
        guard answer.number == number else { throw ClientFailure(description: "The answer has another number.") }
        return answer.result
    }

    /// Sends attempts for which no answer is expected; waits while the service reads too slowly.
    func tell(_ records: [AuditRecord], unsent: Int = 0) throws(SystemError) {
        let lines = records.map { $0.encoded() }
        let message = ServiceRequest(number: 0, .attempts(lines, unsent: unsent)).encoded
        while true {
            let code = socket.sendIfPossible(message.span)
            if code == 0 { return }
            let error = SystemError(operation: "write to", path: "the socket", code: code)
            guard error.isFull else { throw error }
            _ = socket.wait(for: .room, milliseconds: Client.milliseconds)
        }
    }

    /// Stores records, and waits for the answer.
    func store(_ records: [AuditRecord]) throws -> ServiceAnswer.Result {
        try ask(.attempts(records.map { $0.encoded() }, unsent: 0))
    }

    /// Waits for the next answer.
    func answer() throws -> ServiceAnswer {
        guard socket.wait(milliseconds: Client.milliseconds) else {
            throw ClientFailure(description: "There is no answer.")
        }
        guard case .message(let bytes) = socket.receive(limit: ServiceProtocol.longestMessage) else {
            throw ClientFailure(description: "The service closed the connection.")
        }
        return try ServiceAnswer(bytes)
    }

    /// Whether the service has closed the connection; waits for it.
    func isClosed() -> Bool {
        let isReady = socket.wait(milliseconds: Client.milliseconds)
        return isReady && socket.receive(limit: ServiceProtocol.longestMessage) == .closed
    }

    /// An attempt, which differs from others by its number.
    static func attempt(_ number: Int, count: Int? = nil) -> AuditRecord {
        var record = AuditRecord(kind: .override, src: .client)
        (record.via, record.outcome) = (.set, .refused)
        (record.domain, record.key) = ("org.example.app", "Key")
        record.tried = ValueSummary(.integer(number))
        record.count = count
        return record
    }
}

/// The records of a machine's log.
extension TemporaryMachine {
    /// All records of the log, in order.
    func records() throws -> [AuditRecord] {
        try read("var/log/managed-defaults/current.jsonl").split(separator: 0x0a).map { try AuditRecord(line: $0) }
    }

    /// The numbers of attempts that are stored, and that are counted as not stored, by reason.
    func sums() throws -> (stored: Int, dropped: [String: Int]) {
        var (stored, dropped) = (0, [String: Int]())
        for record in try records() {
            if record.kind == .override { stored += record.count ?? 1 }
            if record.kind == .drop {
                let reason = record.note?.split(separator: ":").first.map(String.init) ?? ""
                dropped[reason, default: 0] += record.count ?? 0
            }
        }
        return (stored, dropped)
    }
}
