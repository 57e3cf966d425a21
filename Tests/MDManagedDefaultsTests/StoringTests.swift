import Foundation
import MDTestSupport
import ManagedDefaults
import Testing

struct StoringTests {
    @Test func `every type comes back from disk`() throws {
        let machine = try TemporaryMachine(policy: #"{ "Identifier": "org.example.lab" }"#)
        let date = Date(timeIntervalSinceReferenceDate: 700_000_000)
        do {
            let defaults = try machine.open()
            #expect(defaults.set("text", forKey: "String") == .stored)
            #expect(defaults.set(true, forKey: "Bool") == .stored)
            #expect(defaults.set(Int.min, forKey: "Int") == .stored)
            #expect(defaults.set(UInt64.max, forKey: "UInt64") == .stored)
            #expect(defaults.set(0.1, forKey: "Double") == .stored)
            #expect(defaults.set(Float(0.5), forKey: "Float") == .stored)
            #expect(defaults.set(date, forKey: "Date") == .stored)
            #expect(defaults.set(Data([0, 255]), forKey: "Data") == .stored)
            #expect(defaults.set(["a", "b"], forKey: "Strings") == .stored)
            #expect(defaults.set(["k": [1, true, "x"] as [Any]], forKey: "Dictionary") == .stored)
        }
        let defaults = try machine.open()
        #expect(defaults.string(forKey: "String") == "text")
        #expect(defaults.bool(forKey: "Bool"))
        #expect(defaults.object(forKey: "Bool") is Bool)
        #expect(defaults.integer(forKey: "Int") == Int.min)
        #expect(defaults.object(forKey: "UInt64") as? UInt64 == UInt64.max)
        #expect(defaults.double(forKey: "Double") == 0.1)
        #expect(defaults.float(forKey: "Float") == 0.5)
        #expect(defaults.date(forKey: "Date") == date)
        #expect(defaults.data(forKey: "Data") == Data([0, 255]))
        #expect(defaults.stringArray(forKey: "Strings") == ["a", "b"])
        #expect((defaults.dictionary(forKey: "Dictionary")?["k"] as? [Any])?.count == 3)
        #expect(defaults.set("text", forKey: "String") == .unchanged)
    }

    @Test func `changes are in effect at once and reach the disk by themselves`() async throws {
        let machine = try TemporaryMachine(policy: #"{ "Identifier": "org.example.lab" }"#)
        let defaults = try machine.open()
        #expect(defaults.set(5, forKey: "K") == .stored)
        #expect(defaults.integer(forKey: "K") == 5)
        #expect(defaults.removeObject(forKey: "Missing") == .unchanged)
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(20)
        while !machine.settings.contains("<integer>5</integer>"), clock.now < deadline { await Task.yield() }
        #expect(machine.settings.contains("<integer>5</integer>"))
    }

    @Test func `two objects keep each other's keys`() throws {
        let machine = try TemporaryMachine(policy: #"{ "Identifier": "org.example.lab" }"#)
        let (one, other) = (try machine.open(), try machine.open())
        one.set(1, forKey: "One")
        other.set(2, forKey: "Other")
        #expect(one.synchronize() && other.synchronize() && one.synchronize())
        for defaults in [one, other] {
            #expect(defaults.integer(forKey: "One") == 1)
            #expect(defaults.integer(forKey: "Other") == 2)
        }
    }

    @Test func `values that are no property lists are refused`() throws {
        let machine = try TemporaryMachine(policy: #"{ "Identifier": "org.example.lab" }"#)
        let defaults = try machine.open()
        guard case .invalid = defaults.set(UUID(), forKey: "K") else {
            Issue.record("a UUID was taken")
            return
        }
        #expect(defaults.register(defaults: ["Good": 1, "Bad": UUID()]).failedKeys == ["Bad"])
        #expect(defaults.integer(forKey: "Good") == 1)
    }

    @Test func `damaged file is reported and kept`() throws {
        let machine = try TemporaryMachine(policy: #"{ "Identifier": "org.example.lab" }"#)
        let file = "home/pupil/.config/org.example.Browser.plist"
        try machine.write("<plist><dict><key>A</key><string>cut", to: file)
        let defaults = try machine.open()
        let problems = defaults.drainProblems()
        #expect(problems.count == 1)
        #expect(problems.first?.description.contains("org.example.Browser.plist") == true)
        #expect(machine.settings.contains("cut"))
        #expect(defaults.set(1, forKey: "B") == .stored)
        #expect(defaults.synchronize())
        let names = try FileManager.default.contentsOfDirectory(atPath: machine.path + "/home/pupil/.config")
        #expect(names.contains { $0.contains(".plist.damaged-") })
        #expect(machine.log.contains { $0.contains(#""kind":"damaged""#) })
    }

    @Test func `unknown user and folder are errors`() throws {
        let machine = try TemporaryMachine(policy: #"{ "Identifier": "org.example.lab" }"#)
        #expect(throws: ManagedDefaults.OpenError.self) {
            try ManagedDefaults(root: machine.path, user: "nobody-here", application: "a.b")
        }
        #expect(throws: ManagedDefaults.OpenError.self) {
            try ManagedDefaults(root: machine.path + "/no/such", user: "pupil", application: "a.b")
        }
        #expect(ManagedDefaults(suiteName: "../escape") == nil)
        #expect(ManagedDefaults(suiteName: ManagedDefaults.globalDomain) == nil)
    }
}
