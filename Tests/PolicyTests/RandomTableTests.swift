import Platform
import PropertyList
import Testing

@testable import Policy

/// Resolves random policy through a compiled table and from the sources.
struct RandomTableTests {
    /// Makes random policy.
    struct Maker {
        /// Where chance comes from.
        var random: SplitMix

        /// A number below a bound.
        mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

        /// A place in a file.
        mutating func position() -> Position {
            if number(4) == 0 { return Position(byte: number(900)) }
            return Position(line: 1 + number(90), column: 1 + number(90), offset: number(9000))
        }

        /// A value of any kind.
        mutating func value(depth: Int = 0) -> Value {
            switch number(depth > 3 ? 8 : 10) {
            case 0: return .string("plain")
            case 1: return .string("https://${host}/${user}/$${x} ü\u{301}")
            case 2: return .boolean(number(2) == 0)
            case 3: return .integer(Integer(Int64.random(in: .min ... .max, using: &random)))
            case 4: return .integer(Integer(UInt64.random(in: .min ... .max, using: &random)))
            case 5: return .real(Double(number(1000)) / 7)
            case 6: return .date(Double(number(1_000_000)))
            case 7: return .data((0..<number(40)).map { UInt8($0) })
            case 8: return .array((0..<number(4)).map { _ in value(depth: depth + 1) })
            default:
                var entries: [Key: Value] = [:]
                for _ in 0..<number(4) { entries[Key("k\(number(9))")] = value(depth: depth + 1) }
                return .dictionary(entries)
            }
        }

        /// The names of a clause.
        mutating func names(_ stem: String) -> [TargetName]? {
            if number(2) == 0 { return nil }
            return (0..<(1 + number(3))).map { _ in TargetName(Key("\(stem)\(number(4))"), position: position()) }
        }

        /// Clauses.
        mutating func clauses() -> Target.Clauses {
            let patterns = ["room1-*", "room[!1]-pc0?", "*.lab.example", "h"]
            let hosts = number(3) == 0 ? HostPattern(patterns[number(4)], position: position()).map { [$0] } : nil
            return Target.Clauses(users: names("u"), groups: names("g"), hosts: hosts, tags: names("t"))
        }

        /// A policy file.
        mutating func file(_ index: Int) -> LoadedFile {
            let (path, identifier) = ("/etc/managed-defaults/policies.d/\(index).json", "org.example.p\(index)")
            var entries: [PolicyEntry] = []
            for _ in 0..<number(8) {
                let level: Level = [.forced, .forced, .absent, .recommended][number(4)]
                let value = level == .absent ? nil : value()
                entries.append(
                    PolicyEntry(
                        level: level, domain: Key("d\(number(3))"), key: Key("k\(number(4))"),
                        value: value.map { RandomTableTests.node($0) }, hasVariables: number(2) == 0,
                        origin: Origin(policy: identifier, file: path, position: position())))
            }
            let policy = PolicyFile(
                identifier: identifier, identifierPosition: position(),
                version: number(2) == 0 ? nil : Integer(number(99) - 50), summary: "s\(number(9))",
                contact: "c\(number(9))", target: number(3) == 0 ? nil : Target(include: clauses(), except: clauses()),
                enforced: number(4) == 0, onOverride: number(3) == 0 ? .shadow : .refuse, entries: entries, path: path,
                digest: SHA256.hash([UInt8(index)]))
            return LoadedFile(
                path: path, source: .current, policy: policy, trusted: true, valid: true, isRecorded: true,
                diagnostics: [])
        }

        /// A subject.
        mutating func subject() -> Subject {
            let host = number(2) == 0 ? HostName("h.lab.example") : HostName("room1-pc01")
            return Subject(
                userName: "u\(number(4))", uid: UInt32(number(4)), gid: UInt32(number(4)),
                groups: [UInt32(number(4)), UInt32(number(4))], groupNames: number(2) == 0 ? [] : ["g1", "g2"],
                home: "/home/u", host: host ?? HostName(short: "h", full: "h"), tags: number(2) == 0 ? [] : ["t1"],
                moment: Moment(time: Clock.now(), zones: ZoneDatabase(root: .system)),
                isIdentityKnown: number(4) != 0, areTagsKnown: number(4) != 0)
        }
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

    /// Whether two entries say the same.
    static func isSame(_ left: ResolvedEntry?, _ right: ResolvedEntry?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        let losers = zip(left.losers, right.losers).allSatisfy {
            $0.level == $1.level && $0.value == $1.value && $0.origin == $1.origin
        }
        return losers && left.losers.count == right.losers.count && left.level == right.level
            && left.domain == right.domain && left.key == right.key && left.value == right.value
            && left.value?.typeName == right.value?.typeName && left.origin == right.origin
            && left.onOverride == right.onOverride && left.contact == right.contact
            && left.policyVersion == right.policyVersion && left.description == right.description
            && left.fileDigest == right.fileDigest && left.isLastGood == right.isLastGood
    }

    @Test(arguments: 0..<30) func `says what the sources say`(_ seed: UInt64) throws {
        var maker = Maker(random: SplitMix(state: seed &+ 7000))
        let names = NameTable(
            users: ["u0": .id(0), "u1": .id(1), "u2": .unknown, "u3": .id(3)],
            groups: ["g0": .id(0), "g1": .unknown, "g2": .id(2), "g3": .id(3)])
        for _ in 0..<20 {
            let files = (0..<maker.number(8)).map { maker.file($0) }
            let set = PolicySet(files: files, names: names)
            let bytes = try #require(
                CompiledTable.compile(set, host: "room1-pc01.lab.example", tags: ["t1", "ü"], witnesses: []))
            let table = try #require(try CompiledTable(checking: bytes, root: nil))
            #expect(try table.tags() == ["t1", "ü"])
            for _ in 0..<10 {
                let subject = maker.subject()
                let (expected, found) = (set.resolve(for: subject), try table.resolve(for: subject))
                #expect(found.skipped == expected.skipped)
                #expect(found.entries.count == expected.entries.count)
                #expect(zip(found.entries, expected.entries).allSatisfy { Self.isSame($0, $1) })
                #expect(Set(found.forced.keys) == Set(expected.forced.keys))
                for (domain, key) in (0..<4).flatMap({ domain in (0..<5).map { ("d\(domain)", "k\($0)") } }) {
                    let entry = try table.forcedEntry(domain: Key(domain), key: Key(key), for: subject)
                    #expect(Self.isSame(entry, expected.forcedEntry(domain: Key(domain), key: Key(key))))
                }
            }
        }
    }

    @Test func `is not compiled where a name is not known`() throws {
        var maker = Maker(random: SplitMix(state: 1))
        var files: [LoadedFile] = []
        while !files.contains(where: { $0.policy?.target?.include.users != nil }) { files.append(maker.file(1)) }
        #expect(CompiledTable.compile(PolicySet(files: files), host: "h", tags: [], witnesses: []) == nil)
    }
}
