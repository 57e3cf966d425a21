import Foundation
import Policy
import Testing

/// What lint says of names in `/run` that are nearly those of exams and grants.
struct TemporaryNameTests {
    /// The findings of a machine with one file, as file name and message.
    private func findings(_ name: String, in place: String, _ text: String) throws -> [(file: String, message: String)]
    {
        let machine = try TestMachine()
        try machine.write("/\(place)/managed-defaults/policies.d/\(name)", text)
        return Lint.run(root: machine.root).filter { $0.code == LintCode.temporaryName.rawValue }.map { finding in
            #expect(finding.severity == .warning)
            return ((finding.file as NSString).lastPathComponent, finding.message)
        }
    }

    /// A policy file without mistakes.
    static let policy = #"{ "Identifier": "a.b", "Sealed": ["d"] }"#

    @Test(arguments: [
        "00-exam-math.a.until-20261121T11000Z.json", "00-exam-math.a.until-20261321T110000Z.json",
        "00-exam-math.until-20261121T110000Z.json", "00-exam-math.a-until-20261121T110000Z.json",
        "00-exam-math.a.20261121T110000Z.json", "00-exam-math.a.Until-20261121T110000Z.json",
    ]) func `an exam's name without an end that can be read is named`(_ name: String) throws {
        let found = try findings(name, in: "run", TemporaryNameTests.policy)
        #expect(found.map(\.file) == [name])
        #expect(found.allSatisfy { $0.message.contains("SET, NAME and the end do not stand there") })
        #expect(try findings(name, in: "run", "{").count == 1, "whether or not the file can be used")
        #expect(try findings(name, in: "etc", TemporaryNameTests.policy).isEmpty)
    }

    @Test(arguments: [
        "01-exam-math.a.until-20261121T110000Z.json", "00-Exam-math.a.until-20261121T110000Z.json",
        "00_exam-math.a.until-20261121T110000Z.json", "0-exam-math.a.until-20261121T110000Z.json",
        "50-holiday.until-monday.json",
    ]) func `an end behind another beginning is named`(_ name: String) throws {
        let found = try findings(name, in: "run", TemporaryNameTests.policy)
        #expect(found.count == 1 && found.allSatisfy { $0.message.contains("it does not begin with 00-exam-;") })
    }

    @Test(arguments: [
        "00-Grant-bob.json", "0-grant-bob.json", "00_grant_bob.json", "00-grants-bob.json", "00-gant-b.json",
    ])
    func `a beginning that is nearly a grant's is named`(_ name: String) throws {
        let found = try findings(name, in: "run", TemporaryNameTests.policy)
        #expect(found.count == 1 && found.allSatisfy { $0.message.contains("nearly that of a grant") })
    }

    @Test(arguments: [
        "00-exam-math.a.until-20991121T110000Z.json", "00-grant-0123456789abcdef.json", "00-grant-bob.json",
        "00-exam.json", "00-exam-today.json", "00-exam-20261121.json", "00-great-news.json", "10-site.json", "a.json",
        "untilted.json",
    ]) func `names of exams, of grants and of an administrator's own are not`(_ name: String) throws {
        #expect(try findings(name, in: "run", TemporaryNameTests.policy).isEmpty)
    }
}
