import Foundation
import MDConformanceTable
import Testing

struct TableTests {
    /// Reads a table of one file.
    private func table(_ text: String) throws -> Table {
        let folder = NSTemporaryDirectory() + "conformance-table-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/some.rows"))
        return try Table(folder: folder)
    }

    /// A row that is right, with one step.
    private func row(_ step: String) -> String {
        "row 1\nat 000:1 \"x\"\nsays something\n\(step)\n"
    }

    @Test(arguments: [
        "object \"k\" = equals 1", "object \"k\" = \"v", "object \"k\" = [1", "object \"k\" = 1 2", "object \"k\" =",
        "file \"d\" {1: 2}", "like 2", "",
    ])
    func `a row that cannot be read is said with its place`(step: String) {
        #expect(throws: Table.Mistake.self) { try table(row(step)) }
    }

    @Test func `two rows with one name are a mistake`() {
        #expect(throws: Table.Mistake.self) { try table(row("set \"k\" 1") + row("set \"k\" 2")) }
    }

    @Test func `an equals sign between quotation marks expects nothing`() throws {
        let step = try #require(try table(row("set \"a = b\" \" = \" = raises")).rows.first?.steps.first)
        #expect(step.request == "set \"a = b\" \" = \"")
        guard case .raised = step.expectation else {
            Issue.record("The expectation is \(step.expectation).")
            return
        }
    }

    @Test(arguments: ["/bin/false", "/bin/cat", "/bin/true"])
    func `a driver that ends or talks nonsense does not pass`(driver: String) throws {
        let results = try Runner(.foundation, driver: driver).run(try table(row("object \"k\" = 1")).rows)
        #expect(results.count == 1)
        guard case .failed? = results.first?.verdict else {
            Issue.record("The verdict is \(String(describing: results.first)).")
            return
        }
    }

    @Test func `an expectation holds for what it says only`() throws {
        let expectations = [
            ("has {\"a\": 1}", "{\"a\": 1, \"b\": 2}", "{\"a\": 2}"), ("lacks [\"a\"]", "{\"b\": 1}", "{\"a\": 1}"),
            ("shares [1, 2]", "[2, 3]", "[3]"), ("ends \"z\"", "[\"a\", \"z\"]", "[\"z\", \"a\"]"),
            ("not 0", "1", "0"), ("exactly true", "true", "1"), ("1", "true", "\"1\""),
        ]
        for (expectation, right, wrong) in expectations {
            let step = try #require(try table(row("object \"k\" = \(expectation)")).rows.first?.steps.first)
            #expect(step.expectation.accepts(Answer(line: "= \(right)")))
            #expect(!step.expectation.accepts(Answer(line: "= \(wrong)")))
            for answer in ["raised x", "missing x", "failed x", "done", "", "= ["] {
                #expect(!step.expectation.accepts(Answer(line: answer)))
            }
        }
    }
}
