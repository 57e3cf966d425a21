import Foundation
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTestSupport
import Testing

/// The modes of the files that root's commands store for every user's programs.
struct StoredFilesTests {
    static let home = "/var/lib/managed-defaults"

    /// A machine with a recorded file, a generation and a compiled table.
    static func machine() throws -> TemporaryMachine {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        try machine.force("60-b.json", 1)
        #expect(machine.apply().tableFailure == nil)
        try machine.write(home + "/set-once.register", "root's alone")
        try machine.setMode(home + "/set-once.register", 0o600)
        return machine
    }

    /// The modes of all stored files, by path.
    static func modes(_ machine: TemporaryMachine) throws -> [String: Int] {
        let base = machine.url(home).path
        var modes: [String: Int] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: base) + [""] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(base)/\(name)")
            modes[name] = (attributes[.posixPermissions] as? NSNumber)?.intValue
        }
        return modes
    }

    /// The findings of lint about stored files, by path beneath their directory.
    static func findings(_ machine: TemporaryMachine) -> [(path: String, severity: Severity, code: String)] {
        let base = machine.url(home).path
        return Lint.run(root: machine.root).filter { $0.file.hasPrefix(base) }.map {
            (String($0.file.dropFirst(base.count)), $0.severity, $0.code)
        }
    }

    @Test func `gives everybody back the right to read, and says it`() throws {
        let machine = try Self.machine()
        let before = try Self.modes(machine)
        #expect(before[""] == 0o755 && before["set-once.register"] == 0o600 && before["policy.lock"] == 0o600)
        #expect(Self.findings(machine).map(\.path) == [])
        // As `chmod -R go=` leaves it.
        for (name, mode) in before { try machine.setMode("\(Self.home)/\(name)", mode_t(mode & 0o700)) }
        let found = Self.findings(machine)
        let folders = ["", "/generations", "/generations/objects", "/good"]
        #expect(Set(found.map(\.path)).isSuperset(of: folders) && found.allSatisfy { $0.code == "not-readable" })
        #expect(Set(found.map(\.path)).isSuperset(of: ["/policy.record", "/generations/1.manifest"]))
        #expect(found.allSatisfy { $0.severity == .warning })
        let result = machine.apply()
        #expect(try Self.modes(machine) == before)
        #expect(Self.findings(machine).map(\.path) == [])
        let said = result.mended.map(\.mending)
        let shown = machine.url(Self.home).path
        #expect(
            said.first
                == "\(shown) had the mode 0700, so that users' programs could not read what is kept there; it has the mode 0755 again."
        )
        #expect(
            said.contains { $0.contains("/good/") && $0.contains(" and 1 more file beside it had ") })
        #expect(machine.apply().mended.isEmpty)
    }

    @Test func `a folder that everybody can read already is left as it is`() throws {
        let machine = try Self.machine()
        try machine.setMode(Self.home + "/good", 0o2755)
        let before = try Self.modes(machine)
        #expect(machine.apply().mended.isEmpty)
        #expect(try Self.modes(machine) == before)
    }

    @Test(arguments: ["", "/good", "/generations"])
    func `what a link leads to is changed by nobody, and lint names the link`(_ folder: String) throws {
        let machine = try Self.machine()
        try machine.makeDirectory("/srv")
        try FileManager.default.moveItem(at: machine.url(Self.home + folder), to: machine.url("/srv/kept"))
        try machine.link(Self.home + folder, to: "/srv/kept")
        try machine.setMode("/srv/kept", 0o700)
        for _ in 1...2 {
            #expect(machine.apply().mended.isEmpty)
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: machine.url("/srv/kept").path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
        #expect(Self.findings(machine).map { [$0.path, $0.code] } == [[folder, "not-readable"]])
        try machine.setMode("/srv/kept", 0o755)
    }

    /// A file that others could write may have any content: with another mode it would be trusted.
    @Test func `what others could have written stays as it is, and lint names it`() throws {
        let machine = try Self.machine()
        try machine.setMode(Self.home + "/generations", 0o702)
        try machine.setMode(Self.home + "/generations/objects", 0o700)
        let copy = try #require(machine.names(Self.home + "/good").first)
        try machine.setMode("\(Self.home)/good/\(copy)", 0o602)
        let found = Self.findings(machine).filter { $0.code == "untrusted" }
        #expect(found.map(\.path) == ["/generations", "/good/\(copy)"])
        #expect(found.allSatisfy { $0.severity == .error })
        var expected = try Self.modes(machine)
        #expect(machine.apply().mended.isEmpty)
        // The copy is written again, since the file is there.
        expected["good/\(copy)"] = 0o644
        #expect(try Self.modes(machine) == expected)
    }

    @Test func `a link in the place of a copy is not followed`() throws {
        let machine = try Self.machine()
        let copy = try #require(machine.names(Self.home + "/good").first)
        try machine.write("/srv/secret", "of root")
        try machine.setMode("/srv/secret", 0o600)
        try machine.remove("\(Self.home)/good/\(copy)")
        try machine.link("\(Self.home)/good/\(copy)", to: "/srv/secret")
        try machine.setMode("\(Self.home)/good", 0o700)
        #expect(machine.apply().mended.count == 1)
        #expect(
            try FileManager.default.attributesOfItem(atPath: machine.url("/srv/secret").path)[.posixPermissions] as? Int
                == 0o600)
        #expect(try machine.read("/srv/secret") == Array("of root".utf8))
    }

    @Test func `a folder above that nobody gets through is named`() throws {
        let machine = try Self.machine()
        try machine.setMode("/var/lib", 0o750)
        let found = Lint.run(root: machine.root).filter { $0.code == "not-readable" }
        #expect(found.map(\.file) == [machine.url("/var/lib").path])
        try machine.setMode("/var/lib", 0o751)
        #expect(!Lint.run(root: machine.root).contains { $0.code == "not-readable" })
    }
}
