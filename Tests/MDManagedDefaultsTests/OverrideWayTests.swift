import Foundation
import MDTestSupport
import ManagedDefaults
import Testing

/// Every way in which a program can try to override a forced key is refused and recorded.
struct OverrideWayTests {
    /// A policy that forces a key of the application and one of a suite.
    private static let policy = """
        { "Identifier": "org.example.lab",
          "Forced": { "org.example.Browser": { "Key": "forced" }, "org.example.Suite": { "Shared": "forced" } } }
        """

    /// A way, and how the record names it.
    struct Way: Sendable, CustomTestStringConvertible {
        /// What it is.
        let testDescription: String
        /// The record's word.
        let via: String
        /// Does it.
        let run: @Sendable (ManagedDefaults) -> Void

        init(_ name: String, _ via: String, _ run: @escaping @Sendable (ManagedDefaults) -> Void) {
            (testDescription, self.via, self.run) = (name, via, run)
        }
    }

    /// The ways of code.
    static let ways = [
        Way("a text", "set") { _ = $0.set("mine", forKey: "Key") },
        Way("a truth value", "set") { _ = $0.set(true, forKey: "Key") },
        Way("a whole number", "set") { _ = $0.set(7, forKey: "Key") },
        Way("a double", "set") { _ = $0.set(0.5, forKey: "Key") },
        Way("a float", "set") { _ = $0.set(Float(0.5), forKey: "Key") },
        Way("a URL", "set") { _ = $0.set(URL(string: "https://games.example"), forKey: "Key") },
        Way("data", "set") { _ = $0.set(Data([1, 2]), forKey: "Key") },
        Way("a date", "set") { _ = $0.set(Date(timeIntervalSinceReferenceDate: 1), forKey: "Key") },
        Way("a list", "set") { _ = $0.set([1, 2], forKey: "Key") },
        Way("a dictionary", "set") { _ = $0.set(["a": 1], forKey: "Key") },
        Way("an update", "set") { _ = $0.updateObject(forKey: "Key") { _ in "mine" } },
        Way("a domain", "domain") {
            _ = $0.setPersistentDomain(["Key": "mine"], forName: TemporaryMachine.application)
        },
        Way("a volatile domain", "volatile") { defaults in
            _ = defaults.setVolatileDomain(["Key": "mine"], forName: "Mine")
            defaults.searchList = ["Mine"] + defaults.searchList
        },
        Way("arguments anew", "volatile") { defaults in
            defaults.removeVolatileDomain(forName: ManagedDefaults.argumentDomain)
            _ = defaults.setVolatileDomain(["Key": "mine"], forName: ManagedDefaults.argumentDomain)
        },
    ]

    /// The ways of code that take a stored value away.
    static let removals = [
        Way("a removal", "remove") { _ = $0.removeObject(forKey: "Key") },
        Way("no value", "remove") { _ = $0.set(nil as Any?, forKey: "Key") },
        Way("no domain", "domain") { _ = $0.removePersistentDomain(forName: TemporaryMachine.application) },
        Way("an empty domain", "domain") {
            _ = $0.setPersistentDomain([:], forName: TemporaryMachine.application)
        },
    ]

    @Test(arguments: removals) func `a removal leaves what is forced, and is recorded`(_ way: Way) throws {
        let machine = try TemporaryMachine(policy: Self.policy)
        try machine.write("{ Key = mine; }", to: "home/pupil/.config/\(TemporaryMachine.application).plist")
        let defaults = try machine.open()
        way.run(defaults)
        #expect(defaults.string(forKey: "Key") == "forced")
        #expect(defaults.synchronize())
        #expect(!machine.settings.contains("mine"))
        #expect(
            machine.attempts.contains {
                $0.contains("\"via\":\"\(way.via)\"") && $0.contains(#""outcome":"hidden""#)
            }, "\(machine.attempts)")
    }

    @Test(arguments: ways) func `a way of code is refused and recorded`(_ way: Way) throws {
        let machine = try TemporaryMachine(policy: Self.policy)
        let defaults = try machine.open()
        way.run(defaults)
        #expect(defaults.string(forKey: "Key") == "forced")
        #expect(defaults.synchronize())
        #expect(!machine.settings.contains("mine"))
        let vias = machine.attempts.filter { $0.contains(#""key":"Key""#) }
        // The domain is the one that is forced, whatever the way.
        let start = #""via":"\#(way.via)","domain":"\#(TemporaryMachine.application)""#
        #expect(!vias.isEmpty && vias.allSatisfy { $0.contains(start) }, "\(machine.attempts)")
    }

    @Test func `a suite's forced key and a list without the application change nothing`() throws {
        let machine = try TemporaryMachine(policy: Self.policy)
        let defaults = try machine.open(arguments: ["browser", "-Key", "mine"])
        #expect(defaults.addSuite(named: "org.example.Suite"))
        _ = defaults.set("mine", forKey: "Shared")
        _ = defaults.setPersistentDomain(["Shared": "mine"], forName: "org.example.Suite")
        defaults.searchList = [ManagedDefaults.globalDomain]
        #expect(defaults.string(forKey: "Key") == "forced")
        #expect(defaults.synchronize())
        let start = #""via":"argument","domain":"\#(TemporaryMachine.application)","key":"Key""#
        #expect(machine.attempts.contains { $0.contains(start) }, "\(machine.attempts)")
        #expect(
            machine.attempts.contains {
                $0.contains(#""domain":"org.example.Suite""#) && $0.contains(#""via":"domain""#)
            })
        #expect(!machine.text(of: "home/pupil/.config/org.example.Suite.plist").contains("mine"))
    }
}
