import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// A compiled table with every field of policy, in which any byte is changed, a part is missing, or blocks are swapped:
/// every query gets the right answer or none.
struct TableMutationTests {
    /// A way to ask a table.
    private struct Question: Sendable {
        /// What it asks for.
        let name: String
        /// Asks, and answers in text.
        let ask: @Sendable (CompiledTable) throws -> String
    }

    /// A table, and what it has to answer.
    private struct Example {
        /// The whole table.
        let bytes: [UInt8]
        /// The questions and their answers.
        let questions: [(question: Question, answer: String)]

        /// Compiles random policy of so many files.
        init(files count: Int, seed: UInt64) throws {
            var maker = PolicyMaker(seed: seed)
            let set = PolicySet(
                files: (0..<count).map { index in
                    let policy = maker.file(index)
                    return PolicyFileState(
                        path: policy.path, policy: policy, diagnostics: [])
                }, names: PolicyMaker.names)
            var subject = maker.subject()
            subject.unknown = []
            bytes = try #require(
                CompiledTable.compile(
                    set, host: "room1-pc01", tags: ["t1"], surroundings: [], sources: [],
                    manifests: ManifestSecretsTests.example))
            let table = try #require(try TableMutationTests.open(bytes))
            questions = try TableMutationTests.questions(subject).map { ($0, try $0.ask(table)) }
            // The expected answer is that of the sources.
            try #require(questions.first?.answer == set.resolve(for: subject).everything)
        }

        /// Asks everything of other bytes; how often there was an answer, and how often a wrong one.
        func ask(_ other: [UInt8]) -> (answers: Int, wrong: [String]) {
            guard let table = try? TableMutationTests.open(other) else { return (0, []) }
            let found = questions.map { item in (item, try? item.question.ask(table)) }
            return (
                found.filter { $0.1 != nil }.count,
                found.filter { $0.1 != nil && $0.1 != $0.0.answer }.map(\.0.question.name)
            )
        }
    }

    /// Opens a table as it lies in memory.
    private static func open(_ bytes: [UInt8]) throws -> CompiledTable? {
        try CompiledTable(checking: TablePages(bytes), root: nil)
    }

    /// Every way to ask: everything, one key with these tags and with the table's own, the tags.
    private static func questions(_ subject: Subject) -> [Question] {
        let keys = [("d0", "k0"), ("d0", "k2"), ("d1", "k1"), ("d1", "none"), ("none", "k0")]
        return [
            Question(name: "everything") { try $0.resolve(for: subject).everything },
            Question(name: "secrets") { try $0.manifestSecrets(root: nil).map { ManifestSecretsTests.text($0) } ?? "" },
        ]
            + keys.flatMap { domain, key in
                [false, true].map { ownTags in
                    Question(name: "\(domain) \(key) \(ownTags)") { table in
                        try table.forcedEntry(
                            domain: Key(domain), key: Key(key), for: subject, ownTags: ownTags)?.everything ?? "free"
                    }
                }
            } + [Question(name: "tags") { try $0.tags().map(\.string).sorted().joined(separator: " ") }]
    }

    @Test func `any byte with any of these values is found`() throws {
        let example = try Example(files: 3, seed: 1)
        for index in example.bytes.indices {
            let old = example.bytes[index]
            for new in Set([old ^ 1, old ^ 0x80, ~old, old &+ 1, 0, 0xff]) where new != old {
                var bytes = example.bytes
                bytes[index] = new
                #expect(throws: StoredFileError.self, "byte \(index) is \(new)") { try TablePages(bytes).requireAll() }
            }
        }
    }

    @Test func `no way to ask gives another answer where a byte differs`() throws {
        let example = try Example(files: 40, seed: 2)
        var (answers, refusals) = (0, 0)
        for index in stride(from: 0, to: example.bytes.count, by: 101) {
            var bytes = example.bytes
            bytes[index] ^= UInt8(truncatingIfNeeded: index &* 37 | 1)
            let found = example.ask(bytes)
            #expect(found.wrong == [], "byte \(index)")
            answers += found.answers
            refusals += example.questions.count - found.answers
        }
        // What a question does not read does not hinder it.
        #expect(answers > 0 && refusals > 0)
    }

    @Test func `no way to ask gives another answer where a part is missing, or too much`() throws {
        let example = try Example(files: 3, seed: 3)
        for length in 0..<example.bytes.count {
            #expect(example.ask(Array(example.bytes[..<length])).answers == 0, "\(length) bytes")
        }
        for more in [[0], [0xff], Array(example.bytes.suffix(8)), example.bytes] {
            #expect(example.ask(example.bytes + more).answers == 0, "\(more.count) more")
        }
    }

    @Test func `no way to ask gives another answer where blocks have changed places`() throws {
        let example = try Example(files: 40, seed: 4)
        let blocks = stride(from: TableFormat.headerSize, to: example.bytes.count, by: 192).map { $0 }
        for (one, other) in zip(blocks, blocks.dropFirst(3)) where other + 64 <= example.bytes.count {
            var bytes = example.bytes
            for offset in 0..<64 { bytes.swapAt(one + offset, other + offset) }
            if bytes == example.bytes { continue }
            #expect(throws: StoredFileError.self) { try TablePages(bytes).requireAll() }
            #expect(example.ask(bytes).wrong == [], "\(one) and \(other)")
        }
        // Whole blocks, each with the sum of the other.
        let end = try example.bytes.withUnsafeBytes { try TableFormat.bodyEnd($0) }
        let (size, start) = (TableFormat.blockSize, TableFormat.headerSize)
        try #require(end >= start + 2 * size, "the table has two whole blocks")
        var bytes = example.bytes
        for offset in 0..<size { bytes.swapAt(start + offset, start + size + offset) }
        for offset in 0..<8 { bytes.swapAt(end + offset, end + 8 + offset) }
        #expect(throws: StoredFileError.self) { try TablePages(bytes).requireAll() }
        #expect(example.ask(bytes).wrong == [])
    }

    @Test(arguments: [0x01, 0xff] as [UInt8])
    func `every damage behind right sums is read without a trap`(_ mask: UInt8) throws {
        let example = try Example(files: 2, seed: 5)
        let end = try example.bytes.withUnsafeBytes { try TableFormat.bodyEnd($0) }
        var opened = 0
        for index in Sweeping.places(in: TableFormat.generationOffset..<end, about: 300) {
            var body = Array(example.bytes[..<end])
            body[index] ^= mask
            if example.ask(TableFormat.sealed(body)).answers > 0 { opened += 1 }
        }
        #expect(opened > 0)
    }
}
