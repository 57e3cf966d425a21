import MDPlatform
import MDPropertyList
import MDTestSupport
import MDTools

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// Makes random policy with every field.
struct PolicyMaker {
    /// The source of randomness.
    var random: SplitMix
    /// The domains that policy is about.
    var domains: [Key] = ["d0", "d1"]
    /// The keys that policy is about.
    var keys: [Key] = ["k0", "k1", "k2"]

    /// Begins with a seed; the same seed makes the same policy.
    init(seed: UInt64) { random = SplitMix(state: seed) }

    /// The moment about which the moments of policy lie: Monday 2026-11-23, 10:00 UTC.
    static let now = Timestamp(microseconds: 1_795_428_000_000_000)

    /// The ids of the names that policy uses.
    static let names = AccountIDs(
        users: ["u0": .id(0), "u1": .id(1), "u2": .unknown, "u3": .id(3)],
        groups: ["g0": .id(0), "g1": .unknown, "g2": .id(2), "g3": .id(3)])

    /// A number below a bound.
    mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    /// What chance chooses, once in so many times.
    mutating func sometimes<Content>(_ bound: Int, _ make: (inout PolicyMaker) -> Content) -> Content? {
        number(bound) == 0 ? make(&self) : nil
    }

    /// A few of something.
    mutating func some<Content>(_ bound: Int, _ make: (inout PolicyMaker) -> Content) -> [Content] {
        (0..<number(bound)).map { _ in make(&self) }
    }

    /// A place in a file.
    mutating func position() -> Position {
        if number(4) == 0 { return Position(byte: number(900)) }
        return Position(line: 1 + number(90), column: 1 + number(90), offset: number(9000))
    }

    /// A moment within two hours of ``now``.
    mutating func moment() -> Timestamp {
        Timestamp(microseconds: PolicyMaker.now.microseconds + Int64(number(17) - 8) * 900_000_000)
    }

    /// A value of any kind.
    mutating func value(depth: Int = 0) -> Value {
        switch number(depth > 2 ? 9 : 13) {
        case 0: return .string("plain")
        case 1: return .string("https://${host}/${user}/$${x} ü\u{301}")
        case 2: return .boolean(number(2) == 0)
        case 3: return .integer(number(5))
        case 4: return .integer(Integer(Int64.random(in: .min ... .max, using: &random)))
        case 5: return .integer(Integer(UInt64.random(in: .min ... .max, using: &random)))
        case 6: return .real(Double(number(30)) / 7)
        case 7: return .date(Double(number(1_000_000)))
        case 8: return .data((0..<number(40)).map { UInt8($0) })
        case 9, 10: return .array(some(4) { $0.value(depth: depth + 1) })
        default:
            var entries: [Key: Value] = [:]
            for _ in 0..<number(4) { entries[Key("k\(number(3))")] = value(depth: depth + 1) }
            return .dictionary(entries)
        }
    }

    /// The names of a clause.
    mutating func names(_ stem: String) -> [TargetName]? {
        sometimes(3) { maker in
            (0..<(1 + maker.number(3))).map { _ in
                TargetName(Key("\(stem)\(maker.number(4))"), position: maker.position())
            }
        }
    }

    /// Clauses.
    mutating func clauses() -> Target.Clauses {
        let patterns = ["room1-*", "room[!1]-pc0?", "*.lab.example", "h"]
        let hosts = number(4) == 0 ? HostPattern(patterns[number(4)], position: position()).map { [$0] } : nil
        return Target.Clauses(users: names("u"), groups: names("g"), hosts: hosts, tags: names("t"))
    }

    /// A window in UTC, from one full hour to another one.
    mutating func window() -> Window {
        let days = Weekday.allCases.filter { _ in number(3) > 0 }
        let from = number(24)
        let to = (from + 1 + number(22)) % 24
        return Window(
            days: days.isEmpty ? [.monday] : Set(days), from: from * 3600, to: (to == 0 ? 24 : to) * 3600,
            timeZone: "UTC", position: position())
    }

    /// A target.
    mutating func target() -> Target {
        let schedule: [ScheduleItem]? = sometimes(3) { maker in
            (0..<(1 + maker.number(2))).map { _ in
                maker.number(2) == 0
                    ? .window(maker.window())
                    : .calendar(Key("c\(maker.number(3))"), position: maker.position())
            }
        }
        return Target(
            include: sometimes(2) { $0.clauses() } ?? Target.Clauses(),
            except: sometimes(4) { $0.clauses() } ?? Target.Clauses(), schedule: schedule,
            notBefore: sometimes(4) { $0.moment() }, notAfter: sometimes(4) { $0.moment() })
    }

    /// A constraint.
    mutating func constraint() -> Constraint {
        switch number(4) {
        case 0: Constraint(minimum: .integer(number(4)))
        case 1: Constraint(minimum: .integer(number(3)), maximum: .integer(2 + number(3)))
        case 2: Constraint(oneOf: (0..<(1 + number(2))).map { _ in .string("v\(number(3))") })
        default: Constraint(maximum: .real(Double(number(9)) / 4), pattern: try? ConstraintPattern("v[0-9]+"))
        }
    }

    /// A policy file.
    mutating func file(_ index: Int) -> PolicyFile {
        let (path, identifier) = ("/etc/managed-defaults/policies.d/\(index).json", "org.example.p\(index)")
        /// Another place in this file.
        func origin(_ maker: inout PolicyMaker) -> Origin {
            Origin(policy: identifier, file: path, position: maker.position())
        }
        /// A domain.
        func domain(_ maker: inout PolicyMaker) -> Key { maker.domains[maker.number(maker.domains.count)] }
        /// A key.
        func key(_ maker: inout PolicyMaker) -> Key { maker.keys[maker.number(maker.keys.count)] }
        let rules: [SetOnceRule] = [.eachVersion, .eachSession, .eachStamp("2026-11-20T08:00:00Z")]
        return PolicyFile(
            identifier: identifier, version: sometimes(2) { Integer($0.number(99) - 50) }, summary: "s\(number(9))",
            contact: "c\(number(9))", target: sometimes(2) { $0.target() },
            enforced: number(4) == 0, onOverride: number(3) == 0 ? .shadow : .refuse,
            entries: some(8) { maker in
                let level: Level = [.forced, .forced, .forced, .absent, .recommended, .setOnce][maker.number(6)]
                let value = level == .absent ? nil : maker.value()
                return PolicyEntry(
                    level: level, domain: domain(&maker), key: key(&maker), value: value.map { PolicyMaker.node($0) },
                    hasVariables: maker.number(2) == 0,
                    rule: level == .setOnce ? rules[maker.number(3)] : .eachVersion, origin: origin(&maker))
            },
            seals: sometimes(4) { Seal(domain: domain(&$0), origin: origin(&$0)) }.map { [$0] } ?? [],
            constraints: some(3) { maker in
                ConstraintEntry(
                    domain: domain(&maker), key: key(&maker), constraint: maker.constraint(), origin: origin(&maker))
            },
            combine: some(3) { maker in
                let all: [CombineOperator] = [.union, .merge, .min, .max, .and, .or, .replace, .union, .merge]
                return CombineEntry(
                    domain: domain(&maker), key: key(&maker), combine: all[maker.number(9)],
                    origin: origin(&maker))
            },
            waivers: some(2) { maker in
                Waiver(
                    clauses: maker.sometimes(2) { $0.clauses() } ?? Target.Clauses(), domain: domain(&maker),
                    key: key(&maker), until: maker.sometimes(2) { $0.moment() }, reason: "r\(maker.number(3))",
                    approvedBy: "a\(maker.number(3))", origin: origin(&maker))
            },
            calendars: some(2) { maker in
                NamedCalendar(
                    name: Key("c\(maker.number(2))"), windows: [maker.window(), maker.window()],
                    position: maker.position())
            },
            metadata: some(3) { maker in
                let metadata = KeyMetadata(
                    title: maker.sometimes(2) { "t\($0.number(9))" } ?? "",
                    description: maker.sometimes(2) { "d\($0.number(9))" } ?? "",
                    controls: maker.some(3) { "CIS \($0.number(3))" }, isSensitive: maker.number(3) == 0)
                return MetadataEntry(
                    domain: domain(&maker), key: key(&maker), metadata: metadata,
                    programs: maker.some(2) { "/opt/\($0.number(3))/*" }.compactMap { HostPattern($0) },
                    severity: maker.sometimes(2) { RuleSeverity.allCases[$0.number(4)] },
                    origin: origin(&maker))
            },
            path: path, digest: SHA256.hash([UInt8(index)]))
    }

    /// A set of policy files.
    mutating func set() -> PolicySet {
        let files = (0..<number(8)).map { index in
            PolicyFileState(
                path: "/etc/managed-defaults/policies.d/\(index).json", policy: file(index), diagnostics: [])
        }
        return PolicySet(files: files, names: PolicyMaker.names)
    }

    /// A subject.
    mutating func subject() -> Subject {
        let host = number(2) == 0 ? HostName("h.lab.example") : HostName("room1-pc01")
        return Subject(
            userName: "u\(number(4))", uid: UInt32(number(4)), gid: UInt32(number(4)),
            groups: [UInt32(number(4)), UInt32(number(4))], groupNames: number(2) == 0 ? [] : ["g1", "g2"],
            home: "/home/u", host: host ?? HostName(short: "h", full: "h"), tags: number(2) == 0 ? [] : ["t1"],
            moment: Moment(time: moment(), isClockBehind: number(6) == 0, zones: ZoneDatabase(root: .system)),
            unknown: [[], [], [], .identity, .name, .id, .home, [.name, .home]][number(8)])
    }

    /// A node of a value.
    static func node(_ value: Value) -> Node {
        switch value {
        case .array(let elements): Node(.array(elements.map { node($0) }), offset: 3)
        case .dictionary(let entries):
            Node(
                .dictionary(entries.map { Node.Entry(key: $0.key, keyOffset: 1, value: node($0.value)) }), offset: 2)
        default: Node(.scalar(value), offset: 1)
        }
    }
}
