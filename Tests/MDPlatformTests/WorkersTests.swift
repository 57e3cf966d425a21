import Foundation
import MDCPlatform
import Testing

@testable import MDPlatform

/// Work that a few threads share.
struct WorkersTests {
    @Test(arguments: [0, 1, 15, 16, 17, 500, 5_003], [false, true])
    func `calls the function once for each element and keeps the order`(_ count: Int, _ isSpread: Bool) {
        let calls = Guarded([Int](repeating: 0, count: count))
        let results = Workers.map(Array(0..<count), isSpread: isSpread) { number in
            calls.withLock { $0[number] += 1 }
            return "\(number)"
        }
        #expect(results == (0..<count).map(String.init))
        #expect(calls.withLock { $0.allSatisfy { $0 == 1 } })
    }

    @Test func `starts no thread unless it is asked to`() {
        let here = CurrentThread.id
        let threads = Workers.map(Array(0..<1_000), isSpread: false) { _ in CurrentThread.id }
        #expect(threads.allSatisfy { $0 == here })
    }

    @Test func `returns when every helper is done with its last element`() {
        let busy = Guarded(0)
        for _ in 0..<50 {
            let sums = Workers.map(Array(0..<64), isSpread: true) { number in
                busy.withLock { $0 += 1 }
                defer { busy.withLock { $0 -= 1 } }
                return (0...number).reduce(0, +)
            }
            #expect(busy.withLock { $0 } == 0)
            #expect(sums.last == 63 * 32)
        }
    }

    @Test(.enabled(if: cplatform_processor_count() > 1, "this machine has one processor"))
    func `has other threads help`() {
        let here = CurrentThread.id
        let seen = Guarded<Set<UInt>>([])
        let helped = DispatchSemaphore(value: 0)
        _ = Workers.map(Array(0..<64), isSpread: true) { _ in
            let id = CurrentThread.id
            let isFirst = seen.withLock { $0.insert(id).inserted }
            // The caller waits with its first element until another thread has one.
            if id != here {
                helped.signal()
            } else if isFirst {
                #expect(helped.wait(timeout: .now() + TestLimit.seconds) == .success)
            }
        }
        // They may have been so quick that nothing was left for the caller.
        #expect(seen.withLock { $0.contains { $0 != here } })
    }
}
