import Foundation
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// Policy that must be signed.
@Suite(
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ssh-keygen"), "ssh-keygen is not installed"))
struct SignatureTests {
    /// A signer's keys, in a folder of their own.
    final class Signer {
        /// The folder.
        private let folder: TemporaryFolder
        /// The path of the private key.
        private var key: String { folder("key") }

        init() throws {
            folder = try TemporaryFolder()
            try Signer.run(["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key])
        }

        /// The line of `trusted-signers`.
        func line(_ name: String) throws -> String {
            let words = try String(contentsOfFile: key + ".pub", encoding: .utf8).split(separator: " ")
            return "\(name) \(words[0]) \(words[1].filter { $0 != "\n" })\n"
        }

        /// Signs a file.
        func sign(_ path: String, namespace: String = "managed-defaults") throws {
            try? FileManager.default.removeItem(atPath: path + ".sig")
            try Signer.run(["-q", "-Y", "sign", "-n", namespace, "-f", key, path])
            chmod(path + ".sig", 0o644)
        }

        /// Runs the tool.
        private static func run(_ arguments: [String]) throws {
            let result = try Subprocess.run(
                "/usr/bin/ssh-keygen", arguments, timeoutMilliseconds: 30_000, limit: 65_536)
            try #require(result.status == 0)
        }
    }

    /// The list of signers.
    static let trust = "/etc/managed-defaults/trusted-signers"
    /// The policy file.
    static let file = "/etc/managed-defaults/policies.d/50-a.json"

    /// A machine that asks for signatures, with one file that is signed and applied.
    static func machine(_ signer: Signer) throws -> TemporaryMachine {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        try signer.sign(machine.url(file).path)
        try machine.write(trust, try signer.line("admin@example.org"))
        GenerationTests.apply(machine)
        return machine
    }

    /// The state of the file for a process that may not run the tool.
    private func state(_ machine: TemporaryMachine) throws -> (SignatureState, PolicyFileState.Source) {
        let file = try #require(machine.load().files.first)
        return (file.signature, file.source)
    }

    @Test func `a signed file is obeyed and the reader knows its signer`() throws {
        let machine = try SignatureTests.machine(try Signer())
        #expect(try machine.level() == .integer(1))
        let (signature, source) = try state(machine)
        #expect(signature == .verified(signer: "admin@example.org"))
        #expect(source == .current)
        #expect(machine.load().ignored.isEmpty)
        #expect(CompiledTable(root: machine.root) != nil)
    }

    @Test func `a reader obeys nothing that nobody verified`() throws {
        let signer = try Signer()
        let machine = try SignatureTests.machine(signer)
        try machine.force("50-a.json", 2)
        try signer.sign(machine.url(SignatureTests.file).path)
        #expect(try machine.level() == .integer(1))
        #expect(try state(machine).1 == .lastGood)
        GenerationTests.apply(machine)
        #expect(try machine.level() == .integer(2))
    }

    @Test func `what is not signed as it must be keeps the last good one that was`() throws {
        let (signer, other) = (try Signer(), try Signer())
        let path = SignatureTests.file
        /// Each way to break the signature.
        let ways: [(String, (TemporaryMachine) throws -> Void)] = [
            ("changed", { _ in }),
            ("no signature", { try $0.remove(path + ".sig") }),
            ("stranger", { try other.sign($0.url(path).path) }),
            ("other purpose", { try signer.sign($0.url(path).path, namespace: "file") }),
            ("empty", { try $0.write(path + ".sig", "") }),
            ("garbage", { try $0.write(path + ".sig", Array((0..<2_000).map { UInt8(truncatingIfNeeded: $0 * 7) })) }),
            ("huge", { try $0.write(path + ".sig", [UInt8](repeating: 65, count: 100_000)) }),
            (
                "not trusted",
                { machine in
                    try signer.sign(machine.url(path).path)
                    try machine.setMode(path + ".sig", 0o666)
                }
            ),
            (
                "a directory",
                { machine in
                    try machine.remove(path + ".sig")
                    try machine.makeDirectory(path + ".sig")
                }
            ),
        ]
        for (name, spoil) in ways {
            let machine = try SignatureTests.machine(signer)
            try machine.force("50-a.json", 66)
            try spoil(machine)
            #expect(try machine.level() == .integer(1), "\(name)")
            let result = GenerationTests.apply(machine)
            #expect(try machine.level(in: result.set) == .integer(1), "\(name)")
            #expect(result.set.files.first?.source == .lastGood, "\(name)")
            #expect(result.set.diagnostics.contains { $0.severity == .error }, "\(name)")
            #expect(try machine.level() == .integer(1), "\(name)")
        }
    }

    @Test(arguments: ["", "# nobody\n", "garbage\n", nil]) func `what was in force before stays`(_ list: String?) throws
    {
        let signer = try Signer()
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        GenerationTests.apply(machine)
        try machine.write(SignatureTests.trust, try list ?? signer.line("admin"))
        #expect(try machine.level() == .integer(1))
        try machine.force("50-a.json", 2)
        try machine.force("60-b.json", 3)
        let result = GenerationTests.apply(machine)
        #expect(result.set.files.map(\.source) == [.lastGood, .notRecorded])
        #expect(machine.load().files.map(\.source) == [.lastGood, .none])
        #expect(result.set.diagnostics.contains { $0.severity == .error })
        #expect(try machine.level() == .integer(1))
        guard list == nil else { return }
        try signer.sign(machine.url(SignatureTests.file).path)
        GenerationTests.apply(machine)
        #expect(try machine.level() == .integer(2))
    }

    @Test func `who cannot tell whether a file is signed does not call its keys free`() throws {
        let signer = try Signer()
        let machine = try SignatureTests.machine(signer)
        // A new file that was never in force does not affect others.
        try machine.force("60-b.json", 3)
        try signer.sign(machine.url("/etc/managed-defaults/policies.d/60-b.json").path)
        #expect(machine.load().knowledge.isDecisive)
        try machine.remove("/var/lib/managed-defaults")
        #expect(!machine.load().knowledge.isDecisive)
        GenerationTests.apply(machine)
        #expect(machine.load().knowledge.isDecisive)
        #expect(try machine.level() == .integer(3))
    }

    @Test func `a list that cannot be read trusts nobody new`() throws {
        let signer = try Signer()
        let machine = try SignatureTests.machine(signer)
        try machine.setMode(SignatureTests.trust, 0o666)
        #expect(try machine.level() == .integer(1))
        #expect(try state(machine).0 == .verified(signer: "admin@example.org"))
        // Verified files stay so if policy is recorded without the list.
        let result = GenerationTests.apply(machine)
        #expect(result.set.files.first?.signature == .verified(signer: "admin@example.org"))
        #expect(result.set.files.first?.source == .current)
        #expect(try state(machine).0 == .verified(signer: "admin@example.org"))
        try machine.force("50-a.json", 2)
        try signer.sign(machine.url(SignatureTests.file).path)
        GenerationTests.apply(machine)
        #expect(try machine.level() == .integer(1))
        try machine.setMode(SignatureTests.trust, 0o644)
        GenerationTests.apply(machine)
        #expect(try machine.level() == .integer(2))
        // Another list: verified files stay so, new files must be signed by its signers.
        try machine.write(SignatureTests.trust, try Signer().line("somebody"))
        GenerationTests.apply(machine)
        #expect(try machine.level() == .integer(2))
    }

    /// The ways in which a list can be there without being read.
    private static var unreadable: [(String, (TemporaryMachine) throws -> Void)] {
        [
            ("writable by others", { try $0.setMode(trust, 0o666) }),
            (
                "a directory",
                { machine in
                    try machine.remove(trust)
                    try machine.makeDirectory(trust)
                }
            ),
            (
                "a link that leads nowhere",
                { machine in
                    try machine.remove(trust)
                    try machine.link(trust, to: "nowhere")
                }
            ),
            ("larger than any", { try $0.write(trust, [UInt8](repeating: 0x0a, count: 2 << 20)) }),
        ]
    }

    @Test(arguments: [true, false]) func `a list that cannot be read asks for signatures`(_ wasRecorded: Bool) throws {
        for (name, spoil) in SignatureTests.unreadable {
            let machine = try TemporaryMachine()
            try machine.force("50-a.json", 1)
            GenerationTests.apply(machine)
            if wasRecorded {
                try machine.write(SignatureTests.trust, try Signer().line("admin"))
                GenerationTests.apply(machine)
            } else {
                try machine.write(SignatureTests.trust, "")
            }
            try spoil(machine)
            try machine.force("50-a.json", 66)
            try machine.force("60-b.json", 67)
            #expect(try machine.level() == .integer(1), "\(name)")
            let result = GenerationTests.apply(machine)
            #expect(try machine.level(in: result.set) == .integer(1), "\(name)")
            #expect(result.set.files.map(\.source) == [.lastGood, .notRecorded], "\(name)")
            #expect(
                result.set.diagnostics.contains {
                    $0.file.hasSuffix(SignatureTests.trust) && $0.severity == .error
                }, "\(name)")
            #expect(try machine.level() == .integer(1), "\(name)")
        }
    }

    @Test func `a list of anchors that cannot be read vouches for nobody`() throws {
        let machine = try TemporaryMachine()
        let path = SignatureVerifier.cms.trustPath
        for (isThere, spoil) in [
            (false, { _ in }), (true, { try $0.makeDirectory(path) }),
            (
                true,
                { machine in
                    try machine.remove(path)
                    try machine.write(path, "garbage")
                }
            ), (true, { try $0.setMode(path, 0o666) }),
        ] as [(Bool, (TemporaryMachine) throws -> Void)] {
            try spoil(machine)
            let list = TrustList(.cms, in: PolicyHome(machine.root), recorded: nil)
            #expect(list.exists == isThere)
            #expect(list.problems.contains { $0.severity == .error } == isThere)
        }
    }

    @Test func `a signature is asked for again when its key ends`() throws {
        let signer = try Signer()
        let machine = try SignatureTests.machine(signer)
        try machine.write(
            SignatureTests.trust,
            signer.line("admin@example.org").replacing(" ", with: " valid-before=\"20991231\" ", maxReplacements: 1))
        GenerationTests.apply(machine)
        #expect(try state(machine).0 == .verified(signer: "admin@example.org"))
        var record = try PolicyRecord(decoding: machine.read(StorePath.record))
        let verified = try #require(record.verified.first)
        let end = try #require(verified.value.until)
        #expect(
            abs(end.microseconds - (Timestamp(rfc3339: "2099-12-31T00:00:00Z")?.microseconds ?? 0)) <= 50_400_000_000)
        // The day has come: readers rely on the record until root checks again.
        record.verified[verified.key]?.until = Timestamp(microseconds: 1)
        try machine.write(StorePath.record, record.encoded())
        try machine.remove("/var/lib/managed-defaults/policy.table")
        #expect(try state(machine) == (.verified(signer: "admin@example.org"), .current))
        GenerationTests.apply(machine)
        #expect(try PolicyRecord(decoding: machine.read(StorePath.record)).verified.first?.value.until == end)
        #expect(try state(machine).1 == .current)
        // A key whose time is over signs nothing.
        try machine.write(
            SignatureTests.trust,
            signer.line("admin@example.org").replacing(" ", with: " valid-before=\"20200101\" ", maxReplacements: 1))
        try machine.force("50-a.json", 2)
        try signer.sign(machine.url(SignatureTests.file).path)
        GenerationTests.apply(machine)
        #expect(try machine.level() == .integer(1))
    }

    @Test func `without the record what is forced is unknown until it is written again`() throws {
        let machine = try SignatureTests.machine(try Signer())
        for content in ["", "other", nil] as [String?] {
            try machine.remove("/var/lib/managed-defaults/policy.table")
            if let content {
                try machine.write(StorePath.record, content)
            } else {
                try machine.remove(StorePath.record)
            }
            #expect(!machine.load().knowledge.isDecisive)
            GenerationTests.apply(machine)
            #expect(machine.load().knowledge.isDecisive)
            #expect(try state(machine).1 == .current)
            #expect(try machine.level() == .integer(1))
        }
    }

    @Test func `a rollback brings signatures back`() throws {
        let signer = try Signer()
        let machine = try SignatureTests.machine(signer)
        try machine.force("50-a.json", 2)
        try signer.sign(machine.url(SignatureTests.file).path)
        GenerationTests.apply(machine)
        try GenerationTests.rollBack(machine, to: 1)
        #expect(try machine.level() == .integer(1))
        #expect(try state(machine).0 == .verified(signer: "admin@example.org"))
    }

    @Test func `names of signatures are explained`() throws {
        let machine = try SignatureTests.machine(try Signer())
        try machine.write("/etc/managed-defaults/policies.d/90-gone.json.sig", "x")
        #expect(machine.load().ignored.map(\.reason) == ["is the signature of 90-gone.json, which is not there"])
        try machine.remove(SignatureTests.trust)
        #expect(machine.load().ignored.count == 2)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "openssl is not installed"))
    func `a profile that is a signed message needs an anchor`() throws {
        let machine = try TemporaryMachine()
        let folder = machine.url("/keys").path
        try machine.write(
            "/keys/p",
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>PayloadType</key><string>Configuration</string><key>PayloadVersion</key><integer>1</integer>
            <key>PayloadIdentifier</key><string>edu.example.profile</string>
            <key>PayloadUUID</key><string>1</string>
            <key>PayloadContent</key><array><dict>
            <key>PayloadType</key><string>org.example.App</string><key>PayloadVersion</key><integer>1</integer>
            <key>PayloadIdentifier</key><string>edu.example.profile.app</string>
            <key>PayloadUUID</key><string>2</string><key>Level</key><integer>7</integer>
            </dict></array></dict></plist>
            """)
        let path = machine.url("/etc/managed-defaults/policies.d/50-p.mobileconfig").path
        for arguments in [
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=Lab office", "-days", "10", "-keyout",
                "\(folder)/key", "-out", "\(folder)/cert",
            ],
            [
                "cms", "-sign", "-binary", "-nodetach", "-outform", "DER", "-signer", "\(folder)/cert", "-inkey",
                "\(folder)/key", "-in", "\(folder)/p", "-out", path,
            ],
        ] {
            let result = try Subprocess.run("/usr/bin/openssl", arguments, timeoutMilliseconds: 60_000, limit: 65_536)
            try #require(result.status == 0)
        }
        chmod(path, 0o644)
        /// The codes about its signature and the consequences.
        func codes(_ set: PolicySet) -> [String] {
            set.files.flatMap(\.diagnostics).map(\.code).filter {
                ["unsigned", "bad-signature", "last-good", "not-in-force"].contains($0)
            }
        }
        GenerationTests.apply(machine)
        #expect(try machine.level() == .integer(7))
        #expect(try state(machine).0 == .notVerified)
        try machine.write(SignatureTests.trust, "nobody ssh-ed25519 AAAA\n")
        #expect(codes(GenerationTests.apply(machine).set) == ["unsigned", "last-good"])
        guard case .refused = try state(machine).0 else { return #expect(Bool(false), "not refused") }
        #expect(try state(machine).1 == .lastGood)
        #expect(machine.load().changes == [])
        try machine.write("/etc/managed-defaults/trusted-anchors.pem", try machine.read("/keys/cert"))
        GenerationTests.apply(machine)
        #expect(try state(machine).0 == .verified(signer: "CN=Lab office"))
        #expect(try machine.level() == .integer(7))
        var bytes = try machine.read("/etc/managed-defaults/policies.d/50-p.mobileconfig")
        let digit = try #require(bytes.firstRange(of: Array("<integer>7<".utf8))).upperBound - 2
        bytes[digit] = UInt8(ascii: "8")
        try machine.write("/etc/managed-defaults/policies.d/50-p.mobileconfig", bytes)
        let changed = GenerationTests.apply(machine)
        #expect(codes(changed.set) == ["bad-signature", "last-good"])
        #expect(try machine.level(in: changed.set) == .integer(7))
    }
}
