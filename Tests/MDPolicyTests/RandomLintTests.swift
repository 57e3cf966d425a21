import MDPlatform
import MDPropertyList
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// Compares lint with one that compares everything with everything, over random policy with every field.
struct RandomLintTests {
    /// Domains and keys, some of which differ only by case or normalization; without the last key, all are ASCII.
    private static let names: (domains: [Key], keys: [Key]) = (
        ["d0", "D0", "NSGlobalDomain"], ["k0", "K0", "k[", "k{", "kelvin", "\u{fc}", "u\u{308}", "\u{212a}elvin"]
    )

    @Test(arguments: 0..<40)
    func `finds what a comparison of everything with everything finds`(_ seed: UInt64) throws {
        var maker = PolicyMaker(seed: seed)
        if seed % 2 == 0 {
            (maker.domains, maker.keys) = RandomLintTests.names
            if seed % 4 == 0 { maker.keys = Array(maker.keys.prefix(5)) }
        }
        for _ in 0..<12 {
            let policies = maker.set().files.compactMap(\.policy)
            let calendars = policies.calendarWindows
            let files = policies.map { LintFile(policy: $0, shownPath: $0.path, calendars: calendars) }
            let found = LintSet(files: files).findings.filter {
                ![LintCode.duplicateCalendar, .duplicateIdentifier].map(\.rawValue).contains($0.code)
            }
            let expected = NaiveLint(files).findings
            let words = found.map { "\($0.file)@\($0.position) \($0.position.offset) \($0.code)" }
            #expect(words.sorted() == expected.map(\.what).sorted())
            for finding in expected {
                let sentences = zip(words, found).filter { $0.0 == finding.what }.map(\.1.message)
                #expect(sentences.contains { Key($0).holds(finding.names) }, "\(finding)")
            }
        }
    }
}

extension Key {
    /// Whether the bytes of a text occur in this one; every text contains the empty one.
    fileprivate func holds(_ text: String) -> Bool {
        let (bytes, part) = (Array(string.utf8), Array(text.utf8))
        guard bytes.count >= part.count else { return false }
        return (0...(bytes.count - part.count)).contains { bytes[$0..<($0 + part.count)].elementsEqual(part) }
    }
}
