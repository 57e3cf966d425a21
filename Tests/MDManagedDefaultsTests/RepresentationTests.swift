import MDTestSupport
import ManagedDefaults
import Testing

/// The dictionary of all keys, which is kept and changed with the domains.
struct RepresentationTests {
    /// Numbers that are the same in each run.
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64 = 7
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 16 | state << 48
        }
    }

    /// Changes some domain, or the search list.
    private func change(_ defaults: ManagedDefaults, _ key: String, _ round: Int, _ numbers: inout Numbers) {
        switch Int.random(in: 0..<12, using: &numbers) {
        case 0..<4: defaults.set(round, forKey: key)
        case 4: defaults.removeObject(forKey: key)
        case 5: defaults.register(defaults: [key: round])
        case 6: defaults.setPersistentDomain([key: round, "Global": "two"], forName: ManagedDefaults.globalDomain)
        case 7: defaults.addSuite(named: "org.example.Suite")
        case 8: defaults.removeSuite(named: "org.example.Suite")
        case 9: defaults.setPersistentDomain([key: "suite"], forName: "org.example.Suite")
        case 10: defaults.setVolatileDomain([key: round], forName: ManagedDefaults.argumentDomain)
        default: defaults.register(defaults: ["Many\(round)": 0, "K2": round, "K3": round])
        }
    }

    @Test func `every key has what a lookup returns, after any changes`() throws {
        let defaults = try TemporaryMachine(policy: ForcedKeyTests.policy).open(arguments: ["browser"])
        let keys = (0..<8).map { "K\($0)" } + ["HomePage", "Proxy", "ZoomLevel"]
        var numbers = Numbers()
        var last: [String: any Sendable] = [:]
        for round in 0..<300 {
            // Half of the answers stay in use, and none of them may change.
            let before = String(describing: last["K1"])
            change(defaults, keys.randomElement(using: &numbers) ?? "K0", round, &numbers)
            #expect(String(describing: last["K1"]) == before)
            let all = defaults.dictionaryRepresentation()
            let found = keys.map { String(describing: all[$0]) }
            #expect(found == keys.map { String(describing: defaults.object(forKey: $0)) }, "round \(round)")
            last = round % 2 == 0 ? all : [:]
        }
    }

    @Test func `keys that are one String have the value of one of them`() throws {
        let defaults = try TemporaryMachine(policy: DomainTests.free).open()
        // The second is the sign of Kelvin, which equals the letter.
        for key in ["K", "\u{212A}"] {
            defaults.set(key.utf8.count, forKey: key)
            _ = defaults.dictionaryRepresentation()
        }
        #expect([1, 3].contains(defaults.dictionaryRepresentation()["K"] as? Int))
        defaults.removeObject(forKey: "K")
        #expect(defaults.dictionaryRepresentation()["K"] as? Int == 3)
        defaults.set("é", forKey: "K")
        defaults.removeObject(forKey: "\u{212A}")
        #expect(defaults.dictionaryRepresentation()["K"] as? String == "é")
    }
}
