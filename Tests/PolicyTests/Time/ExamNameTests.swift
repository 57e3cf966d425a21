import Platform
import PropertyList
import Testing

@testable import Policy

/// The names of an exam's files.
struct ExamNameTests {
    @Test(arguments: ["10-a.json", "a.b.plist", "profile.mobileconfig", "x.until-20260101T000000Z.json"])
    func `a name says the set, the file and the end`(_ file: String) throws {
        let end = try #require(Timestamp(rfc3339: "2026-11-21T10:59:59.5Z"))
        let name = ExamName(set: "math", file: file, end: end)
        #expect(name.name.hasPrefix("00-exam-math.") && name.name.contains(".until-20261121T110000Z."))
        let read = try #require(ExamName(path: "/run/managed-defaults/policies.d/\(name.name)"))
        #expect(read == name)
        #expect(read.end == Timestamp(rfc3339: "2026-11-21T11:00:00Z"))
    }

    @Test(arguments: [
        "00-exam-today.json", "00-exam-math.10-a.json", "00-exam-.a.until-20261121T110000Z.json",
        "00-exam-math.a.until-20261121T11000Z.json", "00-exam-math.a.until-20261321T110000Z.json",
        "00-exam-math.until-20261121T110000Z.json", "01-exam-math.a.until-20261121T110000Z.json",
        "00-exam-math.a.until-20261121T110000Z", "00-exam-math.a.until-2026\u{e9}121T110000Z.json", "",
    ]) func `other names say nothing`(_ name: String) {
        #expect(ExamName(name: name) == nil)
    }

    @Test(arguments: [("/run", true), ("/etc", false)]) func `the name counts in run only`(
        _ place: String, _ counts: Bool
    ) throws {
        let text = #"{"Identifier":"a.b","Target":{"Users":["bob"],"NotAfter":"2030-01-01T00:00:00Z"},"Forced":{}}"#
        for (time, end) in [("20291231T000000Z", "2029-12-31T00:00:00Z"), ("20300102T000000Z", "2030-01-01T00:00:00Z")]
        {
            let path = "\(place)/managed-defaults/policies.d/00-exam-math.a.until-\(time).json"
            let file = try #require(PolicyFile.parse(bytes: Array(text.utf8), path: path).file)
            #expect(file.enforced == counts)
            #expect(file.target?.notAfter == Timestamp(rfc3339: counts ? end : "2030-01-01T00:00:00Z"))
            #expect(file.target?.include.users?.map(\.name) == [Key("bob")])
        }
    }
}
