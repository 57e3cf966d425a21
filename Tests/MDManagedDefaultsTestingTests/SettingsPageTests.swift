import ManagedDefaults
import ManagedDefaultsTesting
import Testing

/// Tests as the author of an application writes them.
struct SettingsPageTests {
    /// The school's policy.
    let school = ManagedDefaults.TestBed.Overlay.Policy(
        "edu.example.exam", summary: "Exam", contact: "the lab office", file: "/etc/exam.json", line: 12)

    @Test func `the field follows the user, another process and the administrator`() {
        let bed = ManagedDefaults.TestBed(stored: ["HomePage": "https://mine.example"])
        let page = SettingsPage(defaults: bed.defaults)
        #expect(page.homePage == .init(text: "https://mine.example", isEnabled: true, hint: ""))

        bed.overlay.force("HomePage", to: "https://exam.example.edu", by: school)
        #expect(page.homePage == .init(text: "https://exam.example.edu", isEnabled: false, hint: "Ask the lab office"))

        bed.overlay.forceAbsent("HomePage", by: school)
        #expect(page.homePage == .init(text: "about:blank", isEnabled: false, hint: "Ask the lab office"))

        bed.overlay.unforce("HomePage")
        #expect(page.homePage == .init(text: "https://mine.example", isEnabled: true, hint: ""))

        bed.setByOtherProcess("https://other.example", forKey: "HomePage")
        #expect(page.homePage.text == "https://other.example")
        bed.setByOtherProcess(nil, forKey: "HomePage")
        #expect(page.homePage.text == "about:blank")
        bed.overlay.recommend("HomePage", to: "https://school.example")
        #expect(page.homePage == .init(text: "https://school.example", isEnabled: true, hint: ""))
        #expect(page.enterHomePage("https://new.example") == "saved")
        #expect(page.homePage.text == "https://new.example")
        #expect(bed.stored() as? [String: String] == ["HomePage": "https://new.example"])
        #expect(bed.attempts.isEmpty)
    }

    @Test func `a refused entry says why, is on record, and leaves the user's value alone`() throws {
        let bed = ManagedDefaults.TestBed(stored: ["HomePage": "https://mine.example"])
        let page = SettingsPage(defaults: bed.defaults)
        bed.overlay.force("HomePage", to: "https://exam.example.edu", by: school)
        #expect(
            page.enterHomePage("https://cheat.example")
                == "HomePage of org.example.Application is set by policy and cannot be changed here; "
                + "to have it changed, ask: the lab office.")
        #expect(page.homePage.text == "https://exam.example.edu")
        #expect(bed.stored() as? [String: String] == ["HomePage": "https://mine.example"])
        #expect(bed.attempts.count == 1)
        let attempt = try #require(bed.attempts.first)
        #expect(attempt.domain == bed.application)
        #expect(attempt.key == "HomePage")
        #expect(attempt.via == .set)
        #expect(attempt.outcome == .refused)
        #expect(attempt.policy == "edu.example.exam")
        #expect(attempt.tried as? String == "https://cheat.example")
        #expect(attempt.forced as? String == "https://exam.example.edu")
        #expect(page.enterHomePage("https://exam.example.edu") == "saved")
        #expect(bed.attempts == [attempt])
        bed.removeAllAttempts()
        #expect(bed.attempts.isEmpty)
    }

    @Test func `a shadowed entry is kept for later`() {
        let bed = ManagedDefaults.TestBed()
        let page = SettingsPage(defaults: bed.defaults)
        bed.overlay.force("HomePage", to: "https://exam.example.edu", onOverride: .shadow, by: school)
        #expect(page.enterHomePage("https://later.example") == "kept for later: edu.example.exam")
        #expect(page.homePage.text == "https://exam.example.edu")
        #expect(bed.attempts.map(\.outcome) == [.shadowed])
        bed.overlay = .init()
        #expect(page.homePage == .init(text: "https://later.example", isEnabled: true, hint: ""))
    }
}
