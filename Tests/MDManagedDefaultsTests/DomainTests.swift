import Foundation
import MDTestSupport
import ManagedDefaults
import Testing

struct DomainTests {
    /// Policy that forces nothing.
    static let free = #"{ "Identifier": "org.example.lab" }"#

    @Test func `persistent domains are what is stored`() throws {
        let machine = try TemporaryMachine(policy: ForcedKeyTests.policy)
        let defaults = try machine.open()
        #expect(defaults.persistentDomain(forName: "org.example.Other") == nil)
        #expect(defaults.setPersistentDomain(["A": 1, "B": "x"], forName: "org.example.Other").isInEffect)
        #expect(defaults.persistentDomain(forName: "org.example.Other")?["A"] as? Int == 1)
        #expect(defaults.persistentDomainNames.contains("org.example.Other"))
        #expect(defaults.setPersistentDomain(["C": 3], forName: "org.example.Other").isInEffect)
        #expect(defaults.persistentDomain(forName: "org.example.Other")?.keys.sorted() == ["C"])
        #expect(defaults.synchronize())
        #expect(machine.text(of: "home/pupil/.config/org.example.Other.plist").contains("<key>C</key>"))
        #expect(defaults.removePersistentDomain(forName: "org.example.Other").isInEffect)
        #expect(defaults.synchronize())
        #expect(defaults.object(forKey: "C") == nil)
        #expect(!defaults.persistentDomainNames.contains("org.example.Other"))
        #expect(defaults.setPersistentDomain([:], forName: "../escape").error != nil)
        #expect(defaults.setPersistentDomain(["K": UUID()], forName: "org.example.Other").error != nil)
    }

    @Test func `replacing a domain refuses forced keys one by one`() throws {
        let machine = try TemporaryMachine(policy: ForcedKeyTests.policy)
        let defaults = try machine.open()
        let outcome = defaults.setPersistentDomain(
            ["HomePage": "https://games.example", "AllowDownloads": false, "Free": 1, "Language": "fr"],
            forName: TemporaryMachine.application)
        #expect(!outcome.isInEffect)
        #expect(outcome.refused.map(\.key) == ["HomePage", "Language"])
        #expect(outcome.outcomes["AllowDownloads"] == .unchanged)
        #expect(outcome.outcomes["Free"] == .stored)
        #expect(defaults.synchronize())
        #expect(machine.attempts.count == 2)
        #expect(machine.attempts.allSatisfy { $0.contains(#""via":"domain""#) })
        #expect(!machine.settings.contains("games.example"))
    }

    @Test func `global domain is searched behind the application`() throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        #expect(defaults.setPersistentDomain(["K": "global"], forName: ManagedDefaults.globalDomain).isInEffect)
        #expect(defaults.string(forKey: "K") == "global")
        defaults.set("own", forKey: "K")
        #expect(defaults.string(forKey: "K") == "own")
        defaults.removeObject(forKey: "K")
        #expect(defaults.string(forKey: "K") == "global")
        #expect(defaults.synchronize())
        #expect(machine.text(of: "home/pupil/.config/.GlobalPreferences.plist").contains("global"))
        #expect(defaults.persistentDomainNames == [ManagedDefaults.globalDomain])
    }

    @Test func `volatile domains belong to the object and have names of their own`() throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open(arguments: ["browser", "-K", "argument"])
        let other = try machine.open()
        #expect(defaults.volatileDomain(forName: ManagedDefaults.argumentDomain)["K"] as? String == "argument")
        #expect(defaults.setVolatileDomain(["V": 1], forName: "Mine") == .stored)
        #expect(defaults.volatileDomainNames.contains("Mine") && !other.volatileDomainNames.contains("Mine"))
        #expect(defaults.object(forKey: "V") == nil)
        for name in ["Mine", ManagedDefaults.argumentDomain, ManagedDefaults.registrationDomain, "en"] {
            guard case .invalid = defaults.setVolatileDomain([:], forName: name) else {
                Issue.record("\(name) was replaced")
                continue
            }
        }
        guard case .invalid = defaults.setVolatileDomain([:], forName: TemporaryMachine.application) else {
            Issue.record("a volatile domain took a persistent one's name")
            return
        }
        #expect(defaults.setPersistentDomain(["A": 1], forName: "Mine").error != nil)
        defaults.searchList += ["Mine"]
        #expect(defaults.integer(forKey: "V") == 1)
        defaults.removeVolatileDomain(forName: "Mine")
        #expect(defaults.object(forKey: "V") == nil)
        defaults.removeVolatileDomain(forName: ManagedDefaults.argumentDomain)
        #expect(defaults.object(forKey: "K") == nil)
        #expect(defaults.setVolatileDomain(["K": "new"], forName: ManagedDefaults.argumentDomain) == .stored)
        #expect(defaults.string(forKey: "K") == "new")
        defaults.register(defaults: ["R": 1])
        #expect(defaults.volatileDomain(forName: ManagedDefaults.registrationDomain)["R"] as? Int == 1)
        #expect(other.integer(forKey: "R") == 1)
    }

    @Test func `suites stand behind the application last added first`() throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        let other = try machine.open()
        defaults.setPersistentDomain(["K": "one"], forName: "org.example.One")
        defaults.setPersistentDomain(["K": "two", "L": "two"], forName: "org.example.Two")
        defaults.setPersistentDomain(["K": "global"], forName: ManagedDefaults.globalDomain)
        #expect(defaults.addSuite(named: "org.example.Two"))
        #expect(defaults.addSuite(named: "org.example.One"))
        #expect(defaults.string(forKey: "K") == "one")
        #expect(defaults.string(forKey: "L") == "two")
        #expect(other.string(forKey: "K") == "global")
        #expect(
            Array(defaults.searchList.prefix(5)) == [
                ManagedDefaults.argumentDomain, TemporaryMachine.application, "org.example.One", "org.example.Two",
                ManagedDefaults.globalDomain,
            ])
        #expect(defaults.searchList.last == ManagedDefaults.registrationDomain)
        defaults.removeSuite(named: "org.example.One")
        #expect(defaults.string(forKey: "K") == "two")
        defaults.set("own", forKey: "K")
        #expect(defaults.string(forKey: "K") == "own")
        #expect(!defaults.addSuite(named: "../x"))
    }

    @Test func `no search list stands ahead of what is forced`() throws {
        let machine = try TemporaryMachine(policy: ForcedKeyTests.policy)
        let defaults = try machine.open(arguments: ["browser", "-HomePage", "https://games.example"])
        defaults.set("own", forKey: "Free")
        defaults.setPersistentDomain(["Free": "global", "Only": 1], forName: ManagedDefaults.globalDomain)
        defaults.searchList = [ManagedDefaults.globalDomain, TemporaryMachine.application, "no.such.domain"]
        #expect(defaults.string(forKey: "Free") == "global")
        #expect(defaults.string(forKey: "HomePage") == "https://school.example/")
        // What is recommended follows the stored domains.
        #expect(defaults.double(forKey: "ZoomLevel") == 1.5)
        defaults.searchList = []
        #expect(defaults.object(forKey: "Free") == nil)
        #expect(defaults.object(forKey: "ZoomLevel") == nil)
        #expect(defaults.string(forKey: "HomePage") == "https://school.example/")
        #expect(defaults.objectIsForced(forKey: "Proxy"))
        guard case .refused = defaults.set(1, forKey: "HomePage") else {
            Issue.record("an empty search list unforced a key")
            return
        }
        #expect(machine.attempts.contains { $0.contains(#""via":"argument""#) })
    }

    @Test func `dictionary representation is what lookups return`() throws {
        let machine = try TemporaryMachine(policy: ForcedKeyTests.policy)
        let defaults = try machine.open(arguments: ["browser", "-Argument", "1", "-Proxy", "x"])
        defaults.register(defaults: ["Registered": 1, "Proxy": "none"])
        defaults.set("own", forKey: "Own")
        defaults.addSuite(named: "org.example.Suite")
        defaults.setPersistentDomain(["Suite": true], forName: "org.example.Suite")
        let all = defaults.dictionaryRepresentation()
        for key in ["Registered", "Own", "Suite", "HomePage", "Proxy", "Argument", "NSMonthNameArray"] {
            #expect(all[key] != nil, "\(key)")
        }
        for (key, value) in all {
            let one = try #require(defaults.object(forKey: key))
            #expect(NSDictionary(dictionary: ["v": one]) == NSDictionary(dictionary: ["v": value]), "\(key)")
        }
    }

    @Test func `exclusive updates take turns`() async throws {
        let machine = try TemporaryMachine(policy: ForcedKeyTests.policy)
        let defaults = try machine.open()
        defaults.set(5, forKey: "Counter")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<25 {
                        defaults.updateObject(forKey: "Counter") { ($0 as? Int ?? 0) + 1 }
                    }
                }
            }
        }
        #expect(defaults.integer(forKey: "Counter") == 105)
        #expect(machine.settings.contains("<integer>105</integer>"))
        guard case .refused = defaults.updateObject(forKey: "HomePage", { _ in "x" }) else {
            Issue.record("an update of a forced key was taken")
            return
        }
        guard case .invalid = defaults.updateObject(forKey: "Counter", { _ in UUID() }) else {
            Issue.record("an update with no property list was taken")
            return
        }
        #expect(defaults.integer(forKey: "Counter") == 105)
    }

    @Test func `an update that fails leaves a value beyond a bound as it is`() throws {
        let machine = try TemporaryMachine(
            policy:
                #"{ "Identifier": "a", "Constraints": { "org.example.Browser": { "Volume": { "Maximum": 70 } } } }"#)
        try machine.write(
            "home/pupil/.config/org.example.Browser.plist",
            "<plist version=\"1.0\"><dict><key>Volume</key><integer>100</integer></dict></plist>")
        guard case .invalid = try machine.open().updateObject(forKey: "Volume", { _ in UUID() }) else {
            Issue.record("an update with no property list was taken")
            return
        }
        #expect(machine.settings.contains("<integer>100</integer>"))
    }
}
