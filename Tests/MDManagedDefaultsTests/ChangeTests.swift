import Foundation
import MDPlatform
import MDTestSupport
import ManagedDefaults
import Testing

struct ChangeTests {
    /// The changes that an observation told of.
    final class Record: Sendable {
        /// The changes.
        private let changes = Guarded<[ManagedDefaults.Change]>([])

        /// Adds one.
        func add(_ change: ManagedDefaults.Change) { changes.withLock { $0.append(change) } }

        /// `key=value`, with `!` where the key is forced.
        var texts: [String] {
            changes.withLock { changes in
                changes.map { "\($0.key)=\($0.value.map { "\($0)" } ?? "nil")\($0.isForced ? "!" : "")" }
            }
        }
    }

    @Test func `one call for each effective change`() throws {
        let machine = try TemporaryMachine(policy: ForcedKeyTests.policy)
        let defaults = try machine.open()
        let (all, dotted) = (Record(), Record())
        let first = defaults.observeChanges { all.add($0) }
        let second = defaults.observeChanges(forKey: "a.b.c") { dotted.add($0) }
        defaults.set(1, forKey: "K")
        defaults.set(1, forKey: "K")
        defaults.set(2, forKey: "a.b.c")
        defaults.register(defaults: ["K": 9, "R": 3])
        defaults.set("https://games.example", forKey: "HomePage")
        defaults.removeObject(forKey: "K")
        defaults.setPersistentDomain(["K": 5], forName: ManagedDefaults.globalDomain)
        #expect(all.texts == ["K=1", "a.b.c=2", "R=3", "K=9", "K=5"])
        #expect(dotted.texts == ["a.b.c=2"])
        second.cancel()
        defaults.set(3, forKey: "a.b.c")
        #expect(dotted.texts == ["a.b.c=2"])
        #expect(all.texts.last == "a.b.c=3")
        withExtendedLifetime(first) {}
    }

    @Test func `changes of other objects arrive in order and handlers may write`() throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let (defaults, other) = (try machine.open(), try machine.open())
        let record = Record()
        let observation = defaults.observeChanges { change in
            record.add(change)
            if change.key == "A" { defaults.set(change.value, forKey: "B") }
        }
        for number in 1...3 { other.set(number, forKey: "A") }
        #expect(record.texts == ["A=1", "B=1", "A=2", "B=2", "A=3", "B=3"])
        withExtendedLifetime(observation) {}
    }

    @Test func `policy that arrives tells of the forced state`() throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        defaults.set("mine", forKey: "HomePage")
        let record = Record()
        let observation = defaults.observeChanges { record.add($0) }
        try machine.write(ForcedKeyTests.policy, to: "etc/managed-defaults/policies.d/10-test.json")
        #expect(defaults.synchronize())
        #expect(
            record.texts == [
                "AllowDownloads=false!", "HomePage=https://school.example/!", "Language=en!", "Proxy=nil!",
                "ZoomLevel=1.5",
            ])
        try machine.write(DomainTests.free, to: "etc/managed-defaults/policies.d/10-test.json")
        #expect(defaults.synchronize())
        #expect(record.texts.contains("HomePage=mine"))
        withExtendedLifetime(observation) {}
    }

    @Test func `sequences give the newest of each key and end with their task`() async throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        var iterator = defaults.changes.makeAsyncIterator()
        defaults.set(1, forKey: "A")
        defaults.set(1, forKey: "B")
        defaults.set(2, forKey: "A")
        let (first, second) = (await iterator.next(), await iterator.next())
        #expect(first?.key == "B" && second?.key == "A" && second?.value as? Int == 2)
        let task = Task {
            var count = 0
            for await _ in defaults.changes { count += 1 }
            return count
        }
        task.cancel()
        #expect(await task.value == 0)
    }

    @Test func `languages follow AppleLanguages`() throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        defaults.set(["en", "xx"], forKey: "AppleLanguages")
        #expect(defaults.searchList.contains("en") && !defaults.searchList.contains("xx"))
        #expect(defaults.stringArray(forKey: "NSMonthNameArray")?.first == "January")
        defaults.set("Jänner", forKey: "NSMonthNameArray")
        #expect(defaults.string(forKey: "NSMonthNameArray") == "Jänner")
    }

    @Test func `AppleLanguages answers with the languages of the search list unless a domain has the key`() throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        // The environment of the tests decides which languages these are.
        let languages = try #require(defaults.stringArray(forKey: "AppleLanguages"))
        #expect(!languages.isEmpty)
        #expect(languages.filter(defaults.searchList.contains) == defaults.searchList.filter(languages.contains))
        #expect(defaults.dictionaryRepresentation()["AppleLanguages"] as? [String] == languages)
        #expect(defaults.persistentDomain(forName: ManagedDefaults.globalDomain)?["AppleLanguages"] == nil)
        let isDefault = defaults.setting(for: ManagedDefaults.Key<[String]>("AppleLanguages", default: [])).isDefault
        #expect(isDefault)
        defaults.register(defaults: ["AppleLanguages": ["en"]])
        #expect(defaults.stringArray(forKey: "AppleLanguages") == ["en"])
        defaults.set(["xx", "en"], forKey: "AppleLanguages")
        #expect(defaults.stringArray(forKey: "AppleLanguages") == ["xx", "en"])
        defaults.searchList = []
        #expect(defaults.object(forKey: "AppleLanguages") == nil)
    }
}
