import Platform
import Policy
import PropertyList
import Testing

/// Compares the resolver with a naive one that was written apart from it.
struct RandomResolverTests {
    /// One entry of the naive resolver's world.
    struct Rule {
        /// What it does: forced, absent or recommended, with its number.
        let level: Level
        /// The value, for all but absent entries.
        let value: Int
        /// The key.
        let key: Key
    }

    /// One file of the naive resolver's world.
    struct Page {
        /// Whether it is enforced.
        let enforced: Bool
        /// The users it is for; empty is everybody.
        let users: Set<Int>
        /// The users it is not for.
        let except: Set<Int>
        /// Its entries.
        let rules: [Rule]
    }

    /// Walks the pages from the first to the last, as the page in the design says, and keeps what holds so far.
    static func naive(_ pages: [Page], user: Int, recommended: Bool) -> [Key: (level: Level, value: Int)] {
        var held: [Key: (level: Level, value: Int)] = [:]
        var sealed: Set<Key> = []
        for page in pages where (page.users.isEmpty || page.users.contains(user)) && !page.except.contains(user) {
            for rule in page.rules where (rule.level == .recommended) == recommended {
                if sealed.contains(rule.key) { continue }
                held[rule.key] = (rule.level, rule.level == .absent ? -1 : rule.value)
                if page.enforced { sealed.insert(rule.key) }
            }
        }
        return held
    }

    /// Builds the policy file of a page.
    static func file(_ page: Page, number: Int) -> LoadedFile {
        let path = "/p/\(number).json"
        func names(_ users: Set<Int>) -> [TargetName]? {
            users.isEmpty ? nil : users.sorted().map { TargetName(Key("u\($0)")) }
        }
        let isEverybody = page.users.isEmpty && page.except.isEmpty
        let target = Target(include: .init(users: names(page.users)), except: .init(users: names(page.except)))
        let entries = page.rules.map { rule in
            PolicyEntry(
                level: rule.level, domain: "d", key: rule.key,
                value: rule.level == .absent ? nil : Node(.scalar(.integer(rule.value)), offset: 0),
                origin: Origin(policy: "p", file: path, position: .start))
        }
        let policy = PolicyFile(
            identifier: "p.p\(number)", target: isEverybody ? nil : target, enforced: page.enforced, entries: entries,
            path: path, digest: SHA256.hash([]))
        return LoadedFile(
            path: path, source: .current, policy: policy, trusted: true, valid: true, isRecorded: true, diagnostics: [])
    }

    @Test(arguments: 0..<40)
    func `agrees with the naive resolver`(_ seed: UInt64) {
        var random = SplitMix(state: seed)
        for _ in 0..<50 {
            let pages = (0..<Int.random(in: 0...8, using: &random)).map { _ in
                var used: Set<Key> = []
                let rules = (0..<Int.random(in: 0...6, using: &random)).compactMap { _ -> Rule? in
                    let level: Level =
                        [.forced, .forced, .absent, .recommended].randomElement(using: &random) ?? .forced
                    let key = Key("k\(Int.random(in: 0...3, using: &random))")
                    guard used.insert(Key((level == .recommended ? "r" : "f") + key.string)).inserted else {
                        return nil
                    }
                    return Rule(level: level, value: Int.random(in: 0...9, using: &random), key: key)
                }
                return Page(
                    enforced: Int.random(in: 0...3, using: &random) == 0,
                    users: Bool.random(using: &random) ? [] : [1, Int.random(in: 1...3, using: &random)],
                    except: Int.random(in: 0...4, using: &random) == 0 ? [Int.random(in: 1...3, using: &random)] : [],
                    rules: rules)
            }
            let names = NameTable(users: ["u1": .id(1), "u2": .id(2), "u3": .id(3)])
            let set = PolicySet(files: pages.enumerated().map { Self.file($1, number: $0) }, names: names)
            for user in 1...3 {
                let subject = Subject(
                    userName: "u\(user)", uid: UInt32(user), gid: 1, groups: [1], home: "/",
                    host: HostName(short: "h", full: "h"),
                    moment: Moment(time: Clock.now(), zones: ZoneDatabase(root: .system)))
                let result = set.resolve(for: subject)
                for (isRecommended, level) in [(false, result.forced), (true, result.recommended)] {
                    let expected = Self.naive(pages, user: user, recommended: isRecommended)
                    let found = level["d"] ?? [:]
                    #expect(Set(found.keys) == Set(expected.keys))
                    for (key, entry) in level["d"] ?? [:] {
                        #expect(entry.level == expected[key]?.level)
                        #expect((entry.value ?? .integer(-1)) == expected[key].map { .integer($0.value) })
                    }
                }
            }
        }
    }
}

/// A small random generator, so that a failing seed fails again (Steele, Lea and Flood 2014).
struct SplitMix: RandomNumberGenerator {
    /// The state.
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
