import Platform
import PropertyList
import Testing

@testable import Policy

/// Compares the resolver with a naive one that was written apart from it, over random policy with every field.
struct RandomResolverTests {
    @Test(arguments: 0..<40)
    func `agrees with the naive resolver`(_ seed: UInt64) throws {
        var maker = PolicyMaker(seed: seed)
        for _ in 0..<40 {
            let set = maker.set()
            for _ in 0..<3 {
                let subject = maker.subject()
                let resolved = set.resolve(for: subject)
                let naive = NaiveResolver(files: set.files.compactMap(\.policy), subject: subject)
                #expect(resolved.applied.map(\.file) == naive.files.filter { naive.applies($0) }.map(\.path))
                for domain: Key in ["d0", "d1"] {
                    for key in (0..<4).map({ Key("k\($0)") }) {
                        try compare(resolved, naive, domain, key)
                    }
                }
            }
        }
    }

    /// Asks both about one key.
    private func compare(_ resolved: ResultantSet, _ naive: NaiveResolver, _ domain: Key, _ key: Key) throws {
        let metadata = naive.metadata(domain, key)
        #expect((resolved.metadata[domain]?[key] ?? KeyMetadata()) == metadata)
        let (found, expected) = (resolved.forcedEntry(domain: domain, key: key), naive.forced(domain, key))
        #expect((found == nil) == (expected == nil))
        #expect(found?.value == expected?.value)
        #expect(found?.value?.typeName == expected?.value?.typeName)
        if let found, let expected {
            let origins = Set(found.contributors)
            #expect(origins.isEmpty ? [found.origin] == expected.origins : origins == expected.origins)
            #expect(expected.origins.contains(found.origin))
            #expect((found.level == .absent) == (found.value == nil))
            #expect(found.metadata == metadata)
        }
        let constraint = naive.strongest(naive.constraints(naive.standing(domain, key), domain, key))
        #expect(
            resolved.constraints[domain]?[key]?.entry.origin
                == (expected == nil ? constraint.map(\.item.origin) : nil))
        let (recommended, setOnce) = (resolved.recommended[domain]?[key], resolved.setOnce[domain]?[key])
        #expect(recommended?.origin == naive.entry(.recommended, domain, key)?.origin)
        #expect(setOnce?.origin == naive.entry(.setOnce, domain, key)?.origin)
        #expect(setOnce?.rule == naive.entry(.setOnce, domain, key)?.rule)
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
