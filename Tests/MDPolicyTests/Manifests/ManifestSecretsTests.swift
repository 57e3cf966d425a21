import Foundation
import MDPlatform
import MDPropertyList
import MDTestSupport
import MDTools
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyStore

/// The compiled table has what manifests call sensitive, as long as they are as they were.
struct ManifestSecretsTests {
    /// A set with everything that a table can hold, for tests of its bytes.
    static let example: CompiledManifests = {
        var secrets = ManifestSecrets()
        (secrets.domains, secrets.keys) = (["lost"], ["d0": ["k0", "k1"], "d1": ["ä"]])
        return CompiledManifests(
            witnesses: [FileFingerprint("etc", of: FileStatus.example)], secrets: secrets)
    }()

    /// A set as one text.
    static func text(_ secrets: ManifestSecrets) -> String {
        let keys = secrets.keys.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.sorted())" }
        return "\(secrets.isEverything) \(secrets.domains.sorted()) \(keys)"
    }

    /// The directory of the manifests.
    private static let directory = "etc/managed-defaults/manifests.d"

    /// A manifest with a sensitive key and another one.
    private static func manifest(_ key: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict><key>pfm_domain</key><string>m.n</string><key>pfm_subkeys</key><array>
        <dict><key>pfm_name</key><string>\(key)</string><key>pfm_type</key><string>string</string>
        <key>pfm_sensitive</key><true/></dict>
        <dict><key>pfm_name</key><string>Open</string><key>pfm_type</key><string>string</string></dict>
        </array></dict></plist>
        """
    }

    /// A machine with a policy file and a manifest, applied until the table is written.
    private func machine() throws -> TemporaryMachine {
        let machine = try TemporaryMachine()
        try machine.force("10-a.json", 1)
        try machine.write("\(Self.directory)/m.n.plist", Self.manifest("Token"))
        try apply(machine)
        return machine
    }

    /// Applies policy until the table has the manifests.
    private func apply(_ machine: TemporaryMachine) throws {
        let end = Date(timeIntervalSinceNow: 60)
        repeat {
            machine.apply()
            try #require(Date() < end, "the table is not written")
        } while PolicyStore(root: machine.root).tableFailure != nil
    }

    /// The sensitive keys that the table has.
    private func secrets(_ machine: TemporaryMachine) -> ManifestSecrets? {
        CompiledTable.manifestSecrets(root: machine.root)
    }

    @Test func `the table has the sensitive keys, and none without manifests`() throws {
        let machine = try machine()
        let secrets = try #require(self.secrets(machine))
        #expect(secrets == ManifestSet(root: machine.root).secrets)
        #expect(secrets.contains("Token", of: "m.n"))
        #expect(!secrets.contains("Open", of: "m.n") && !secrets.contains("Token", of: "a.b"))
        let plain = try TemporaryMachine()
        try plain.force("10-a.json", 1)
        try apply(plain)
        #expect(self.secrets(plain) == ManifestSecrets())
    }

    @Test func `A manifest of a package makes a key sensitive, and the table says so`() throws {
        let machine = try machine()
        let package = "usr/share/managed-defaults/manifests.d/p.plist"
        try machine.write(package, Self.manifest("Password"))
        #expect(secrets(machine) == nil)
        try apply(machine)
        #expect(secrets(machine)?.keys == ["m.n": ["Token", "Password"]])
        try machine.remove(package)
        #expect(secrets(machine) == nil)
    }

    @Test func `a change of policy leaves what the table has of manifests`() throws {
        let machine = try machine()
        try machine.force("20-b.json", 2)
        #expect(CompiledTable(root: machine.root) == nil)
        #expect(secrets(machine)?.contains("Token", of: "m.n") == true)
    }

    @Test func `an unreadable manifest makes its domain sensitive`() throws {
        let machine = try machine()
        try machine.write("\(Self.directory)/m.n.plist", "no manifest")
        try apply(machine)
        #expect(secrets(machine)?.contains("Anything", of: "m.n") == true)
        #expect(secrets(machine)?.contains("Anything", of: "a.b") == false)
    }

    /// What can become of a manifest.
    enum Change: CaseIterable {
        case content, added, removed, mode, link, replaced, directoryMode
    }

    @Test(arguments: Change.allCases) func `after a change of a manifest the table does not answer`(_ change: Change)
        throws
    {
        let machine = try machine()
        let name = "\(Self.directory)/m.n.plist"
        switch change {
        case .content: try machine.write(name, Self.manifest("Tokan"))
        case .added: try machine.write("\(Self.directory)/o.plist", Self.manifest("Other"))
        case .removed: try machine.remove(name)
        case .mode: try machine.setMode(name, 0o640)
        case .link:
            try machine.write("\(Self.directory)/../m", Self.manifest("Token"))
            try machine.remove(name)
            try FileManager.default.createSymbolicLink(atPath: machine(name), withDestinationPath: "../m")
        case .replaced:
            try machine.write("\(Self.directory)/../m", Self.manifest("Token"))
            #expect(rename(machine("\(Self.directory)/../m"), machine(name)) == 0)
        case .directoryMode: try machine.setMode(Self.directory, 0o777)
        }
        #expect(secrets(machine) == nil)
        #expect(CompiledTable(root: machine.root) != nil, "policy itself did not change")
        guard change != .link, change != .directoryMode else { return }
        #expect(PolicyStore(root: machine.root).tableFailure != nil)
        try apply(machine)
        #expect(secrets(machine) == ManifestSet(root: machine.root).secrets)
    }
}

extension FileStatus {
    /// The status of the root directory.
    fileprivate static let example: FileStatus = {
        guard let status = try? Root.system.status("/", followingLinks: true) else { fatalError("there is no /") }
        return status
    }()
}
