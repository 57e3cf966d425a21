import MDAuditClient
import MDAuditLog
import MDAuditRecord
import Testing

@testable import MDAuditDaemon

/// A batch knows since when its first request waits, and how many clients wait.
struct PendingBatchTests {
    @Test func `a batch begins with the first count or request, whatever records it has by then`() {
        var batch = PendingBatch()
        #expect(batch.begin == nil && batch.isEmpty && batch.awaited == 0)
        batch.entries.append(AuditRecord(kind: .override))
        batch.shares.append(.init(connection: nil, attempts: .init(seen: 1)))
        let joined = JoinedAttempts(record: AuditRecord(kind: .override), sender: 1, lines: 1)
        batch.add(counts: [joined], now: 5)
        #expect(batch.begin == 5)
        batch.add(counts: [joined], now: 9)
        #expect(batch.begin == 5 && batch.entries.count == 3 && batch.counts == [1, 2])
    }
}
