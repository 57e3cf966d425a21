import Foundation
import Testing

@testable import MDPlatform

/// Detached threads.
struct BackgroundThreadTests {
    /// A thread that is named from outside may have ended before, when its number is free or another thread's.
    @Test func `a thread has its name before it does anything, however short it lives`() {
        let names = Guarded<[String]>([])
        let ended = DispatchSemaphore(value: 0)
        for _ in 0..<500 {
            let thread = BackgroundThread.start("defaults-test") {
                let name = try? Root.system.read("/proc/thread-self/comm", limit: 64).bytes
                names.withLock { $0.append(String(decoding: name ?? [], as: UTF8.self)) }
                ended.signal()
            }
            #expect(thread != nil)
            #expect(ended.wait(timeout: .now() + TestLimit.seconds) == .success)
        }
        #expect(names.withLock { $0.filter { $0 != "defaults-test\n" } }.isEmpty)
    }
}

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
            if number.isMultiple(of: 7) { #expect(ran.wait(timeout: .now() + TestLimit.seconds) == .success) }
        }
        while served.withLock({ $0 }) != 200 { #expect(ran.wait(timeout: .now() + TestLimit.seconds) == .success) }
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
        #expect(ran.wait(timeout: .now() + TestLimit.seconds) == .success)
        #expect(most.withLock { $0 } == 1)
        #expect(runs.withLock { $0 } < 16_000)
    }
}
