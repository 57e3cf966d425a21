import MDConformanceTable
import Testing

/// Runs the table against this package's own subjects; the comparison with others is `Tests/Conformance/run`.
@Suite(.serialized) struct ConformanceTests {
    @Test func `every row has a place, a statement and steps`() throws {
        #expect(try Table(folder: Table.folder).rows.count > 300)
    }

    @Test(arguments: [Subject.managed, .subclass])
    func `every row passes`(subject: Subject) throws {
        let rows = try Table(folder: Table.folder).rows
        let driver = try Drivers.besideThisProgram.path(of: subject)
        for (row, verdict) in try Runner(subject, driver: driver).run(rows) where verdict != .passed {
            Issue.record("\(subject.title), \(row.group) \(row.id) (\(row.statement)): \(verdict)")
        }
    }

    @Test func `numbers compare as NSNumber does, and nothing else`() {
        #expect(Wire.boolean(true).matches(.integer(1)))
        #expect(Wire.integer(1).matches(.real(1)))
        #expect(Wire.real(.nan).matches(.real(.nan)))
        #expect(!Wire.string("1").matches(.integer(1)))
        #expect(!Wire.array([.integer(1)]).matches(.array([])))
        #expect(!Wire.nothing.matches(.integer(0)))
    }
}
