import Foundation
import MDTestSupport
import ManagedDefaults
import Testing

extension ManagedDefaults.Keys {
    fileprivate static let zoom = Key("ZoomLevel", default: 1.0)
    fileprivate static let home = Key("HomePage", default: "about:blank")
}

struct SnapshotTests {
    @Test func `a snapshot stays as it is while keys and policy change`() throws {
        let machine = try TemporaryMachine(policy: ForcedKeyTests.policy)
        let defaults = try machine.open()
        defaults.set(1, forKey: "A")
        defaults.set("x", forKey: "B")
        defaults.set([1, 2], forKey: "C")
        let before = defaults.snapshot()
        defaults.set(2, forKey: "A")
        defaults.set(true, forKey: "B")
        defaults.removeObject(forKey: "C")
        defaults.set(2.5, for: .zoom)
        defaults.set(1, forKey: "New")
        try machine.write(DomainTests.free, to: "etc/managed-defaults/policies.d/10-test.json")
        #expect(defaults.synchronize())
        #expect(before.integer(forKey: "A") == 1 && before.double(forKey: "A") == 1 && before.bool(forKey: "A"))
        #expect(before.string(forKey: "B") == "x" && before.object(forKey: "C") as? [Int] == [1, 2])
        #expect(before[.zoom] == 1.5 && before[.home] == "https://school.example/")
        #expect(before.objectIsForced(forKey: "HomePage") && before.isForced(.home) && !before.isForced(.zoom))
        #expect(before.forcedEntry(for: .home)?.contact == "Room 12" && before.forcedEntry(forKey: "A") == nil)
        #expect(before.keys.contains("C") && !before.keys.contains("New") && before.keys == before.keys.sorted())
        let now = defaults.snapshot()
        #expect(now.integer(forKey: "A") == 2 && now.object(forKey: "C") == nil && now[.zoom] == 2.5)
        #expect(!now.isForced(.home) && now.forcedEntry(for: .home) == nil && now.keys.contains("New"))
        #expect(now.keys.count == defaults.dictionaryRepresentation().count)
    }

    @Test func `keys that are written together are seen together`() async throws {
        let defaults = try TemporaryMachine(policy: DomainTests.free).open()
        /// Two settings that always are equal.
        struct Pair: Codable { var left = 0, right = 0 }
        defaults.register(Pair())
        let writer = Task {
            for number in 1...300 {
                defaults.setPersistentDomain(["left": number, "right": number], forName: TemporaryMachine.application)
            }
        }
        var last = Pair()
        while last.left < 300 {
            last = try defaults.settings()
            #expect(last.left == last.right)
        }
        await writer.value
    }

    @Test func `problems arrive as they occur, each once`() async throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let file = "home/pupil/.config/org.example.Browser.plist"
        try machine.write("<plist><dict><key>A</key><string>cut", to: file)
        let defaults = try machine.open()
        var problems = defaults.problems.makeAsyncIterator()
        guard case .preferences = await problems.next() else {
            Issue.record("the problem of the opening did not arrive")
            return
        }
        defaults.set("wide", for: ManagedDefaults.Key("ZoomLevel", default: ""))
        #expect(defaults[.zoom] == 1)
        // That the damaged file was set aside may arrive at any time.
        let reader = Task { () -> [String] in
            var keys: [String] = []
            while keys.count < 2, let problem = await defaults.problems.first(where: { _ in true }) {
                keys += TypedKeyTests.key(of: problem).map { [$0] } ?? []
            }
            return keys
        }
        defaults.set([1], forKey: "HomePage")
        #expect(defaults[.home] == "about:blank")
        #expect(await reader.value == ["ZoomLevel", "HomePage"])
        let cancelled = Task { for await _ in defaults.problems {} }
        cancelled.cancel()
        await cancelled.value
    }

    @Test func `an application is named before its first use`() async {
        // In a process of its own, because the name is the process's.
        await #expect(processExitsWith: .success) {
            #expect(throws: ManagedDefaults.IdentityError.unusableName("../evil")) {
                try ManagedDefaults.identify(as: "../evil")
            }
            try ManagedDefaults.identify(as: "org.example.one")
            try ManagedDefaults.identify(as: "org.example.two")
            _ = ManagedDefaults()
            try ManagedDefaults.identify(as: "org.example.two")
            let error = #expect(throws: ManagedDefaults.IdentityError.self) {
                try ManagedDefaults.identify(as: "org.example.three")
            }
            #expect(error == .tooLate(name: "org.example.three", inUse: "org.example.two"))
            #expect(error?.description.contains("org.example.two exist already") == true)
        }
    }
}
