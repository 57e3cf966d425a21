import MDPropertyList
import Testing

@testable import MDAuditClient
@testable import MDAuditRecord

/// The messages between a process and the audit service.
struct ServiceMessageTests {
    @Test(arguments: [
        ServiceRequest.Content.attempts([Array("{}".utf8), Array("{\"v\":1}".utf8)], unsent: 7),
        .attempts([], unsent: 3), .identity, .opened(["org.example.App", "NSGlobalDomain"]), .health,
        .engine("1.0~beta"), .engines,
    ])
    func `a request is parsed as it was written`(_ content: ServiceRequest.Content) throws {
        let request = ServiceRequest(number: 12, content)
        #expect(try ServiceRequest(request.encoded) == request)
    }

    @Test(arguments: [
        ServiceAnswer.Result.stored(first: 5, count: 2), .dropped("rate"), .unavailable("the disk is full"),
        .invalid("it has no kind"), .done, .health(ServiceTotals(received: 3, stored: 2, dropped: 1)),
        .engines([], more: 3),
        .engines(
            [
                ConnectedProgram(engine: nil, name: "process 7", count: 1),
                ConnectedProgram(engine: "1.0", name: "/opt/a b\nc", count: 12),
            ], more: 0),
        .identity(ServiceIdentity(uid: 1_000, gid: 1_000, loginUID: nil, groups: [4, 27])),
        .identity(ServiceIdentity(uid: 0, gid: 0, loginUID: 1_000, groups: [])),
    ])
    func `an answer is parsed as it was written`(_ result: ServiceAnswer.Result) throws {
        let answer = ServiceAnswer(number: 1, result)
        #expect(try ServiceAnswer(answer.encoded) == answer)
    }

    @Test(arguments: [
        "", "\n", "MD1", "MD1\n", "MD2 1 health\n", "MD1 1\n", "MD1 1 health", "MD1 01 health\n", "MD1 -1 health\n",
        "MD1 +1 health\n", "MD1 9007199254740992 health\n", "MD1 1  health\n", "MD1 1 health \n", "MD1 1 health\n\n",
        "MD1 1 sing\n", "MD1 1 attempts\n", "MD1 1 attempts x\n", "MD1 1 opened\n", "MD1 1 opened\n\n",
        " MD1 1 health\n", "MD1 1 engine\n", "MD1 1 engine \n", "MD1 1 engine 1.0 x\n", "MD1 1 engine \u{7f}\n",
        "MD1 1 engines 0\n1.0 0 /bin/a\n", "MD1 1 engines 0\n1.0 1 \n", "MD1 1 engines 0\n\n",
        "MD1 1 attempts 0\n" + String(repeating: "{}\n", count: 17),
        "MD1 1 health\n" + String(repeating: "x", count: 4_096),
    ])
    func `what breaks a rule is refused`(_ text: String) {
        #expect(throws: ServiceMessageError.self) { try ServiceRequest(Array(text.utf8)) }
        #expect(throws: ServiceMessageError.self) { try ServiceAnswer(Array(text.utf8)) }
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(throws: ServiceMessageError.self) { try ServiceRequest(Array("MD1 1 \u{ff}".utf8) + [0xff, 0x0a]) }
        #expect(throws: ServiceMessageError.self) {
            try ServiceRequest(Array("MD1 1 opened\n".utf8) + [0xff, 0x0a])
        }
    }

    @Test func `a claim needs no time, and a line of the log does`() throws {
        let line = Array(#"{"v":1,"kind":"override","domain":"a","key":"b"}"#.utf8)
        #expect(try AuditRecord(claim: line).key == "b")
        #expect(throws: AuditError.self) { try AuditRecord(line: line) }
    }
}
