import Foundation
import MDTestSupport
import Testing

@testable import manual_pages

/// The manual pages, which are made of the articles of the catalog and of what `help` says.
struct ManualPageTests {
    /// Makes all pages into a folder.
    private static func pages() throws -> TemporaryFolder {
        let folder = try TemporaryFolder(named: "man")
        let verbs = try SpawnedProgram.run(BuiltProgram.path("mdefaults"), ["help", "--json"], environment: [:])
        try Data(verbs.output.utf8).write(to: URL(fileURLWithPath: folder.folder + "/verbs.json"))
        let result = try SpawnedProgram.run(
            BuiltProgram.path("manual-pages"),
            [
                BuiltProgram.repository.path + "/Sources/Commands/mdefaults/mdefaults.docc",
                folder.folder + "/verbs.json",
                "2026-11-25", "0.1", folder.path,
            ])
        #expect(result.code == 0, "\(result.error)")
        return folder
    }

    /// The paths of the pages in a folder.
    private static func files(_ folder: TemporaryFolder) throws -> [String] {
        try ["man1", "man3", "man5", "man8"].flatMap { section in
            try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/\(section)").sorted()
                .map { "\(folder.path)/\(section)/\($0)" }
        }
    }

    @Test func `there is a page for each verb, for policy files and for the service`() throws {
        let folder = try ManualPageTests.pages()
        let names = try ManualPageTests.files(folder).map { ($0 as NSString).lastPathComponent }
        let help = try SpawnedProgram.run(BuiltProgram.path("mdefaults"), ["help", "--json"], environment: [:])
        let verbs = try DescribedVerb.all(Array(help.output.utf8)).map { "\($0.page).1" }
        #expect(Set(names) == Set(verbs + ["mdefaults.1", "managed-defaults.3", "mdefaults-policy.5", "mdefaultsd.8"]))
    }

    @Test func `the page of the C interface has every function, status and outcome`() throws {
        let sources = BuiltProgram.repository.path + "/Sources"
        let page = try String(
            contentsOfFile: sources + "/Commands/mdefaults/mdefaults.docc/managed-defaults-3.md", encoding: .utf8)
        let functions = try String(contentsOfFile: sources + "/Defaults/MDInterface/symbols", encoding: .utf8)
        let header = try String(
            contentsOfFile: sources + "/Defaults/MDCInterface/include/managed-defaults.h", encoding: .utf8)
        let outcomes = header.split(separator: "\n").compactMap { line in
            line.hasPrefix("    MDEFAULTS_") ? line.split(separator: " ").first : nil
        }.prefix(15)
        for name in functions.split(separator: "\n") + outcomes { #expect(page.contains("`\(name)`"), "\(name)") }
    }

    @Test(.enabled(if: BuiltProgram.installed("mandoc") != nil, "mandoc is not installed"))
    func `mandoc has no objection`() throws {
        let folder = try ManualPageTests.pages()
        let mandoc = try #require(BuiltProgram.installed("mandoc"))
        let result = try SpawnedProgram.run(
            mandoc, ["-Tlint", "-Wwarning"] + ManualPageTests.files(folder), environment: [:])
        #expect(result.output + result.error == "")
    }

    @Test(.enabled(if: BuiltProgram.installed("groff") != nil, "groff is not installed"))
    func `groff has no warning, and no line is wider than 80 columns but in examples`() throws {
        let folder = try ManualPageTests.pages()
        let groff = try #require(BuiltProgram.installed("groff"))
        for file in try ManualPageTests.files(folder) {
            let result = try SpawnedProgram.run(
                groff, ["-ww", "-man", "-Tutf8", "-P-c", "-rLL=78n", file], environment: ["PATH": "/usr/bin:/bin"])
            #expect(result.error == "", "\(file)")
        }
        let page = try String(contentsOfFile: folder.path + "/man1/mdefaults-report.1", encoding: .utf8)
        #expect(page.contains(".TH MDEFAULTS\\-REPORT 1 2026-11-25 \"0.1\" \"ManagedDefaults\""))
    }

    @Test func `the blocks of an article`() {
        let article = """
            # name(5)

            One
            sentence.

            @Metadata {
                @PageColor(blue)
            }

            ## Part

            - an item
              that goes on
            - another

            | a | b |
            | --- | --- |
            | `x\\|y` | z |

            ```sh
            code
            ```
            """
        #expect(
            MarkdownBlock.blocks(of: article) == [
                .heading(level: 1, text: "name(5)"), .paragraph("One sentence."), .heading(level: 2, text: "Part"),
                .item("an item that goes on"), .item("another"), .table(head: ["a", "b"], rows: [["`x|y`", "z"]]),
                .code(["code"]),
            ])
    }

    @Test func `the text of a line`() {
        #expect(
            ArticlePage.inline("a `--b` **c `d`** *e* <doc:mdefaults-policy>…").source
                == "a \\fB\\-\\-b\\fR c \\fBd\\fR \\fIe\\fR \\fBmdefaults\\-policy\\fR(5)\\[u2026]")
        #expect(RoffText("a\\n 'b' `c` ^~", .bold).source == "\\fBa\\en \\(aqb\\(aq \\(gac\\(ga \\(ha\\(ti\\fR")
        #expect(RoffText("{\"a\",\"b\", c|d}").breakable.source == "{\"a\",\\:\"b\", c|\\:d}")
    }

    @Test func `the blocks of a help text`() {
        let help = """
            What it does,
            in two lines.

              --long-option WITH VALUE
                    below it
              -o X  beside it,
                    going on
              $ shown as it is

            JSON: {"a",
            "b"}

            exit codes: 0 done; 1 no; not at all; 2 wrong.
            """
        #expect(
            HelpText(help).blocks == [
                .paragraph("What it does, in two lines."), .item(tag: "--long-option WITH VALUE", text: "below it"),
                .item(tag: "-o X", text: "beside it, going on"), .lines(["  $ shown as it is"]),
                .json("{\"a\", \"b\"}"),
                .exitCodes([
                    HelpText.Code(number: "0", meaning: "done"), HelpText.Code(number: "1", meaning: "no; not at all"),
                    HelpText.Code(number: "2", meaning: "wrong"),
                ]),
            ])
    }

    @Test func `an article that is no page is refused with a sentence`() {
        #expect(throws: PageFailure.self) { try ArticlePage("# Title\n\nText.\n", date: "", version: "") }
        #expect(throws: PageFailure.self) { try DescribedVerb.all(Array("{}".utf8)) }
        #expect(throws: PageFailure.self) { try DescribedVerb.all(Array("[{}]".utf8)) }
    }
}
