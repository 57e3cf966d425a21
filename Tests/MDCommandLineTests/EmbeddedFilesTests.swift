import Foundation
import MDTestSupport
import Testing

/// The files that are part of the command: all of them, as they are in the package.
struct EmbeddedFilesTests {
    @Test func `the schema is that of the ready sets`() throws {
        let path = BuiltProgram.repository.appendingPathComponent("Policies/policy.schema.json")
        let text = try String(contentsOf: path, encoding: .utf8)
        #expect(try MDefaultsProcess(folder: "/").run(["policy", "schema"]).output == text)
    }

    @Test func `the demonstration is the lab, compiled`() throws {
        let folder = try TemporaryFolder()
        let made = try MDefaultsProcess(folder: folder.path).run(["demo", folder.path + "/lab"])
        #expect(made.code == 0 && made.output.contains("--root \(folder.path)/lab"), "\(made)")
        let lab = BuiltProgram.repository.appendingPathComponent("Examples/lab").path
        let paths = try FileManager.default.subpathsOfDirectory(atPath: lab).sorted()
        let added = Set(try FileManager.default.subpathsOfDirectory(atPath: folder.path + "/lab")).subtracting(paths)
        let home = "var/lib/managed-defaults/policy"
        #expect(added.contains("\(home).table") && added.allSatisfy { $0.hasPrefix("\(home).") }, "\(added)")
        for path in paths where path != "\(home).record" {
            let (one, other) = ("\(lab)/\(path)", "\(folder.path)/lab/\(path)")
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: one, isDirectory: &isFolder), isFolder.boolValue { continue }
            #expect(FileManager.default.contentsEqual(atPath: one, andPath: other), "\(path)")
        }
        let again = try MDefaultsProcess(folder: folder.path).run(["demo", folder.path + "/lab"])
        #expect(again.code == 4 && again.error.contains("is there already"), "\(again)")
    }
}
