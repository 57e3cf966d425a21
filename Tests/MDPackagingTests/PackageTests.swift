import Foundation
import MDTestSupport
import MDTestTimes
import Testing

/// What the packages are made of, without making them.
@Suite(.timed)
struct PackageTests {
    /// The folder of the plugin.
    private static let plugin = BuiltProgram.repository.path + "/Sources/debian-package"

    @Test(arguments: ["postinst", "prerm", "postrm"]) func `maintainer scripts know the same units`(
        _ name: String
    ) throws {
        let script = try String(
            contentsOfFile: "\(PackageTests.plugin)/maintainer/managed-defaults.\(name)", encoding: .utf8)
        for program in ["mdefaults", "mdefaultsd"] {
            let folder = "\(BuiltProgram.repository.path)/Sources/\(program)/systemd"
            for unit in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let text = try String(contentsOfFile: "\(folder)/\(unit)", encoding: .utf8)
                // What is installed to be enabled is enabled, stopped and forgotten.
                if text.contains("[Install]") { #expect(script.contains(unit), "\(name) lacks \(unit)") }
            }
        }
    }

    @Test(arguments: ["postinst", "prerm", "postrm"]) func `maintainer scripts have the syntax of sh`(
        _ name: String
    ) throws {
        let path = "\(PackageTests.plugin)/maintainer/managed-defaults.\(name)"
        let result = try SpawnedProgram.run("/bin/sh", ["-n", path])
        #expect(result.code == 0, "\(result.error)")
    }

    @Test func `every overridden finding has a reason above it`() throws {
        let folder = PackageTests.plugin + "/files"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix("overrides") }
        #expect(files.count == 3)
        for file in files {
            let lines = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8).split(separator: "\n")
            #expect(lines.first?.hasPrefix("#") == true, "\(file)")
        }
    }
}
