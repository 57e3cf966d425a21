import MDTestSupport
import Testing

@testable import MDCare

/// How `doctor` makes a sentence of a reason.
struct DoctorSentenceTests {
    @Test(arguments: [
        ("the file is damaged", "The file is damaged."), ("unknown.", "Unknown."), ("", "."),
        ("/etc/x is damaged", "/etc/x is damaged."),
        ("org.example.App.plist:3: a comma", "org.example.App.plist:3: a comma."),
        ("tags cannot be read. All count", "Tags cannot be read. All count."),
    ])
    func `it begins with a capital letter, but for a path or a domain`(_ reason: String, _ sentence: String) {
        #expect(Doctor.sentence(reason) == sentence)
    }
}
