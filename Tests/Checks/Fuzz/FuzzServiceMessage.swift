import MDPropertyList

@testable import MDAuditClient
@testable import MDAuditDaemon
@testable import MDAuditRecord

/// Feeds the readers of messages to and from the audit service; what is read is written, and must read back the same.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let head = MessageHead(bytes)
    guard head.records <= count, head.attempts.claimed >= 0, head.unsent >= 0 else {
        fatalError("a count is impossible")
    }
    do throws(ServiceMessageError) {
        let request = try ServiceRequest(bytes)
        guard request.encoded == bytes else { fatalError("a request changed in writing") }
        if case .attempts(let records, let unsent) = request.content {
            guard head.isAttempts, head.number == request.number, head.records <= records.count else {
                fatalError("the head is that of another message")
            }
            guard unsent > MessageHead.mostAttempts || head.unsent == unsent else { fatalError("a count is wrong") }
            for record in records {
                do throws(AuditError) {
                    let claim = try AuditRecord(claim: record)
                    _ = claim.encoded()
                } catch {
                    guard !error.description.isEmpty else { fatalError("an error has no message") }
                }
            }
        }
    } catch {
        guard !error.description.isEmpty else { fatalError("an error has no message") }
    }
    if let answer = try? ServiceAnswer(bytes), (try? ServiceAnswer(answer.encoded)) != answer {
        fatalError("an answer changed in writing")
    }
    return 0
}
