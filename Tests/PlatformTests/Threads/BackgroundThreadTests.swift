import Foundation
import Testing

@testable import Platform

/// Threads that nobody joins.
struct BackgroundThreadTests {
    /// Whoever names a thread from outside may come after its end, when its number means nobody or another thread.
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
            #expect(ended.wait(timeout: .now() + 60) == .success)
        }
        #expect(names.withLock { $0.filter { $0 != "defaults-test\n" } }.isEmpty)
    }
}
