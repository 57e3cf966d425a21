import Foundation
import Testing

@testable import Platform

/// Work that is done a moment later.
struct DelayedWorkerTests {
    @Test func `whoever asks is served by a run that begins afterwards`() {
        let asked = Guarded(0)
        let served = Guarded(0)
        let ran = DispatchSemaphore(value: 0)
        let worker = DelayedWorker(delayMilliseconds: 1) {
            let now = asked.withLock { $0 }
            served.withLock { $0 = now }
            ran.signal()
        }
        for number in 1...200 {
            asked.withLock { $0 = number }
            #expect(worker.ask())
            if number.isMultiple(of: 7) { #expect(ran.wait(timeout: .now() + 60) == .success) }
        }
        while served.withLock({ $0 }) != 200 { #expect(ran.wait(timeout: .now() + 60) == .success) }
    }

    @Test func `runs do not overlap, and many askers share them`() {
        let inside = Guarded(0)
        let most = Guarded(0)
        let runs = Guarded(0)
        let ran = DispatchSemaphore(value: 0)
        let worker = DelayedWorker(delayMilliseconds: 1) {
            let depth = inside.withLock { count in
                count += 1
                return count
            }
            most.withLock { $0 = max($0, depth) }
            runs.withLock { $0 += 1 }
            inside.withLock { $0 -= 1 }
            ran.signal()
        }
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<2_000 { _ = worker.ask() }
        }
        #expect(ran.wait(timeout: .now() + 60) == .success)
        #expect(most.withLock { $0 } == 1)
        #expect(runs.withLock { $0 } < 16_000)
    }
}
