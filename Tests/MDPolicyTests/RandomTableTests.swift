import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// Resolves random policy through a compiled table and from the sources.
struct RandomTableTests {
    @Test(arguments: Sweeping.seeds(0..<30, usual: 8)) func `says what the sources say`(_ seed: UInt64) throws {
        var maker = PolicyMaker(seed: 7025 &- seed)
        for _ in 0..<15 {
            let set = maker.set()
            let bytes = try #require(
                CompiledTable.compile(
                    set, host: "room1-pc01.lab.example", tags: ["t1", "ü"], surroundings: [], sources: []))
            let table = try #require(try CompiledTable(checking: TablePages(bytes), root: nil))
            #expect(try table.tags() == ["t1", "ü"])
            for _ in 0..<4 {
                let subject = maker.subject()
                let expected = set.resolve(for: subject)
                #expect(try table.resolve(for: subject).everything == expected.everything)
                try check(table, set, expected, subject)
                for (domain, key) in (0..<3).flatMap({ domain in (0..<4).map { ("d\(domain)", "k\($0)") } }) {
                    let entry = try table.forcedEntry(domain: Key(domain), key: Key(key), for: subject)
                    let asked = expected.forcedEntry(domain: Key(domain), key: Key(key))
                    #expect(entry?.everything == asked?.everything)
                }
            }
            var subject = maker.subject()
            subject.tags = ["t1", "ü"]
            let expected = set.resolve(for: subject).forcedEntry(domain: "d0", key: "k0")
            subject.tags = []
            let entry = try table.forcedEntry(domain: "d0", key: "k0", for: subject, ownTags: true)
            #expect(entry?.everything == expected?.everything)
            let part = try table.resolve(for: subject, in: ["d0"], ownTags: true)
            #expect(part.forcedEntry(domain: "d0", key: "k0")?.everything == expected?.everything)
        }
    }

    /// Compares what a table and its sources say of some domains with what the whole set says of them, now and until the
    /// next change.
    private func check(
        _ table: CompiledTable, _ sources: PolicySet, _ whole: ResultantSet, _ subject: Subject
    ) throws {
        for domains: Set<Key> in [["d0"], ["d1"], ["d2"], ["d0", "d2"], ["d0", "d1", "d2", "nobody's"], ["none"], []] {
            let part = try table.resolve(for: subject, in: domains)
            #expect(part.domains == domains)
            #expect(part.ofDomains == whole.only(domains).ofDomains)
            #expect(sources.resolve(for: subject, in: domains).ofDomains == whole.only(domains).ofDomains)
            guard let next = whole.nextChange else {
                #expect(part.nextChange == nil)
                continue
            }
            // Of all domains together nothing changes earlier than of some.
            if let own = part.nextChange { #expect(own >= next) }
            guard let last = part.nextChange?.microseconds else { continue }
            var later = subject
            later.moment.time = Timestamp(microseconds: last - 1)
            guard later.moment.time > subject.moment.time else { continue }
            #expect(try table.resolve(for: later, in: domains).ofDomains == part.ofDomains)
        }
    }
}
