import Foundation
import MDTestSupport
import Testing

/// Whether the machine that runs the tests has the zone of the timetable.
private let hasZone = FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Europe/Zurich")

/// The machine of `Examples/exam-room` at moments of its exam week.
@Suite(.enabled(if: hasZone, "there is no /usr/share/zoneinfo/Europe/Zurich"))
struct ExamRoomTests {
    /// A copy of the machine, removed with its value.
    private final class Room {
        /// The machine.
        private let machine: TemporaryMachine

        init() throws {
            machine = try TemporaryMachine(
                copying: BuiltProgram.repository.appendingPathComponent("Examples/exam-room"), in: .init(named: "room"))
        }

        /// Runs `mdefaults --root room …` beside the machine's folder.
        func run(_ words: String) throws -> MDefaultsProcess.Result {
            try MDefaultsProcess(folder: machine.folder).run(
                ["--root", "room"] + words.split(separator: " ").map(String.init))
        }
    }

    /// Monday of the exam week, within the exam.
    private static let exam = "--at 2026-11-23T09:30:00+01:00"
    /// The same day's afternoon, within lessons.
    private static let lesson = "--at 2026-11-23T14:00:00+01:00"
    /// The Sunday before.
    private static let sunday = "--at 2026-11-22T10:00:00+01:00"

    @Test func `the exam is in force by the timetable and not a second longer`() throws {
        let room = try Room()
        for (time, page) in [
            ("08:59:59", "https://start.school.example/alice"),
            ("09:00:00", "https://exam.school.example/?seat=room2-pc01"),
            ("10:59:59", "https://exam.school.example/?seat=room2-pc01"),
            ("11:00:00", "https://start.school.example/alice"),
        ] {
            let result = try room.run(
                "--at 2026-11-23T\(time)+01:00 --user alice read org.example.Browser HomePage")
            #expect(result.output == page + "\n", "at \(time)")
        }
    }

    @Test func `what is blocked adds up while a lesson runs`() throws {
        let room = try Room()
        let words = "--user alice --json read org.example.Browser BlockedSites"
        #expect(try !room.run("\(Self.sunday) \(words)").output.contains("games.example"))
        let result = try room.run("\(Self.lesson) \(words)")
        #expect(result.output.contains("proxy-list.example"))
        #expect(result.output.contains("games.example"))
    }

    @Test func `whom an aid was granted is free of that key alone`() throws {
        let room = try Room()
        #expect(try room.run("\(Self.exam) --user alice forced org.example.Editor SpellingEnabled").code == 0)
        #expect(try room.run("\(Self.exam) --user noor forced org.example.Editor SpellingEnabled").code == 1)
        #expect(try room.run("\(Self.exam) --user noor forced org.example.Browser AllowDownloads").code == 0)
        let ended = "--at 2027-08-02T09:30:00+02:00 --user noor"
        #expect(try room.run("\(ended) forced org.example.Editor SpellingEnabled").code == 0)
    }

    @Test func `a value outside its constraint is clamped, and a choice remains`() throws {
        let room = try Room()
        #expect(try room.run("--user alice read org.example.Player Volume").output == "70\n")
        #expect(try room.run("--user alice forced org.example.Player Volume").code == 1)
        let write = try room.run("--user bob write org.example.Player Volume -int 90")
        #expect(write.code == 3)
        #expect(write.error.contains("70"))
    }

    @Test func `a sealed domain has what policy lists and nothing else`() throws {
        let room = try Room()
        #expect(try room.run("--user bob read org.example.Catalogue Station").output == "room2-pc01\n")
        #expect(try room.run("--user bob forced org.example.Catalogue Anything").code == 0)
        #expect(try room.run("--user bob write org.example.Catalogue Anything 1").code == 3)
    }

    @Test func `a sensitive value is nowhere in clear`() throws {
        let room = try Room()
        for verb in [
            "--user alice forced", "--user alice --json forced", "--user alice policy show", "report", "--json report",
            "--user alice explain org.example.Browser ProxyPassword", "policy lint",
            "--user alice write org.example.Browser ProxyPassword guess", "audit list", "--json audit list",
        ] {
            let result = try room.run(verb)
            #expect(!result.output.contains("correct horse"), "\(verb)")
            #expect(!result.error.contains("correct horse"), "\(verb)")
            #expect(!result.output.contains("guess"), "\(verb)")
        }
    }

    @Test func `a profile is read as it is, and lint says what does not apply`() throws {
        let room = try Room()
        #expect(try room.run("--user bob read org.example.Writer MacroSecurity").output == "SignedOnly\n")
        let lint = try room.run("policy lint")
        #expect(lint.code == 0)
        #expect(lint.output.contains("40-office.mobileconfig:39:4: warning: the payload com.apple.wifi.managed"))
    }
}
