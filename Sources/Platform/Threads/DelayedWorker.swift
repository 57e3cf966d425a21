import Synchronization

/// Runs a function on a thread of its own, a short while after somebody asked, once for everybody who asked meanwhile.
///
/// There is no thread while nothing is asked for. The delay gathers changes; nothing depends on its length. In a child
/// process that fork(2) made, the worker has no thread and starts one when it is asked.
package final class DelayedWorker: Sendable {
    /// What the worker is doing, in one word, so that no lock can be left held in a forked child.
    ///
    /// The process id above two bits: whether a run is asked for that has not begun, and whether the thread lives.
    private let state = Atomic<UInt64>(0)
    /// The time between the asking and the run, in milliseconds.
    private let delay: Int
    /// The function that is run.
    private let work: @Sendable () -> Void

    /// A run is asked for that has not begun.
    private static let asked: UInt64 = 1
    /// The thread lives.
    private static let running: UInt64 = 2

    /// Makes a worker without starting anything.
    package init(delayMilliseconds: Int, _ work: @escaping @Sendable () -> Void) {
        delay = delayMilliseconds
        self.work = work
    }

    /// Asks for a run.
    ///
    /// - Returns: whether a run will follow; false where the system grants no thread, so that the caller does the work.
    package func ask() -> Bool {
        let here = UInt64(UInt32(bitPattern: CurrentProcess.pid)) << 2
        let before = replace { $0 & ~3 == here ? $0 | DelayedWorker.asked | DelayedWorker.running : here | 3 }
        if before & ~3 == here, before & DelayedWorker.running != 0 { return true }
        // The thread keeps the worker alive until it ends.
        if BackgroundThread.start("defaults-save", { self.run() }) != nil { return true }
        state.store(here, ordering: .sequentiallyConsistent)
        return false
    }

    /// Works until nobody asks any more.
    private func run() {
        var isAsked = true
        while isAsked {
            Clock.pause(microseconds: Int64(clamping: delay) * 1_000)
            _ = replace { $0 & ~DelayedWorker.asked }
            work()
            isAsked =
                replace { $0 & DelayedWorker.asked != 0 ? $0 : $0 & ~DelayedWorker.running } & DelayedWorker.asked != 0
        }
    }

    /// Changes the word in one step.
    ///
    /// - Returns: what it was.
    private func replace(_ change: (UInt64) -> UInt64) -> UInt64 {
        var old = state.load(ordering: .sequentiallyConsistent)
        while true {
            let (exchanged, original) = state.compareExchange(
                expected: old, desired: change(old), ordering: .sequentiallyConsistent)
            if exchanged { return original }
            old = original
        }
    }
}
