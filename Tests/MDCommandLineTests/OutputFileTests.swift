import Foundation
import MDTestSupport
import Testing

/// The files that verbs write by a path of the caller.
struct OutputFileTests {
    /// The command lines that write the file `out`, or `out.plist`.
    static let writers = [
        ["report", "-o", "out"], ["report", "merge", "-o", "out", "report.json"],
        ["policy", "convert", "--from", "chromium", "--domain", "org.example.X", "-o", "out", "chromium.json"],
        ["export", "org.example.Browser", "out"], ["write", "./out.plist", "Key", "Value"],
        ["import", "./out.plist", "values.plist"],
    ]

    @Test(
        .enabled(if: geteuid() == 0, "only root can give a link to another user"), arguments: OutputFileTests.writers)
    func `a link that somebody else planted is replaced and never followed`(words: [String]) throws {
        let lab = try Lab()
        let folder = TemporaryFolder(TemporaryFolder.Place(existing: lab.folder))
        try folder.write("victim", "victim", mode: 0o600)
        try folder.write("chromium.json", "{\"A\":1}")
        try folder.write("values.plist", "{ A = 1; }")
        _ = try lab.run(["report", "--format", "json", "-o", "report.json"])
        for name in ["out", "out.plist"] {
            try folder.link(name, to: "victim")
            #expect(lchown(folder(name), 54_321, 54_321) == 0)
        }
        try folder.setMode("", 0o1777)
        let result = try lab.run(words)
        #expect(result.code <= 1, "\(result.error)")
        #expect(try folder.text("victim") == "victim")
        let name = words.contains("./out.plist") ? "out.plist" : "out"
        let attributes = try FileManager.default.attributesOfItem(atPath: folder(name))
        #expect(attributes[.type] as? FileAttributeType == .typeRegular)
        let mode = words[0] == "policy" ? 0o644 : 0o600
        #expect(attributes[.posixPermissions] as? Int == mode)
    }

    @Test(
        arguments: [
            (nil, nil, 0o600), (0o644, nil, 0o600), (0o400, nil, 0o400), (nil, "644", 0o644), (0o600, "0640", 0o640),
        ] as [(mode_t?, String?, Int)])
    func `a report is for its owner only unless another mode is asked for`(
        older: mode_t?, asked: String?, mode: Int
    ) throws {
        let lab = try Lab()
        let path = lab.folder + "/out"
        if let older {
            try Data().write(to: URL(fileURLWithPath: path))
            chmod(path, older)
        }
        let option = asked.map { ["--mode", $0] } ?? []
        #expect(try lab.run(["report", "--format", "prometheus", "-o", "out"] + option).code <= 1)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
    }

    @Test func `a file in a folder that is missing cannot be written and is nothing to delete`() throws {
        let lab = try Lab()
        #expect(try lab.run(["write", "./none/x.plist", "Key", "Value"]).code == 4)
        #expect(try lab.run(["delete", "./none/x.plist"]).code == 1)
        #expect(try lab.run(["policy", "new", "none/x.json"]).code == 4)
    }

    @Test func `standard output can be named as a file`() throws {
        let lab = try Lab()
        #expect(try lab.run(["report", "-o", "/dev/stdout"]).output.hasPrefix("Compliance report\n"))
        #expect(try lab.run(["report", "-o", "/dev/null"]).output == "")
    }
}
