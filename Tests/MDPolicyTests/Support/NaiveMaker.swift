import MDPropertyList
import MDTestSupport

/// Makes random policy, as data.
struct NaiveMaker {
    /// The source of randomness.
    var random: SplitMix

    /// Begins with a seed; the same seed makes the same policy.
    init(seed: UInt64) { random = SplitMix(state: seed) }

    /// The moment about which the moments of policy lie: Monday 2026-11-23, 10:00 UTC.
    static let now = 1_795_428_000
    /// The groups of each user, the primary one first.
    static let users = ["u0": ["g0"], "u1": ["g1", "g0"], "u2": ["g2"], "u3": ["g0", "g1", "g2"]]
    /// Every key that policy may speak of.
    var places = NaiveMaker.places
    /// The domains that may be sealed.
    var sealed = ["d0", "d1"]

    /// The keys that policy speaks of unless a test says others.
    static let places = ["d0", "d1", "org.example.Two"].flatMap { domain in
        ["k0", "k1", "K1"].map { NaivePlace(domain: domain, key: $0) }
    }

    /// A number below a bound.
    mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    /// What chance chooses, once in so many times.
    mutating func sometimes<Content>(_ bound: Int, _ make: (inout NaiveMaker) -> Content) -> Content? {
        number(bound) == 0 ? make(&self) : nil
    }

    /// Something of some keys.
    mutating func some<Item>(_ bound: Int, _ make: (inout NaiveMaker) -> Item) -> [NaivePlace: Item] {
        (0..<number(bound)).reduce(into: [:]) { items, _ in
            items[places[number(places.count)]] = make(&self)
        }
    }

    /// One or two of some words.
    mutating func words(_ all: [String]) -> [String] { (0...number(2)).map { _ in all[number(all.count)] } }

    /// A value: mostly of types that operators join.
    mutating func value(depth: Int = 0) -> Value {
        switch number(depth > 2 ? 5 : 9) {
        case 0: return .string(["plain", "ü\u{301}", ""][number(3)])
        case 1: return .boolean(number(2) == 0)
        case 2: return .integer(number(6) - 3)
        case 3: return .real(Double(number(9)) / 4)
        case 4: return .boolean(true)
        case 5, 6: return .array((0..<number(4)).map { _ in value(depth: depth + 1) })
        default:
            return .dictionary(
                (0..<number(4)).reduce(into: [:]) { entries, _ in
                    entries[Key("k\(number(3))")] = value(depth: depth + 1)
                })
        }
    }

    /// Clauses, some of which name accounts that do not exist.
    mutating func clauses(_ rarity: Int) -> NaiveClauses {
        NaiveClauses(
            users: sometimes(rarity) { $0.words(["u0", "u1", "u2", "u3", "u9"]) },
            groups: sometimes(rarity) { $0.words(["g0", "g1", "g2", "g9"]) },
            hosts: sometimes(rarity) { $0.words(["room1-*", "room[!1]-pc0?", "*.lab.example", "hall", "r*c0[1-3]"]) },
            tags: sometimes(rarity) { $0.words(["t0", "t1", "t2"]) })
    }

    /// A moment within two hours of ``now``, or in a second of it.
    mutating func moment() -> Int { NaiveMaker.now + (number(3) == 0 ? number(3) - 1 : (number(17) - 8) * 900) }

    /// A target.
    mutating func target() -> NaiveTarget {
        NaiveTarget(
            include: clauses(4), except: clauses(9), notBefore: sometimes(5) { $0.moment() } ?? .min,
            notAfter: sometimes(5) { $0.moment() } ?? .max)
    }

    /// A constraint.
    mutating func constraint() -> NaiveConstraint {
        let least = number(3)
        switch number(5) {
        case 0: return NaiveConstraint(fields: ["Minimum": .integer(least)], leaves: [])
        case 1: return NaiveConstraint(fields: ["Maximum": .real(0.5 + Double(least))], leaves: [])
        case 2:
            let most = least + number(2)
            return NaiveConstraint(
                fields: ["Minimum": .integer(least), "Maximum": .integer(most)],
                leaves: least == most ? [.integer(least)] : [])
        case 3:
            let all = (0...number(3)).map { Value.string("v\($0)") }
            return NaiveConstraint(fields: ["OneOf": .array(all)], leaves: all)
        default: return NaiveConstraint(fields: ["Pattern": .string("v[0-9]+")], leaves: [])
        }
    }

    /// A file.
    mutating func file(_ name: String) -> NaiveFile {
        NaiveFile(
            name: name, enforced: number(4) == 0, target: sometimes(2) { $0.target() } ?? NaiveTarget(),
            forced: some(9) { maker in maker.number(5) == 0 ? nil : maker.value() },
            recommended: some(3) { $0.value() },
            setOnce: some(3) { $0.value() }, constraints: some(4) { $0.constraint() },
            combine: some(6) { $0.words(["union", "merge", "min", "max", "and", "or", "union", "replace"])[0] },
            seals: Set(number(6) == 0 ? [words(sealed)[0]] : []),
            waivers: some(3) { maker in
                NaiveTarget(include: maker.clauses(3), notAfter: maker.sometimes(2) { $0.moment() } ?? .max)
            })
    }

    /// A few files in the order of their names' bytes.
    mutating func files() -> [NaiveFile] {
        let names = Set((0..<number(9)).map { _ in "\(number(120))\(["", "-a", "-B", "-ü"][number(4)])" })
        // The order of a set is another one in every process.
        return names.sorted().map { $0 + (number(3) == 0 ? ".plist" : ".json") }
            .sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }.map { file($0) }
    }

    /// A random subject.
    mutating func subject() -> NaiveSubject {
        let user = "u\(number(4))"
        return NaiveSubject(
            user: user, groups: Set(NaiveMaker.users[user] ?? []),
            hosts: [["room1-pc01", "room1-pc01.lab.example"], ["hall", "hall"], ["room2-pc05", "room2-pc05.x"]][
                number(3)],
            tags: [[], ["t1"], ["t0", "t2"]][number(3)], isKnown: number(6) != 0, now: moment())
    }
}
