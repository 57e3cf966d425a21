import Foundation
import Testing

/// The manual page of the command line against its help.
struct ManualTests {
    @Test func `every verb that help lists is in the manual`() throws {
        let page = try String(
            contentsOfFile: Lab.repository + "/Sources/mdefaults/mdefaults.docc/mdefaults-1.md", encoding: .utf8)
        let help = try MDefaultsProcess(folder: NSTemporaryDirectory()).run(["help"]).output
        // The list stands between the first and the second empty line; a name ends where two blanks follow.
        let list = help.components(separatedBy: "\n\n").dropFirst().first ?? ""
        let verbs = list.split(separator: "\n").compactMap { line -> String? in
            guard line.hasPrefix("  "), !line.hasPrefix("   ") else { return nil }
            return line.dropFirst(2).components(separatedBy: "  ").first
        }
        #expect(verbs.count > 20)
        for verb in verbs where verb != "help" && verb != "version" {
            #expect(page.contains("`\(verb)") || page.contains(" `\(verb)`"), "the manual lacks \(verb)")
        }
    }

    /// Verbs whose options stand in the manual, all of them.
    @Test(arguments: ["policy apply", "policy grant", "policy exam"])
    func `every option of a verb is in its rows of the manual`(_ verb: String) throws {
        let page = try String(
            contentsOfFile: Lab.repository + "/Sources/mdefaults/mdefaults.docc/mdefaults-1.md", encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `\(verb)") }.joined(separator: "\n")
        let help = try MDefaultsProcess(folder: NSTemporaryDirectory()).run(
            ["help"] + verb.split(separator: " ").map(String.init))
        let usage = help.output.components(separatedBy: "\n\n").first ?? ""
        let options = Set(usage.matches(of: /--[a-z-]+/).map { String($0.output) }).subtracting(["--json"])
        #expect(!options.isEmpty)
        for option in options { #expect(rows.contains(option), "the manual lacks \(option) of \(verb)") }
    }
}
