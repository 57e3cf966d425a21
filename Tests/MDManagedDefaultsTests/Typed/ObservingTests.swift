import Foundation
import MDPlatform
import MDTestSupport
import ManagedDefaults
import Observation
import Testing

extension ManagedDefaults.Keys {
    fileprivate static let count = Key("a.b.Count", default: 0)
    fileprivate static let home = Key("HomePage", default: "about:blank")
}

struct ObservingTests {
    /// Forces the home page to what every value says that is not forced.
    static let samePolicy = """
        { "Identifier": "org.example.lab", "Forced": { "org.example.Browser": { "HomePage": "mine" } } }
        """

    @Test func `settings begin with the one in effect and the newest wins`() async throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        defaults[.count] = 5
        var settings = defaults.settings(for: .count).makeAsyncIterator()
        #expect(await settings.next()?.value == 5)
        for number in 6...9 { defaults[.count] = number }
        #expect(await settings.next()?.value == 9)
        defaults.set(9.0, forKey: "Other")
        defaults.remove(.count)
        #expect(await settings.next()?.value == 0)
        // A value that came and went before anybody looked is no change.
        defaults[.count] = 1
        defaults.remove(.count)
        defaults[.count] = 2
        #expect(await settings.next()?.value == 2)
    }

    @Test func `every change arrives where each is taken`() async throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        var expected = 0
        for await setting in defaults.settings(for: .count) {
            #expect(setting.value == expected)
            guard expected < 200 else { break }
            expected += 1
            defaults[.count] = expected
        }
        #expect(expected == 200)
    }

    @Test func `the last value arrives from many threads`() async throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        let reader = Task {
            var last = -1
            for await setting in defaults.settings(for: .count) {
                last = setting.value
                if last == -9 { break }
            }
            return last
        }
        await withTaskGroup { group in
            for first in 0..<4 {
                group.addTask { for number in 0..<200 { defaults[.count] = first * 1000 + number } }
            }
        }
        defaults[.count] = -9
        #expect(await reader.value == -9)
    }

    @Test func `sequences end with their task`() async throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        let (started, signal) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            var seen: [Int] = []
            for await setting in defaults.settings(for: .count) {
                seen.append(setting.value)
                signal.yield()
            }
            return seen
        }
        for await _ in started { break }
        task.cancel()
        #expect(await task.value == [0])
        // Sequences of a cancelled task are empty or have what is in effect; they end in any case.
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var count = 0
            for await _ in defaults.settings(for: .count) { count += 1 }
            return count
        }
        #expect(await cancelled.value <= 1)
    }

    @Test func `the forced state arrives as a change`() async throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        defaults[.home] = "mine"
        var settings = defaults.settings(for: .home).makeAsyncIterator()
        let first = await settings.next()
        #expect(first?.value == "mine" && first?.isForced == false)
        // The same value, but forced now: a settings page must lock its control.
        try machine.write(ObservingTests.samePolicy, to: "etc/managed-defaults/policies.d/10-test.json")
        #expect(defaults.synchronize())
        let locked = await settings.next()
        #expect(locked?.value == "mine" && locked?.isForced == true)
        #expect(locked?.forcedEntry?.policy == "org.example.lab")
        try machine.write(ForcedKeyTests.policy, to: "etc/managed-defaults/policies.d/10-test.json")
        #expect(defaults.synchronize())
        let other = await settings.next()
        #expect(other?.value == "https://school.example/" && other?.forcedEntry?.contact == "Room 12")
        try machine.write(DomainTests.free, to: "etc/managed-defaults/policies.d/10-test.json")
        #expect(defaults.synchronize())
        #expect(await settings.next()?.isForced == false)
    }

    @Test(.timeLimit(.minutes(15))) func `what others change arrives without being asked for`() async throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        var settings = defaults.settings(for: .home).makeAsyncIterator()
        #expect(await settings.next()?.isDefault == true)
        // Another program replaces the user's file.
        let file = "home/pupil/.config/\(TemporaryMachine.application).plist"
        try machine.write("<plist><dict><key>HomePage</key><string>mine</string></dict></plist>", to: file)
        #expect(await settings.next()?.value == "mine")
        // The administrator puts a policy file into its place.
        try machine.write(ForcedKeyTests.policy, to: "etc/managed-defaults/policies.d/10-test.json")
        let locked = await settings.next()
        #expect(locked?.value == "https://school.example/" && locked?.forcedEntry?.contact == "Room 12")
        try machine.write(DomainTests.free, to: "etc/managed-defaults/policies.d/10-test.json")
        let free = await settings.next()
        #expect(free?.value == "mine" && free?.isForced == false)
    }

    @Test func `observation is told of values and of the forced state`() throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        let home = ManagedDefaults.ObservedSetting(.home, in: defaults)
        let told = Guarded(0)
        /// Reads with tracking.
        func track(_ read: () -> Void) {
            withObservationTracking(read) { told.withLock { $0 += 1 } }
        }
        track { #expect(home.value == "about:blank") }
        defaults.set(1, forKey: "Other")
        #expect(told.withLock { $0 } == 0)
        home.value = "mine"
        #expect(told.withLock { $0 } == 1)
        home.value = "yours"
        #expect(told.withLock { $0 } == 1)
        home.value = "mine"
        track { #expect(!home.isForced) }
        try machine.write(ObservingTests.samePolicy, to: "etc/managed-defaults/policies.d/10-test.json")
        #expect(defaults.synchronize())
        #expect(told.withLock { $0 } == 2)
        track { #expect(home.setting.isForced && home.setting.value == "mine") }
        #expect(home.set("x").isInEffect == false)
        #expect(told.withLock { $0 } == 2)
        try machine.write(DomainTests.free, to: "etc/managed-defaults/policies.d/10-test.json")
        #expect(defaults.synchronize())
        #expect(told.withLock { $0 } == 3)
        #expect(home.remove() == .stored)
        #expect(home.setting.isDefault)
    }

    @Test func `observations follow a setting`() async throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        let count = ManagedDefaults.ObservedSetting(.count, in: defaults)
        var seen = 0
        for await value in Observations({ count.value }) {
            #expect(value == seen)
            guard seen < 20 else { break }
            seen += 1
            count.value = seen
        }
        #expect(seen == 20)
    }

    /// A part of an application on the main actor.
    @MainActor private final class Page {
        @ManagedDefaults.Stored var count: Int
        let observed: ManagedDefaults.ObservedSetting<Int>

        init(_ defaults: ManagedDefaults) {
            _count = ManagedDefaults.Stored(.count, in: defaults)
            observed = ManagedDefaults.ObservedSetting(.count, in: defaults)
        }

        /// Follows the setting up to a value.
        func follow(until last: Int) async -> Int {
            for await setting in $count.settings where setting.value == last { return last }
            return -1
        }
    }

    /// A part of an application on an actor of its own.
    private actor Worker {
        let defaults: ManagedDefaults

        init(_ defaults: ManagedDefaults) { self.defaults = defaults }

        /// Counts up.
        func count(to last: Int) {
            while defaults[.count] < last { defaults[.count] += 1 }
        }
    }

    @Test func `settings are used from several isolation domains`() async throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        let page = await Page(defaults)
        let worker = Worker(defaults)
        async let followed = page.follow(until: 50)
        await worker.count(to: 50)
        #expect(await followed == 50)
        #expect(page.observed.value == 50)
        let key = ManagedDefaults.Keys.count
        #expect(await Task.detached { defaults.setting(for: key).value }.value == 50)
    }
}
