import Foundation
import MDTestSupport
import Testing

/// `read`, with every place of the search list.
struct ReadTests {
    /// A reading command line and its answer.
    struct Case: Sendable, CustomTestStringConvertible {
        /// The user.
        let user: String
        /// The words.
        let line: String
        /// The exit code.
        let code: Int32
        /// Standard output.
        let output: String
        /// Standard error without `mdefaults: `, in one line; `LAB` stands for the folder.
        var error = ""

        var testDescription: String { "\(user): \(line)" }
    }

    static let cases: [Case] = [
        // The search list, from its front to its end.
        Case(
            user: "alice", line: "read org.example.Browser HomePage", code: 0,
            output: "https://start.school.example/class?who=alice\n"),
        Case(user: "alice", line: "read org.example.Browser ZoomLevel", code: 0, output: "1.1\n"),
        Case(user: "alice", line: "read org.example.Browser NSQuitAlwaysKeepsWindows", code: 0, output: "0\n"),
        Case(user: "alice", line: "read org.example.Browser AppleMeasurementUnits", code: 0, output: "Inches\n"),
        Case(user: "bob", line: "read org.example.Browser AppleMeasurementUnits", code: 0, output: "Centimeters\n"),
        Case(user: "bob", line: "read org.example.Editor FontSize", code: 0, output: "12\n"),
        Case(user: "chen", line: "read org.example.Player Volume", code: 0, output: "40\n"),
        Case(user: "alice", line: "read org.example.Display ScaleFactor", code: 0, output: "1.5\n"),
        Case(
            user: "exam01", line: "read org.example.Browser Proxy", code: 1, output: "",
            error: "The domain/default pair of (org.example.Browser, Proxy) does not exist"),
        // How values are printed.
        Case(user: "alice", line: "read org.example.Browser SafeSearch", code: 0, output: "1\n"),
        Case(user: "alice", line: "read org.example.Browser SafeSearch --json", code: 0, output: "true\n"),
        Case(
            user: "alice", line: "read org.example.Browser LastOpened", code: 0,
            output: "2026-11-20 09:41:12 +0000\n"),
        Case(
            user: "alice", line: "--json read org.example.Browser LastOpened", code: 0,
            output: "{\n  \"$date\": \"2026-11-20T09:41:12Z\"\n}\n"),
        Case(
            user: "alice", line: "read org.example.Browser Extensions", code: 0,
            output: "(\n    \"dictionary@school.example\",\n    \"read-aloud@school.example\"\n)\n"),
        Case(
            user: "weber", line: "read org.example.Chat", code: 0,
            output: "{\n    ArchiveEnabled = 1;\n    Server = \"chat.school.example\";\n}\n"),
        // The global domain by each of its names.
        Case(user: "alice", line: "read -g AppleMeasurementUnits", code: 0, output: "Inches\n"),
        Case(user: "alice", line: "read -globalDomain AppleMeasurementUnits", code: 0, output: "Inches\n"),
        Case(user: "alice", line: "read NSGlobalDomain AppleMeasurementUnits", code: 0, output: "Inches\n"),
        // One host only: policy and the file for the host.
        Case(user: "alice", line: "-currentHost read org.example.Display Brightness", code: 0, output: "0.75\n"),
        Case(
            user: "alice", line: "-currentHost read org.example.Browser HomePage", code: 0,
            output: "https://start.school.example/class?who=alice\n"),
        Case(
            user: "alice", line: "-currentHost read org.example.Browser ZoomLevel", code: 1, output: "",
            error: "The domain/default pair of (org.example.Browser, ZoomLevel) does not exist"),
        // Nothing there.
        Case(
            user: "alice", line: "read org.example.Browser Nope", code: 1, output: "",
            error: "The domain/default pair of (org.example.Browser, Nope) does not exist"),
        Case(
            user: "alice", line: "read -g Nope", code: 1, output: "",
            error: "The domain/default pair of (kCFPreferencesAnyApplication, Nope) does not exist"),
        Case(
            user: "alice", line: "read org.example.Nope", code: 1, output: "",
            error: "Domain org.example.Nope does not exist"),
        // Types.
        Case(user: "alice", line: "read-type org.example.Browser SafeSearch", code: 0, output: "Type is boolean\n"),
        Case(user: "alice", line: "read-type org.example.Browser ZoomLevel", code: 0, output: "Type is float\n"),
        Case(user: "alice", line: "read-type org.example.Browser LastOpened", code: 0, output: "Type is date\n"),
        Case(user: "alice", line: "read-type org.example.Browser Bookmarks", code: 0, output: "Type is array\n"),
        Case(user: "alice", line: "read-type org.example.Browser ProxyCertificate", code: 0, output: "Type is data\n"),
        Case(
            user: "alice", line: "--json read-type org.example.Updater InstallHour", code: 0,
            output: "{\"domain\":\"org.example.Updater\",\"key\":\"InstallHour\",\"type\":\"integer\"}\n"),
        Case(
            user: "alice", line: "read-type org.example.Browser Nope", code: 1, output: "",
            error: "The domain/default pair of (org.example.Browser, Nope) does not exist"),
        // Names.
        Case(
            user: "weber", line: "domains", code: 0,
            output: "org.example.Browser, org.example.CAD, org.example.Chat, org.example.ClassroomView, "
                + "org.example.Desktop, org.example.Display, org.example.Editor, org.example.Printing, "
                + "org.example.Session, org.example.Updater\n"),
        // A damaged file: what else is known is printed, and the exit code says that it is not all.
        Case(user: "dora", line: "read org.example.Player Volume", code: 5, output: "40\n", error: damaged),
        Case(
            user: "dora", line: "read org.example.Player", code: 5, output: "{\n    Volume = 40;\n}\n", error: damaged),
        Case(user: "dora", line: "read org.example.Player Nope", code: 5, output: "", error: damaged),
        Case(user: "dora", line: "read org.example.Browser ZoomLevel", code: 0, output: "1.25\n"),
    ]

    /// What is said of dora's damaged file.
    static let damaged =
        "LAB/home/dora/.config/org.example.Player.plist:15:15: the preference file is damaged: "
        + "the file ends within <string>, which begins at 15:4."

    @Test(arguments: cases) func `prints what an application would get`(_ example: Case) throws {
        let lab = try Lab()
        let result = try lab.run(as: example.user, example.line.split(separator: " ").map(String.init))
        #expect(result.output == example.output)
        let error = example.error.replacingOccurrences(of: "LAB", with: lab.path)
        // Apple's sentence begins a line of its own.
        let front = error.hasSuffix("does not exist") ? "" : "mdefaults: "
        #expect(result.error == (error.isEmpty ? "" : "\(front)\(error)\n"))
        #expect(result.code == example.code)
    }

    @Test func `prints every domain without words`() throws {
        let lab = try Lab()
        let result = try lab.run(as: "dora", ["read", "--json"])
        #expect(result.code == 0)
        #expect(result.error == "mdefaults: \(Self.damaged.replacingOccurrences(of: "LAB", with: lab.path))\n")
        let domains = try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: [String: Any]])
        #expect(domains["org.example.Player"]?["Volume"] as? Int == 40)
        #expect(domains["org.example.Browser"]?["SearchEngine"] as? String == "https://search.school.example/?q=%s")
        #expect(domains["NSGlobalDomain"]?["NSQuitAlwaysKeepsWindows"] as? Bool == false)
    }

    @Test func `reading changes no file of the user`() throws {
        let lab = try Lab()
        let names = try FileManager.default.subpathsOfDirectory(atPath: lab.path + "/home").sorted()
        for line in [["read"], ["read", "org.example.Player"], ["domains"], ["export", "org.example.Browser", "-"]] {
            _ = try lab.run(as: "dora", line)
        }
        #expect(try FileManager.default.subpathsOfDirectory(atPath: lab.path + "/home").sorted() == names)
        #expect(try lab.attempts() == [])
    }
}
