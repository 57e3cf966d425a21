import Foundation
import MDTestSupport
import ManagedDefaults
import Testing

/// Changes that others make arrive without anybody asking.
struct LiveTests {
    /// Waits for the change of a key that ends in a state, or gives up after a time far above any that it takes.
    static func change(
        _ defaults: ManagedDefaults, _ key: String, when isSo: @escaping @Sendable (ManagedDefaults.Change) -> Bool,
        after act: () throws -> Void
    ) async throws -> ManagedDefaults.Change? {
        let (changes, continuation) = AsyncStream.makeStream(of: ManagedDefaults.Change.self)
        let observation = defaults.observeChanges(forKey: key) { continuation.yield($0) }
        defer { observation.cancel() }
        try act()
        let task = Task { () -> ManagedDefaults.Change? in
            for await change in changes where isSo(change) { return change }
            return nil
        }
        let limit = Task {
            try await Task.sleep(for: .seconds(60))
            task.cancel()
        }
        defer { limit.cancel() }
        return await task.value
    }

    @Test func `another writer's change arrives`() async throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        let file = "home/pupil/.config/\(TemporaryMachine.application).plist"
        let change = try await LiveTests.change(defaults, "K", when: { $0.value as? Int == 5 }) {
            try machine.write("<plist><dict><key>K</key><integer>5</integer></dict></plist>", to: file)
        }
        #expect(change?.cause == .otherProcess)
        #expect(defaults.integer(forKey: "K") == 5)
        // An editor writes beside it and renames.
        let again = try await LiveTests.change(defaults, "K", when: { $0.value as? String == "6" }) {
            try machine.write("{ K = 6; L = <01>; }", to: file + ".new")
            #expect(rename(machine.path + "/" + file + ".new", machine.path + "/" + file) == 0)
        }
        #expect(again != nil)
        #expect(defaults.string(forKey: "K") == "6")
        #expect(defaults.data(forKey: "L") == Data([1]))
        let removed = try await LiveTests.change(defaults, "L", when: { $0.value == nil }) {
            try FileManager.default.removeItem(atPath: machine.path + "/" + file)
        }
        #expect(removed != nil && defaults.object(forKey: "K") == nil)
    }

    @Test func `policy that arrives disables controls at once`() async throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        defaults.set("mine", forKey: "HomePage")
        let forced = try await LiveTests.change(defaults, "HomePage", when: { $0.isForced }) {
            try machine.write(ForcedKeyTests.policy, to: "etc/managed-defaults/policies.d/20-new.json")
        }
        #expect(forced?.cause == .policy)
        #expect(forced?.forcedEntry?.policy == "org.example.lab")
        #expect(defaults.objectIsForced(forKey: "HomePage"))
        let freed = try await LiveTests.change(defaults, "HomePage", when: { !$0.isForced }) {
            try FileManager.default.removeItem(
                atPath: machine.path + "/etc/managed-defaults/policies.d/20-new.json")
        }
        #expect(freed?.value as? String == "mine")
    }

    @Test func `policy that was recorded ends when that is recorded, and not with its file`() async throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        try machine.write(ForcedKeyTests.policy, to: "etc/managed-defaults/policies.d/20-new.json")
        try machine.apply()
        let defaults = try machine.open()
        defaults.set("mine", forKey: "Own")
        #expect(defaults.objectIsForced(forKey: "HomePage"))
        try machine.remove("etc/managed-defaults/policies.d/20-new.json")
        #expect(defaults.synchronize())
        #expect(defaults.string(forKey: "HomePage") == "https://school.example/")
        // Policy stays in force without the directory too, because nothing recorded has ended.
        try machine.remove("etc/managed-defaults")
        try machine.apply()
        #expect(defaults.synchronize() && defaults.objectIsForced(forKey: "HomePage"))
        #expect(try machine.open().objectIsForced(forKey: "HomePage"))
        try machine.write(DomainTests.free, to: "etc/managed-defaults/policies.d/10-test.json")
        #expect(defaults.synchronize() && defaults.objectIsForced(forKey: "HomePage"))
        let freed = try await LiveTests.change(defaults, "HomePage", when: { !$0.isForced }) { try machine.apply() }
        #expect(freed?.cause == .policy)
        #expect(!defaults.objectIsForced(forKey: "HomePage"))
    }

    @Test func `the first policy of a machine reaches a program that runs`() async throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        try machine.remove("etc/managed-defaults")
        // The package makes it.
        try FileManager.default.createDirectory(
            atPath: machine.path + "/var/lib/managed-defaults", withIntermediateDirectories: true)
        let defaults = try machine.open()
        let forced = try await LiveTests.change(defaults, "HomePage", when: { $0.isForced }) {
            try machine.write(ForcedKeyTests.policy, to: "etc/managed-defaults/policies.d/10-test.json")
        }
        #expect(forced?.value as? String == "https://school.example/")
    }

    @Test(arguments: [true, false])
    func `an application records nothing of policy`(_ isRecorded: Bool) async throws {
        let machine = try TemporaryMachine(policy: ForcedKeyTests.policy)
        if isRecorded { try machine.apply() }
        let kept = machine.names(in: "var/lib")
        #expect(kept.isEmpty != isRecorded)
        let file = "etc/managed-defaults/policies.d/10-test.json"
        do {
            let defaults = try machine.open(arguments: ["browser", "-Proxy", "p"])
            guard case .refused = defaults.set("mine", forKey: "HomePage") else {
                Issue.record("a forced key was stored")
                return
            }
            defaults.set(1, forKey: "Own")
            #expect(defaults.synchronize())
            // A change, a file that breaks, and a removed file, seen by the watching thread and by any thread that
            // asks.
            let text = ForcedKeyTests.policy.replacingOccurrences(of: "school.example", with: "exam.example")
            let changed = try await LiveTests.change(
                defaults, "HomePage", when: { $0.value as? String == "https://exam.example/" }
            ) { try machine.write(text, to: file) }
            #expect(changed?.isForced == true)
            try machine.write("{", to: file)
            #expect(defaults.synchronize())
            try machine.remove(file)
            #expect(defaults.synchronize())
            #expect(defaults.objectIsForced(forKey: "HomePage") == isRecorded)
        }
        _ = try machine.open().string(forKey: "HomePage")
        #expect(machine.names(in: "var/lib") == kept)
    }

    @Test func `what a link leads to is seen wherever it lies`() async throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        let (link, target) = (machine.path + "/etc/managed-defaults/policies.d/20-link.json", "srv/policy/lesson.json")
        try machine.write(ForcedKeyTests.policy, to: target)
        let forced = try await LiveTests.change(defaults, "HomePage", when: { $0.isForced }) {
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/" + target)
        }
        #expect(forced != nil)
        // In place, then by a rename, then by another link in the way.
        for (page, isInPlace) in [("one", true), ("two", false), ("three", true)] {
            let text = ForcedKeyTests.policy.replacingOccurrences(of: "school.example", with: page)
            let changed = try await LiveTests.change(
                defaults, "HomePage", when: { $0.value as? String == "https://\(page)/" }
            ) {
                try machine.write(text, to: isInPlace ? target : target + ".new")
                if !isInPlace { #expect(rename("\(machine.path)/\(target).new", "\(machine.path)/\(target)") == 0) }
            }
            #expect(changed != nil, "\(page)")
        }
        try machine.write(
            ForcedKeyTests.policy.replacingOccurrences(of: "school", with: "four"), to: "opt/p/other.json")
        let moved = try await LiveTests.change(
            defaults, "HomePage", when: { $0.value as? String == "https://four.example/" }
        ) {
            try FileManager.default.createSymbolicLink(atPath: link + ".new", withDestinationPath: "/opt/p/other.json")
            #expect(rename(link + ".new", link) == 0)
        }
        #expect(moved != nil)
        let last = try await LiveTests.change(
            defaults, "HomePage", when: { $0.value as? String == "https://five.example/" }
        ) {
            try machine.write(
                ForcedKeyTests.policy.replacingOccurrences(of: "school", with: "five"), to: "opt/p/other.json")
        }
        #expect(last != nil)
    }
}
