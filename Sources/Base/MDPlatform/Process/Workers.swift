import MDCPlatform
import Synchronization

/// Distributes the work of commands over a few threads; a program that does not allow it works on one.
package enum Workers {
    /// Whether threads may be started.
    ///
    /// The threads of an application are its own, so only the `main` of a command sets this.
    private static let areAllowed = Atomic<Bool>(false)
    /// The most threads of one piece of work, the caller's own included.
    private static let most = 4
    /// The fewest elements that are worth a thread.
    private static let fewest = 16

    /// How many threads can work at the same time, at most ``most``.
    private static var count: Int { min(max(Int(cplatform_processor_count()), 1), most) }

    /// Calls a function for each element and returns the results in the order of the elements.
    ///
    /// The caller works too, and returns when every other thread has finished, because it may fork afterwards. If the
    /// system grants no thread, the caller does everything.
    ///
    /// - Parameters:
    ///   - elements: the arguments of the function, each passed once.
    ///   - body: the function, which is called on any of the threads.
    /// - Returns: the results.
    package static func map<Element: Sendable, Result: Sendable>(
        _ elements: [Element], _ body: @escaping @Sendable (Element) -> Result
    ) -> [Result] {
        map(elements, isSpread: areAllowed.load(ordering: .relaxed), body)
    }

    /// Allows threads, for the rest of the process.
    package static func allow() { areAllowed.store(true, ordering: .relaxed) }

    /// Calls a function for each element, on several threads if that is allowed.
    static func map<Element: Sendable, Result: Sendable>(
        _ elements: [Element], isSpread: Bool, _ body: @escaping @Sendable (Element) -> Result
    ) -> [Result] {
        let count = isSpread && elements.count >= fewest ? count : 1
        guard count > 1 else { return elements.map(body) }
        let work = SharedWork(elements, stretch: max(elements.count / (count * 16), 1), body)
        for _ in 1..<count { work.startHelper() }
        return work.finish()
    }
}

/// Elements that several threads process in stretches.
private final class SharedWork<Element: Sendable, Result: Sendable>: Sendable {
    /// The progress of the threads.
    private struct State {
        /// The results by the index of the first element of each stretch.
        var stretches: [(start: Int, results: [Result])] = []
        /// How many helpers are at work.
        var helpers = 0
    }

    /// The elements.
    private let elements: [Element]
    /// How many of them a thread processes at a time.
    private let stretch: Int
    /// The function.
    private let body: @Sendable (Element) -> Result
    /// The index of the next element that no thread has started.
    private let next = Atomic<Int>(0)
    /// The progress of the threads.
    private let state = Monitor(State())

    /// Creates work for some elements.
    init(_ elements: [Element], stretch: Int, _ body: @escaping @Sendable (Element) -> Result) {
        self.elements = elements
        self.stretch = stretch
        self.body = body
    }

    /// Starts a thread that helps, if the system grants one.
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

    /// Processes stretches until none is left.
    private func work() {
        while true {
            let start = next.add(stretch, ordering: .relaxed).oldValue
            guard start < elements.count else { return }
            let results = elements[start..<min(start + stretch, elements.count)].map(body)
            state.withLock { $0.stretches.append((start, results)) }
        }
    }
}
