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

/// Every folder in `Fixtures`: `root` is the input, and each `expected/USER@HOST.txt` the resultant set, at the moment
/// of `expected/USER@HOST@2026-11-23T10:00:00Z.txt` if one is given.
struct ResolverGoldenTests {
    /// The folder of the fixtures.
    static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")

    /// A case and a subject.
    struct Case: CustomTestStringConvertible, Sendable {
        /// The folder of the case.
        let folder: URL
        /// `USER@HOST`, or `USER@HOST@TIME`.
        let subject: String

        var testDescription: String { "\(folder.lastPathComponent) \(subject)" }
    }

    /// Every case with every subject.
    static var cases: [Case] {
        let manager = FileManager.default
        let folders = (try? manager.contentsOfDirectory(atPath: fixtures.path)) ?? []
        return folders.sorted().flatMap { name in
            let folder = fixtures.appendingPathComponent(name)
            let expected = folder.appendingPathComponent("expected").path
            return ((try? manager.contentsOfDirectory(atPath: expected)) ?? []).sorted().map { file in
                Case(folder: folder, subject: String(file.dropLast(4)))
            }
        }
    }

    @Test(arguments: cases)
    func `resolves to the golden resultant set`(_ item: Case) throws {
        let machine = try TemporaryMachine(copying: item.folder.appendingPathComponent("root"))
        let parts = item.subject.split(separator: "@").map(String.init)
        let set = machine.load()
        let findings = set.diagnostics.map { finding in
            finding.description.replacingOccurrences(of: machine.directory.path, with: "")
        }
        let ignored = set.ignored.map { "ignored \($0.path): \($0.reason)" }
        var subject = try machine.subject(parts[0], host: parts[1])
        if parts.count > 2 { subject.moment.time = try #require(Timestamp(rfc3339: parts[2])) }
        let resolved = set.resolve(for: subject)
        let text = resolved.rendered + (ignored + findings).map { $0 + "\n" }.joined()
        let golden = item.folder.appendingPathComponent("expected/\(item.subject).txt")
        if ProcessInfo.processInfo.environment["WRITE_GOLDEN"] == "1" {
            try text.write(to: golden, atomically: true, encoding: .utf8)
        }
        #expect(text == (try String(contentsOf: golden, encoding: .utf8)))
        try check(set, resolved, subject)
    }

    /// Compiles a case, if a table can hold its sources, and resolves its domains one by one and together.
    private func check(_ set: PolicySet, _ resolved: ResultantSet, _ subject: Subject) throws {
        guard set.files.allSatisfy({ $0.source == .current }),
            let bytes = CompiledTable.compile(
                set, host: subject.host.full, tags: subject.tags, surroundings: [], sources: [])
        else { return }
        let table = try #require(try CompiledTable(checking: TablePages(bytes), root: nil))
        let domains = Set(resolved.entries.map(\.domain) + resolved.waivers.map(\.waiver.domain))
            .union(resolved.constraints.keys).union(resolved.metadata.keys)
        for asked in domains.map({ [$0] }) + [domains] {
            #expect(try table.resolve(for: subject, in: asked).ofDomains == resolved.only(asked).ofDomains)
        }
    }

    @Test func `finds its fixtures`() {
        #expect(Self.cases.count >= 8)
    }
}
