import Foundation
import MDTestSupport
import ManagedDefaults
import ManagedDefaultsFoundation
import Synchronization
import Testing

struct NotificationTests {
    /// Counts the notifications of one object.
    final class Counter: Sendable {
        /// How many so far, and whether one had more to say than it may.
        let state = Mutex((count: 0, isForeign: false))
        /// The observer's token.
        nonisolated(unsafe) private var token: (any NSObjectProtocol)?

        /// Begins to count.
        init(_ defaults: UserDefaults) {
            let name = UserDefaults.didChangeNotification
            token = NotificationCenter.default.addObserver(forName: name, object: defaults, queue: nil) {
                [weak self] notification in
                let isForeign = notification.userInfo != nil || !(notification.object is ManagedUserDefaults)
                self?.state.withLock { $0 = ($0.count + 1, $0.isForeign || isForeign) }
            }
        }

        deinit {
            if let token { NotificationCenter.default.removeObserver(token) }
        }

        /// How many since the last call.
        func take() -> Int {
            state.withLock { state in
                defer { state.count = 0 }
                return state.count
            }
        }
    }

    @Test func `one notification for each effective change`() throws {
        let machine = try TemporaryMachine(forced: #"{ "org.example.Browser": { "Forced": 5 } }"#)
        let defaults = try machine.open(arguments: ["x", "-Argument", "1"])
        let other = try machine.open()
        let (counter, others) = (Counter(defaults), Counter(other))
        defaults.set(1, forKey: "K")
        #expect(counter.take() == 1)
        defaults.set(1, forKey: "K")
        #expect(counter.take() == 0)
        defaults.set(6, forKey: "Forced")
        defaults.removeObject(forKey: "Forced")
        defaults.removeObject(forKey: "Missing")
        defaults.set(UUID(), forKey: "K")
        #expect(counter.take() == 0)
        // Hidden beneath an argument of one object, and not of the other.
        #expect(others.take() == 1)
        defaults.set(2, forKey: "Argument")
        #expect(counter.take() == 0)
        #expect(others.take() == 1)
        defaults.register(defaults: ["K": 3, "New": 4])
        #expect(counter.take() == 1)
        defaults.removeObject(forKey: "K")
        #expect(counter.take() == 1)
        _ = others.take()
        defaults.setPersistentDomain(["A": 1, "B": 2], forName: TemporaryMachine.application)
        #expect(counter.take() == 1)
        // The other object had seen the value beneath the argument too.
        #expect(others.take() == 3)
        #expect(counter.state.withLock { !$0.isForeign })
    }

    @Test func `each call that writes a whole domain posts once, as with Foundation`() throws {
        let machine = try TemporaryMachine()
        let defaults = try machine.open()
        let counter = Counter(defaults)
        defaults.setPersistentDomain(["A": 1, "B": 2], forName: "org.example.other")
        #expect(counter.take() == 1)
        defaults.setPersistentDomain(["A": 1, "B": 2], forName: "org.example.other")
        #expect(counter.take() == 1)
        for _ in 0..<2 {
            defaults.removePersistentDomain(forName: "org.example.other")
            #expect(counter.take() == 1)
        }
        defaults.setPersistentDomain(["A": 1], forName: "../evil")
        #expect(counter.take() == 0)
    }

    @Test func `an observer may use the defaults`() throws {
        let machine = try TemporaryMachine()
        let defaults = try machine.open()
        let name = UserDefaults.didChangeNotification
        let seen = Mutex<[Int]>([])
        nonisolated(unsafe) let object = defaults
        let token = NotificationCenter.default.addObserver(forName: name, object: defaults, queue: nil) { _ in
            let value = object.integer(forKey: "K")
            seen.withLock { $0.append(value) }
            if value < 3 { object.set(value + 1, forKey: "K") }
        }
        defaults.set(1, forKey: "K")
        NotificationCenter.default.removeObserver(token)
        #expect(seen.withLock { $0 } == [1, 2, 3])
    }

    @Test func `nobody is told for an object that is gone`() throws {
        let machine = try TemporaryMachine()
        let managed = try machine.managed()
        weak var gone: ManagedUserDefaults?
        do {
            let defaults = ManagedUserDefaults(managed)
            gone = defaults
            defaults.set(1, forKey: "K")
        }
        #expect(gone == nil)
        #expect(managed.set(2, forKey: "K") == .stored)
    }
}
