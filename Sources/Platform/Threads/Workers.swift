import CPlatform
import Synchronization

/// Spreads work over a few threads, for commands that somebody waits for; the library in applications never asks for it.
package enum Workers {
    /// The most threads of one piece of work, the caller's own included.
    private static let most = 4
    /// So many elements are worth a thread.
    private static let fewest = 16

    /// How many threads can work at the same time, at most ``most``.
    private static var count: Int { min(max(Int(cplatform_processor_count()), 1), most) }

    /// The results of a function for each element, in the order of the elements.
    ///
    /// The caller works too, and returns once every other thread has nothing left to do: what follows may fork. Where the
    /// system grants no thread, the caller does all.
    ///
    /// - Parameters:
    ///   - elements: what the function is called with, each once.
    ///   - isSpread: whether threads may be started; none are otherwise.
    ///   - body: the function, which is called on any of the threads.
    /// - Returns: the results.
    package static func map<Element: Sendable, Result: Sendable>(
        _ elements: [Element], isSpread: Bool, _ body: @escaping @Sendable (Element) -> Result
    ) -> [Result] {
        let count = isSpread && elements.count >= fewest ? count : 1
        guard count > 1 else { return elements.map(body) }
        let work = SharedWork(elements, stretch: max(elements.count / (count * 16), 1), body)
        for _ in 1..<count { work.startHelper() }
        return work.finish()
    }
}

extension Workers {
    /// The results of two functions, of which another thread calls the second meanwhile.
    ///
    /// Returns once both have ended. Where the system grants no thread, one is called after the other.
    ///
    /// - Parameters:
    ///   - isSpread: whether a thread may be started; none is otherwise, nor where there is one processor.
    ///   - first: what the caller does itself.
    ///   - second: what another thread does meanwhile.
    /// - Returns: both results.
    package static func pair<First, Second: Sendable>(
        isSpread: Bool, _ first: () -> First, _ second: @escaping @Sendable () -> Second
    ) -> (First, Second) {
        let result = Monitor<Second?>(nil)
        let isStarted =
            isSpread && count > 1
            && BackgroundThread.start("defaults-work") {
                let value = second()
                result.withLock { $0 = value }
            } != nil
        let own = first()
        guard isStarted else { return (own, second()) }
        result.wait { $0 != nil }
        return (own, result.withLock { $0 } ?? second())
    }
}

/// Elements that several threads take by stretches.
private final class SharedWork<Element: Sendable, Result: Sendable>: Sendable {
    /// What the threads have so far.
    private struct State {
        /// The results by the index of the first element of each stretch.
        var stretches: [(start: Int, results: [Result])] = []
        /// How many helpers are at work.
        var helpers = 0
    }

    /// The elements.
    private let elements: [Element]
    /// How many of them a thread takes at once.
    private let stretch: Int
    /// The function.
    private let body: @Sendable (Element) -> Result
    /// The index of the next element that nobody took.
    private let next = Atomic<Int>(0)
    /// What the threads have so far.
    private let state = Monitor(State())

    /// Takes over elements.
    init(_ elements: [Element], stretch: Int, _ body: @escaping @Sendable (Element) -> Result) {
        self.elements = elements
        self.stretch = stretch
        self.body = body
    }

    /// Starts a thread that helps, where the system grants one.
    func startHelper() {
        state.withLock { $0.helpers += 1 }
        let thread = BackgroundThread.start("defaults-work") {
            self.work()
            self.state.withLock { $0.helpers -= 1 }
        }
        if thread == nil { state.withLock { $0.helpers -= 1 } }
    }

    /// Works until nothing is left, and waits for the helpers; all results.
    func finish() -> [Result] {
        work()
        state.wait { $0.helpers == 0 }
        let stretches = state.withLock { $0.stretches }
        return stretches.sorted { $0.start < $1.start }.flatMap(\.results)
    }

    /// Takes stretches until none is left.
    private func work() {
        while true {
            let start = next.add(stretch, ordering: .relaxed).oldValue
            guard start < elements.count else { return }
            let results = elements[start..<min(start + stretch, elements.count)].map(body)
            state.withLock { $0.stretches.append((start, results)) }
        }
    }
}
