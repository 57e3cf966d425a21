import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPreferences
import MDPropertyList
import Testing

@testable import MDEngine

/// Lookups, unions and tables under random seals and constraints, each held to a walk through the search list that is
/// written out from its rules.
struct RuleModelTests {
    /// A deterministic source of choices.
    struct Dice: RandomNumberGenerator {
        /// What the next number is made of.
        var state: UInt64

        /// The next number.
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 33)
        }
    }

    /// The domains of the searches, in order.
    private static let domains: [Key] = ["app", "suite", DomainName.global]
    /// The keys; the last one is never stored, forced or allowed by name.
    private static let keys: [Key] = ["a", "b", "c", "d", "e", "nobody's"]
    /// The kinds of layers behind the forced ones with the index of their domain.
    private static let kinds: [(LayerKind, Int)] = [
        (.argument, 0), (.applicationHost, 0), (.application, 0), (.suite, 1), (.globalHost, 2), (.global, 2),
        (.applicationAllUsers, 0), (.globalAllUsers, 2), (.recommended, 0), (.language, 2), (.registration, 0),
    ]

    /// Random policy over the domains.
    private static func policy(_ dice: inout Dice) -> ResultantSet {
        var forced: [Key: [Key: ResolvedEntry]] = [:]
        var constraints: [Key: [Key: ResolvedConstraint]] = [:]
        var seals: [Key: ResolvedEntry] = [:]
        var unsealed: [Key: Set<Key>] = [:]
        for domain in domains {
            if Int.random(in: 0..<3, using: &dice) == 0 {
                seals[domain] = Sample.entry(domain, "", nil)
                unsealed[domain] = Set(keys.filter { _ in Bool.random(using: &dice) })
            }
            for key in keys.dropLast() {
                let isFree = unsealed[domain]?.contains(key) ?? false
                switch Int.random(in: 0..<8, using: &dice) {
                case 0 where !isFree: forced[domain, default: [:]][key] = Sample.entry(domain, key, .integer(50))
                case 1 where !isFree: forced[domain, default: [:]][key] = Sample.entry(domain, key, nil)
                case 2, 3:
                    guard seals[domain] == nil || isFree else { continue }
                    let constraint =
                        Bool.random(using: &dice)
                        ? Constraint(minimum: .integer(2), maximum: .integer(7))
                        : Constraint(oneOf: [.integer(3), .integer(4)])
                    constraints[domain, default: [:]][key] = ResolvedConstraint(
                        entry: ConstraintEntry(
                            domain: domain, key: key, constraint: constraint,
                            origin: Origin(policy: "p", file: "/p.json", position: .start)), fileDigest: SHA256.hash([])
                    )
                default: continue
                }
            }
        }
        return ResultantSet(forced: forced, constraints: constraints, seals: seals, unsealed: unsealed)
    }

    /// What a lookup finds, by the rules and nothing else.
    private static func model(
        _ key: Key, _ policy: ResultantSet, _ layers: [SearchLayer]
    ) -> (value: Value?, isForced: Bool) {
        var isAbsent = false
        for domain in domains {
            if let entry = policy.forced[domain]?[key] {
                if let value = entry.value { return (value, true) }
                isAbsent = true
            } else if policy.seals[domain] != nil, !(policy.unsealed[domain] ?? []).contains(key) {
                isAbsent = true
            }
        }
        let constraint = domains.compactMap { policy.constraints[$0]?[key] }.first?.entry.constraint
        for layer in layers where layer.kind != .forced {
            if isAbsent, layer.kind != .registration { continue }
            guard var value = layer.values[key] else { continue }
            if let constraint, RuleModelTests.users.contains(layer.kind) {
                if let choices = constraint.oneOf {
                    guard choices.contains(value) else { continue }
                } else if case .integer(let number) = value, let number = number.int64 {
                    value = .integer(Int(min(max(number, 2), 7)))
                } else {
                    continue
                }
            }
            return (value, isAbsent)
        }
        return (nil, isAbsent)
    }

    /// The kinds that the design's list numbers 4 to 9.
    private static let users: [LayerKind] = [.argument, .applicationHost, .application, .suite, .globalHost, .global]

    @Test(arguments: 0..<300)
    func `lookups, unions and tables say what the rules say`(_ seed: Int) {
        var dice = Dice(state: UInt64(seed) &* 7919 &+ 13)
        let policy = RuleModelTests.policy(&dice)
        var layers: [SearchLayer] = RuleModelTests.domains.compactMap { domain in
            let seal = DomainSeal(of: domain, in: policy)
            let entries = policy.forced[domain] ?? [:]
            return entries.isEmpty && seal == nil
                ? nil : SearchLayer(.forced, domain: domain, entries: entries, seal: seal)
        }
        for (kind, domain) in RuleModelTests.kinds {
            var values: [Key: Value] = [:]
            for key in RuleModelTests.keys.dropLast() where Int.random(in: 0..<3, using: &dice) == 0 {
                values[key] =
                    Bool.random(using: &dice) ? .integer(Int.random(in: 0..<10, using: &dice)) : .string("text")
            }
            layers.append(SearchLayer(kind, domain: RuleModelTests.domains[domain], values: values))
        }
        let constraints = policy.constraints(in: RuleModelTests.domains)
        let list = SearchList(layers: layers, constraints: constraints)
        let table = LookupIndex(layers, under: constraints)
        let cell = SnapshotCell { (table, $0()) }
        let union = list.union
        for key in RuleModelTests.keys {
            let expected = RuleModelTests.model(key, policy, layers)
            let answer = list.lookUp(key)
            #expect(answer.value == expected.value, "\(key)")
            #expect(answer.rule.isForced == expected.isForced, "\(key)")
            #expect(union[key] == expected.value, "\(key)")
            #expect(cell.value(key.string) == expected.value, "\(key)")
            #expect(cell.isForced(key.string) == expected.isForced, "\(key)")
        }
    }
}
