import Foundation
import MDTestSupport
import ManagedDefaults
import Testing

struct ForcedKeyTests {
    /// Forces a home page and an absent proxy, in the application and for all.
    static let policy = """
        {
          "Identifier": "org.example.lab", "Version": 1, "Contact": "Room 12", "Description": "Lesson",
          "Forced": {
            "org.example.Browser": { "HomePage": "https://school.example/", "AllowDownloads": false },
            "NSGlobalDomain": { "Language": "en" }
          },
          "Absent": { "org.example.Browser": ["Proxy"] },
          "Recommended": { "org.example.Browser": { "ZoomLevel": 1.5 } }
        }
        """

    @Test func `forced values win and say so`() throws {
        let machine = try TemporaryMachine(policy: ForcedKeyTests.policy)
        let defaults = try machine.open(arguments: ["browser", "-HomePage", "https://games.example", "-Proxy", "p"])
        defaults.register(defaults: ["HomePage": "about:blank", "Proxy": "none", "Language": "de"])
        #expect(defaults.string(forKey: "HomePage") == "https://school.example/")
        #expect(defaults.objectIsForced(forKey: "HomePage"))
        #expect(defaults.objectIsForced(forKey: "HomePage", inDomain: "org.example.Browser"))
        #expect(!defaults.objectIsForced(forKey: "HomePage", inDomain: "org.example.Editor"))
        // Absent skips the arguments and the user's domain; what the application registered answers.
        #expect(defaults.string(forKey: "Proxy") == "none")
        #expect(defaults.objectIsForced(forKey: "Proxy"))
        // A value forced for all applications decides this one's lookups too, but is not forced in its domain.
        #expect(defaults.string(forKey: "Language") == "en")
        #expect(defaults.objectIsForced(forKey: "Language"))
        #expect(!defaults.objectIsForced(forKey: "Language", inDomain: "org.example.Browser"))
        #expect(defaults.objectIsForced(forKey: "Language", inDomain: ManagedDefaults.globalDomain))
        // Recommended is behind the user and ahead of registration, and not forced.
        #expect(defaults.double(forKey: "ZoomLevel") == 1.5)
        #expect(!defaults.objectIsForced(forKey: "ZoomLevel"))
    }

    @Test func `a forced key says which generation brought it, and that nobody installed it`() throws {
        let machine = try TemporaryMachine(policy: ForcedKeyTests.policy)
        let defaults = try machine.open()
        #expect(try #require(defaults.forcedEntry(forKey: "HomePage")).introduction == nil)
        try machine.apply()
        let entry = try #require(machine.open().forcedEntry(forKey: "HomePage"))
        let introduction = try #require(entry.introduction)
        #expect(introduction.generation == 1 && introduction.isByHand && introduction.by == nil)
        #expect(introduction.description.contains("by hand"))
    }

    @Test func `refused write changes nothing and is audited`() throws {
        let machine = try TemporaryMachine(policy: ForcedKeyTests.policy)
        let defaults = try machine.open()
        guard case .refused(let key) = defaults.set("https://games.example", forKey: "HomePage") else {
            Issue.record("the write was not refused")
            return
        }
        #expect(key.policy == "org.example.lab")
        #expect(key.contact == "Room 12")
        #expect(key.line == 4)
        #expect(key.file.hasSuffix("10-test.json"))
        // The sentence is for the user; file and line say nothing to them.
        for word in ["HomePage", "Room 12"] {
            #expect(key.message.contains(word))
        }
        #expect(!key.message.contains("10-test.json"))
        #expect(defaults.string(forKey: "HomePage") == "https://school.example/")
        #expect(defaults.synchronize())
        #expect(machine.settings.isEmpty)
        #expect(machine.attempts.count == 1)
        for part in [
            #""key":"HomePage""#, #""tried":"https://games.example""#, #""outcome":"refused""#, #""via":"set""#,
        ] {
            #expect(machine.attempts.first?.contains(part) == true)
        }
        #expect(throws: ManagedDefaults.WriteError.self) { try defaults.store(1, forKey: "AllowDownloads") }
    }

    @Test func `writing the forced value is no attempt`() throws {
        let machine = try TemporaryMachine(policy: ForcedKeyTests.policy)
        let defaults = try machine.open()
        #expect(defaults.set("https://school.example/", forKey: "HomePage") == .unchanged)
        #expect(defaults.set(false, forKey: "AllowDownloads") == .unchanged)
        #expect(defaults.synchronize())
        #expect(machine.attempts.isEmpty)
        #expect(machine.settings.isEmpty)
    }

    @Test func `equal attempts are counted in one record`() throws {
        let machine = try TemporaryMachine(policy: ForcedKeyTests.policy)
        let defaults = try machine.open()
        for _ in 0..<50 { defaults.set(true, forKey: "AllowDownloads") }
        #expect(defaults.synchronize())
        #expect(machine.attempts.count == 2)
        #expect(machine.attempts.last?.contains(#""count":49"#) == true)
    }

    @Test func `removing a forced key deletes the hidden value`() throws {
        let machine = try TemporaryMachine(policy: #"{ "Identifier": "org.example.lab" }"#)
        let defaults = try machine.open()
        #expect(defaults.set("mine", forKey: "HomePage") == .stored)
        #expect(defaults.synchronize())
        #expect(machine.settings.contains("mine"))
        try machine.write(ForcedKeyTests.policy, to: "etc/managed-defaults/policies.d/10-test.json")
        #expect(defaults.synchronize())
        #expect(defaults.string(forKey: "HomePage") == "https://school.example/")
        #expect(defaults.removeObject(forKey: "HomePage") == .unchanged)
        #expect(defaults.synchronize())
        #expect(!machine.settings.contains("mine"))
        #expect(machine.attempts.count == 1)
        #expect(machine.attempts.first?.contains(#""via":"remove""#) == true)
        #expect(machine.attempts.first?.contains(#""outcome":"hidden""#) == true)
    }

    @Test func `shadow stores underneath`() throws {
        let policy =
            #"{ "Identifier": "a.b", "OnOverride": "shadow", "Forced": { "org.example.Browser": { "K": 1 } } }"#
        let machine = try TemporaryMachine(policy: policy)
        let defaults = try machine.open()
        guard case .shadowed = defaults.set(2, forKey: "K") else {
            Issue.record("the write was not shadowed")
            return
        }
        #expect(defaults.integer(forKey: "K") == 1)
        #expect(defaults.synchronize())
        #expect(machine.settings.contains("<integer>2</integer>"))
        #expect(machine.attempts.first?.contains(#""outcome":"shadowed""#) == true)
        try machine.write(#"{ "Identifier": "a.b" }"#, to: "etc/managed-defaults/policies.d/10-test.json")
        #expect(defaults.synchronize())
        #expect(defaults.integer(forKey: "K") == 2)
        #expect(!defaults.objectIsForced(forKey: "K"))
    }

    /// Puts a link that leads to itself in the place of the directory of policy, which then can neither be read nor be said
    /// to be gone.
    private func obstruct(_ machine: TemporaryMachine) throws {
        let folder = machine.path + "/etc/managed-defaults/policies"
        try FileManager.default.moveItem(atPath: folder + ".d", toPath: folder + ".old")
        try FileManager.default.createSymbolicLink(atPath: folder + ".d", withDestinationPath: "policies.d")
    }

    @Test func `while policy cannot be read nothing is stored and old policy stays`() throws {
        let machine = try TemporaryMachine(policy: ForcedKeyTests.policy)
        let running = try machine.open()
        try obstruct(machine)
        #expect(running.synchronize() == false)
        #expect(running.objectIsForced(forKey: "HomePage") == true)
        #expect(running.drainProblems().isEmpty == false)
        // A user without a name has a store of their own, which knows nothing of policy: as in a process that starts.
        let started = try ManagedDefaults(root: machine.path, application: TemporaryMachine.application)
        #expect(started.objectIsForced(forKey: "HomePage"))
        guard case .unavailable(.unknownPolicy(let reason)) = started.set(1, forKey: "Free") else {
            Issue.record("a value was stored while policy could not be read")
            return
        }
        #expect(reason.contains("policies.d"))
        #expect(started.object(forKey: "Free") == nil)
    }

    @Test func `while nobody knows what is forced nothing that the user stored counts`() throws {
        let machine = try TemporaryMachine(policy: ForcedKeyTests.policy)
        let file = "home/pupil/.config/\(TemporaryMachine.application).plist"
        try machine.write("{ Mine = 1; HomePage = games; }", to: file)
        // A program that has seen policy before records nothing of it.
        #expect(try machine.open().objectIsForced(forKey: "HomePage"))
        try obstruct(machine)
        let defaults = try machine.open(arguments: ["browser", "-Mine", "2"])
        defaults.register(defaults: ["Mine": 3])
        #expect(defaults.objectIsForced(forKey: "HomePage") && defaults.string(forKey: "HomePage") == nil)
        #expect(defaults.objectIsForced(forKey: "Mine"))
        #expect(defaults.objectIsForced(forKey: "Mine", inDomain: TemporaryMachine.application))
        #expect(defaults.integer(forKey: "Mine") == 3)
        #expect(defaults.forcedEntry(forKey: "Mine")?.message.contains("cannot be told") == true)
        for outcome in [defaults.set(4, forKey: "Mine"), defaults.removeObject(forKey: "Mine")] {
            if case .unavailable = outcome {} else { Issue.record("\(outcome)") }
        }
        #expect(machine.attempts.isEmpty)
        let folder = machine.path + "/etc/managed-defaults/policies"
        try FileManager.default.removeItem(atPath: folder + ".d")
        try FileManager.default.moveItem(atPath: folder + ".old", toPath: folder + ".d")
        #expect(defaults.synchronize(), "\(defaults.drainProblems())")
        #expect(!defaults.objectIsForced(forKey: "Mine"))
        #expect(defaults.integer(forKey: "Mine") == 2)
        #expect(defaults.set(4, forKey: "Mine") == .stored)
        #expect(defaults.string(forKey: "HomePage") == "https://school.example/")
    }

    @Test func `what was recorded stays in force while policy cannot be read, and the rest is free`() throws {
        let machine = try TemporaryMachine(policy: ForcedKeyTests.policy)
        try machine.apply()
        try obstruct(machine)
        let defaults = try machine.open(arguments: ["browser", "-HomePage", "games"])
        #expect(defaults.string(forKey: "HomePage") == "https://school.example/")
        #expect(defaults.objectIsForced(forKey: "HomePage") && !defaults.objectIsForced(forKey: "Mine"))
        #expect(defaults.set(4, forKey: "Mine") == .stored)
        guard case .refused = defaults.set("games", forKey: "HomePage") else {
            Issue.record("a forced key was stored")
            return
        }
    }
}
