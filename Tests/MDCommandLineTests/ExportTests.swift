import Foundation
import MDPropertyList
import MDTestSupport
import Testing

/// `export` and `import`, and the files that they refuse.
struct ExportTests {
    @Test func `what is exported can be imported again`() throws {
        let lab = try Lab()
        let before = try #require(try lab.stored("alice", "org.example.Browser"))
        #expect(try lab.run(["export", "org.example.Browser", "out.plist"]).code == 0)
        let bytes = try #require(FileManager.default.contents(atPath: lab.folder + "/out.plist"))
        #expect(bytes.starts(with: Data("bplist00".utf8)))
        #expect(try PropertyListSerialization.propertyList(from: bytes, format: nil) is [String: Any])
        #expect(try lab.values(lab.folder + "/out.plist") == before)

        #expect(try lab.run(["write", "org.example.Copy", "Own", "-int", "1"]).code == 0)
        #expect(try lab.run(["import", "org.example.Copy", "out.plist"]).code == 0)
        var copy = try #require(try lab.stored("alice", "org.example.Copy"))
        let own = copy.removeValue(forKey: "Own")
        #expect(own == .integer(1))
        #expect(copy == before)
    }

    @Test func `a dash is standard output and standard input`() throws {
        let lab = try Lab()
        let export = try lab.run(["export", "org.example.Browser", "-"])
        #expect(export.code == 0)
        #expect(export.output.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"))
        #expect(try lab.run(["import", "org.example.Copy", "-"], input: export.output).code == 0)
        #expect(try lab.stored("alice", "org.example.Copy") == lab.stored("alice", "org.example.Browser"))
        let json = try lab.run(["--json", "export", "org.example.Browser", "-"])
        let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect(object?["HomePage"] as? String == "https://games.example/tetris", "the user's own, not the forced one")
    }

    @Test func `an older file is replaced and keeps its mode`() throws {
        let lab = try Lab()
        let path = lab.folder + "/out.plist"
        try "old".write(toFile: path, atomically: false, encoding: .utf8)
        chmod(path, 0o640)
        #expect(try lab.run(["export", "org.example.Browser", "out.plist"]).code == 0)
        #expect(try lab.values(path)?["ZoomLevel"] == .real(1.1))
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
        #expect(try lab.run(["export", "org.example.Nope", "out.plist"]).code == 1)
        #expect(try lab.values(path)?["ZoomLevel"] == .real(1.1))
    }

    @Test func `a user's preference file is never an output file`() throws {
        let lab = try Lab()
        let file = lab.file(of: "bob", "org.example.Browser")
        let before = FileManager.default.contents(atPath: file)
        let result = try lab.run(["export", "org.example.Browser", file])
        #expect(result.code == 2)
        #expect(result.error.contains("is the preference file of org.example.Browser of bob"))
        #expect(FileManager.default.contents(atPath: file) == before)
    }

    @Test(arguments: [
        ("{ a = ", 5, "Could not parse property list from standard input due to: standard input:1:"),
        ("(a)", 5, "Property list standard input was not a dictionary"),
        ("", 5, "Could not parse property list from standard input"),
    ])
    func `input that is no dictionary is refused`(_ input: String, _ code: Int32, _ sentence: String) throws {
        let lab = try Lab()
        let result = try lab.run(["import", "org.example.Copy", "-"], input: input)
        #expect(result.code == code)
        #expect(result.error.contains(sentence))
        #expect(try lab.stored("alice", "org.example.Copy") == nil)
    }

    @Test func `files that cannot be read or written are said so`() throws {
        let lab = try Lab()
        let missing = try lab.run(["import", "org.example.Copy", "nowhere.plist"])
        #expect(missing.code == 4)
        #expect(missing.error.contains("Could not read data from nowhere.plist: "))
        #expect(try lab.run(["import", "org.example.Copy", "."]).code == 4)
        let folder = try lab.run(["export", "org.example.Browser", "."])
        #expect(folder.code == 4)
        #expect(try lab.run(["export", "org.example.Browser", "nowhere/out.plist"]).code == 4)
        let damaged = try lab.run(as: "dora", ["export", "org.example.Player", "-"])
        #expect(damaged.code == 5)
        #expect(damaged.output == "")
    }

    @Test func `a path that is nobody's preference file is a plain file`() throws {
        let lab = try Lab()
        #expect(try lab.run(["write", "./plain", "HomePage", "-int", "5"]).code == 0)
        #expect(try lab.values(lab.folder + "/plain.plist") == ["HomePage": .integer(5)])
        #expect(try lab.run(["read", "./plain.plist", "HomePage"]).output == "5\n")
        #expect(try lab.run(["rename", "./plain", "HomePage", "H"]).code == 0)
        #expect(try lab.run(["delete", "./plain", "HomePage"]).code == 1)
        #expect(try lab.run(["delete", "./plain", "H"]).code == 0)
        #expect(try lab.run(["read", "./plain"]).code == 1)
        #expect(try lab.run(["export", "./plain", "-"]).output.contains("<dict/>"))
        #expect(try lab.run(["delete", "./plain"]).code == 0)
        #expect(!FileManager.default.fileExists(atPath: lab.folder + "/plain.plist"))
        #expect(try lab.run(["read", "./plain"]).code == 1)
        #expect(try lab.attempts() == [])
    }

    @Test func `a plain file keeps encoding, mode and the link to it, and is not overwritten when damaged`() throws {
        let lab = try Lab()
        let path = lab.folder + "/plain.plist"
        try "<plist><dict/></plist>".write(toFile: path, atomically: false, encoding: .utf8)
        chmod(path, 0o644)
        try FileManager.default.createSymbolicLink(
            atPath: lab.folder + "/link.plist", withDestinationPath: "plain.plist")
        #expect(try lab.run(["write", "./link", "K", "v"]).code == 0)
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("<?xml"))
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o644)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: lab.folder + "/link.plist") == "plain.plist")
        try "{ a".write(toFile: path, atomically: false, encoding: .utf8)
        let result = try lab.run(["write", "./plain", "K", "v"])
        #expect(result.code == 5)
        #expect(result.error.contains("/plain.plist:1:"))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "{ a")
    }
}
