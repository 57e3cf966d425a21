import Foundation
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// Compares what ``NaiveResolver`` leaves aside with models of their own: schedules and calendars, metadata, variables.
struct RandomRuleTests {
    /// A file of a set with some of its fields.
    private static func file(_ file: PolicyFile, target: Target? = nil) -> PolicyFileState {
        let policy = PolicyFile(
            identifier: file.identifier, target: target, enforced: file.enforced, entries: file.entries,
            calendars: file.calendars, metadata: file.metadata, path: file.path, digest: file.digest)
        return PolicyFileState(
            path: file.path, policy: policy, diagnostics: [])
    }

    /// What a set says, and what a table says that was compiled of it.
    private static func resolved(_ set: PolicySet, _ subject: Subject) throws -> [ResultantSet] {
        let bytes = CompiledTable.compile(set, host: "h", tags: [], surroundings: [], sources: [])
        let compiled = try CompiledTable(checking: TablePages(try #require(bytes)), root: nil)
        return [set.resolve(for: subject), try #require(compiled).resolve(for: subject)]
    }

    /// Whether a window of UTC is open at a moment.
    private static func isOpen(_ window: Window, _ time: Timestamp) -> Bool {
        let seconds = Int(time.microseconds / 1_000_000)
        // The first of January 1970 was a Thursday.
        let (day, second) = ((seconds / 86_400 + 3) % 7, seconds % 86_400)
        let (today, yesterday) = (Weekday(rawValue: day), Weekday(rawValue: (day + 6) % 7))
        let (begins, began) = (
            window.days.contains { $0 == today }, window.days.contains { $0 == yesterday }
        )
        return window.from < window.to
            ? begins && second >= window.from && second < window.to
            : begins && second >= window.from || began && second < window.to
    }

    @Test func `schedules and calendars agree with a model`() throws {
        var maker = PolicyMaker(seed: 100)
        var (applying, skipped) = (0, 0)
        for _ in 0..<400 {
            let all = maker.set().files.compactMap(\.policy)
            let timed = all.map { file in
                RandomRuleTests.file(
                    file, target: file.target.map { Target(include: Target.Clauses(), schedule: $0.schedule) })
            }
            let files = timed.compactMap(\.policy)
            for _ in 0..<4 {
                let subject = maker.subject()
                let expected = files.filter { file in
                    file.target?.schedule.map { items in
                        items.contains { item in
                            switch item {
                            case .window(let window): return RandomRuleTests.isOpen(window, subject.moment.time)
                            case .calendar(let name, _):
                                let calendars = files.flatMap { file in
                                    file.calendars.filter { $0.name == name }.map { (file.enforced, $0) }
                                }
                                let calendar = calendars.first(where: \.0) ?? calendars.last
                                // An unknown calendar is an open window.
                                guard let calendar else { return true }
                                return calendar.1.windows.contains { RandomRuleTests.isOpen($0, subject.moment.time) }
                            }
                        }
                    } ?? true
                }
                for found in try RandomRuleTests.resolved(PolicySet(files: timed), subject) {
                    #expect(found.applied.map(\.file) == expected.map(\.path))
                }
                applying += expected.count
                skipped += files.count - expected.count
            }
        }
        #expect(applying > 100 && skipped > 100)
    }

    @Test(arguments: 0..<8) func `metadata agrees with a model`(_ seed: UInt64) throws {
        var maker = PolicyMaker(seed: seed &+ 200)
        for _ in 0..<30 {
            let loaded = maker.set().files.compactMap(\.policy).map { RandomRuleTests.file($0) }
            let files = loaded.compactMap(\.policy)
            for found in try RandomRuleTests.resolved(PolicySet(files: loaded), maker.subject()) {
                for (domain, key) in ["d0", "d1"].flatMap({ domain in (0..<3).map { (Key(domain), Key("k\($0)")) } }) {
                    let all = files.flatMap { file in
                        file.metadata.filter { $0.domain == domain && $0.key == key }.map {
                            (file.enforced, $0.metadata)
                        }
                    }
                    /// A text of the strongest file that gives one.
                    func text(_ field: KeyPath<KeyMetadata, String>) -> String {
                        let given = all.filter { !$0.1[keyPath: field].isEmpty }
                        return (given.first(where: \.0) ?? given.last)?.1[keyPath: field] ?? ""
                    }
                    let controls = all.flatMap(\.1.controls).reduce([]) { $0.contains($1) ? $0 : $0 + [$1] }
                    let expected = KeyMetadata(
                        title: text(\.title), description: text(\.description), controls: controls,
                        isSensitive: all.contains(where: \.1.isSensitive))
                    #expect(found.metadata[domain]?[key] ?? KeyMetadata() == expected)
                    if let entry = found.forcedEntry(domain: domain, key: key) { #expect(entry.metadata == expected) }
                }
            }
        }
    }

    @Test func `variables agree with a model`() throws {
        let pieces = ["$", "$$", "{", "}", "${user}", "${uid}", "${home}", "${host}", "$${", "$${user}", "x", "ü", ""]
        var random = SplitMix(state: 5)
        let names = ["${user}": "ann", "${uid}": "1001", "${home}": "/home/ann", "${host}": "h"]
        let subject = Subject(
            userName: "ann", uid: 1001, gid: 1, groups: [], home: "/home/ann", host: HostName(short: "h", full: "h.x"),
            moment: Moment(time: Timestamp(microseconds: 0), zones: ZoneDatabase(root: .system)))
        var expanded = 0
        for _ in 0..<2_000 {
            let text = (0..<6).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }.joined()
            // Between two literals, each variable is its value.
            let parts = text.components(separatedBy: "$${").map { part in
                names.reduce(part) { $0.replacingOccurrences(of: $1.key, with: $1.value) }
            }
            let bytes = Array("{ \"Identifier\": \"a.b\", \"Forced\": { \"d\": { \"k\": [\"\(text)\"] } } }".utf8)
            let (file, findings) = PolicyFile.parse(bytes: bytes, path: "/etc/managed-defaults/policies.d/a.json")
            guard let file else {
                // Pieces that make up another variable, or one that does not end.
                #expect(parts.contains { $0.contains("${") }, "\(text)")
                #expect(findings.contains { $0.code == "unknown-variable" }, "\(text): \(findings)")
                continue
            }
            let set = PolicySet(files: [RandomRuleTests.file(file)])
            for found in try RandomRuleTests.resolved(set, subject) {
                #expect(
                    found.forcedEntry(domain: "d", key: "k")?.value == .array([.string(parts.joined(separator: "${"))]),
                    "\(text)")
            }
            expanded += 1
        }
        #expect(expanded > 500)
    }
}
