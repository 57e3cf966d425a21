import MDTestSupport
import ManagedDefaults
import Testing

extension ManagedDefaults.Keys {
    fileprivate static let count = Key("K1", default: 0)
    fileprivate static let page = Key("HomePage", default: "about:blank")
}

/// Answers of `setting(for:)`, which are kept until a lookup may return something else.
struct KeptSettingTests {
    /// Changes some domain, or the search list.
    private func change(_ defaults: ManagedDefaults, _ round: Int) {
        switch round % 9 {
        case 0, 4: defaults.set(round, forKey: "K1")
        case 1: defaults.set("a text", forKey: "K1")
        case 2: defaults.removeObject(forKey: "K1")
        case 3: defaults.register(defaults: ["K1": round, "HomePage": "registered"])
        case 5: defaults.setPersistentDomain(["K1": round], forName: ManagedDefaults.globalDomain)
        case 6: defaults.addSuite(named: "org.example.Suite")
        case 7: defaults.setPersistentDomain(["K1": -round], forName: "org.example.Suite")
        default: defaults.removeVolatileDomain(forName: ManagedDefaults.registrationDomain)
        }
    }

    @Test func `a kept answer is what a lookup returns after any change`() throws {
        let defaults = try TemporaryMachine(policy: ForcedKeyTests.policy).open(arguments: ["browser"])
        for round in 0..<45 {
            change(defaults, round)
            // A key that was not asked about before has no kept answer.
            let (count, page) = (
                ManagedDefaults.Key("K1", default: 0), ManagedDefaults.Key("HomePage", default: "about:blank")
            )
            for _ in 0..<2 {
                #expect(defaults.setting(for: .count) == defaults.setting(for: count), "round \(round)")
                #expect(defaults.setting(for: .page) == defaults.setting(for: page), "round \(round)")
            }
        }
        #expect(defaults.setting(for: .page).isForced)
    }

    @Test func `an answer belongs to one object and one key`() throws {
        let one = try TemporaryMachine(policy: DomainTests.free)
        let other = try TemporaryMachine(policy: DomainTests.free)
        let (first, second) = (try one.open(), try other.open())
        first[.count] = 1
        second[.count] = 2
        let text = ManagedDefaults.Key("K1", default: "")
        for _ in 0..<3 {
            #expect(first.setting(for: .count).value == 1)
            #expect(second.setting(for: .count).value == 2)
            #expect(first.setting(for: text).value == "1")
        }
    }

    @Test func `an answer ends with new policy`() throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        #expect(!defaults.setting(for: .page).isForced)
        try machine.policy("50-lab.json", ObservingTests.samePolicy)
        #expect(defaults.synchronize())
        #expect(defaults.setting(for: .page).isForced)
        #expect(defaults.setting(for: .page).value == "mine")
    }
}
