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

/// The files of a set as `policy exam` writes them.
struct WrappingTests {
    /// The repository.
    private static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../..").standardizedFileURL
    /// The end of every exam, later than whatever files name.
    private static let end = Timestamp(microseconds: 7_000_000_000_000_000)

    /// Wraps a file.
    private static func wrap(_ bytes: [UInt8], _ name: String) throws(TemporaryPolicy.Failure) -> TemporaryPolicy {
        try TemporaryPolicy(
            wrapping: bytes, file: name,
            for: TemporaryPolicy.Exam(set: "set", end: end, reason: "why", by: "root"), shownPath: name)
    }

    /// A machine, or a folder of files for one, and the moments at which it is looked at.
    struct Place: CustomTestStringConvertible, Sendable {
        /// The folder beneath the repository.
        let folder: String
        /// Whether it is a whole machine, and no folder of policy files.
        let isMachine: Bool

        var testDescription: String { folder }
    }

    /// Every example, every set and every fixture.
    static var places: [Place] {
        let manager = FileManager.default
        /// The folders in one.
        func folders(_ path: String) -> [String] {
            let names = (try? manager.contentsOfDirectory(atPath: repository.path + "/" + path)) ?? []
            return names.sorted().filter { name in
                var isFolder: ObjCBool = false
                _ = manager.fileExists(atPath: "\(repository.path)/\(path)/\(name)", isDirectory: &isFolder)
                return isFolder.boolValue
            }
        }
        let fixtures = folders("Tests/MDPolicyTests/Fixtures").filter { $0.utf8.first.map { $0 >= 0x61 } == true }
        return folders("Examples").filter { ["lab", "exam-room"].contains($0) }.map {
            Place(folder: "Examples/\($0)", isMachine: true)
        }
            + fixtures.map { Place(folder: "Tests/MDPolicyTests/Fixtures/\($0)/root", isMachine: true) }
            + folders("Policies").filter { $0 != "programs" }.map { Place(folder: "Policies/\($0)", isMachine: false) }
            + [Place(folder: "Tests/MDPolicyTests/Fixtures/Profiles", isMachine: false)]
    }

    /// The moments at which each file is looked at: in lessons and out of them, before and after what fixtures name.
    private static let moments = [
        "2026-11-22T10:00:00Z", "2026-11-23T07:59:59Z", "2026-11-23T08:30:00Z", "2026-11-23T10:00:00Z",
        "2026-11-23T13:00:00Z", "2026-11-24T01:00:00Z", "2026-11-27T18:00:00Z", "2031-01-01T00:00:00Z",
    ]

    /// What a machine's policy leaves for each user at each moment, without the places of files and the end of the exam.
    private func resultants(_ machine: TemporaryMachine, _ subjects: [Subject]) throws -> [String] {
        let set = machine.load()
        return try subjects.flatMap { subject in
            var subject = subject
            return try WrappingTests.moments.map { time in
                subject.moment.time = try #require(Timestamp(rfc3339: time))
                let resultant = set.resolve(for: subject)
                let facts = resultant.entries.map { entry in
                    "\(entry.domain) \(entry.key): \(entry.contact), \(entry.policyVersion?.description ?? "-"),"
                        + " \(entry.description), \(entry.value?.typeName ?? "")"
                }
                let lines = resultant.rendered.replacing(
                    #//(etc|run)/managed-defaults/policies\.d/[^ ,:\n]+(: byte [0-9]+|:[0-9]+:[0-9]+)?/#, with: "FILE"
                ).split(separator: "\n").filter { !$0.contains(WrappingTests.end.rfc3339) }
                return (lines.map(String.init) + facts).joined(separator: "\n")
            }
        }
    }

    /// Every user of a machine, on one of its hosts.
    private func subjects(_ machine: TemporaryMachine) throws -> [Subject] {
        try AccountDatabase(root: machine.root).accounts.map { account in
            var subject = try machine.subject(account.name, host: "room1-pc03.lab.example")
            subject.tags.formUnion(["lab", "room1", "exam"])
            return subject
        }
    }

    @Test(arguments: places) func `a wrapped file leaves what it leaves unwrapped`(_ place: Place) throws {
        let source = WrappingTests.repository.appendingPathComponent(place.folder)
        let machine = try TemporaryMachine(copying: place.isMachine ? source : nil)
        // The recorded copies of removed files would count.
        try? machine.remove("/var")
        var files: [(name: String, bytes: [UInt8])] = []
        for directory in ["/etc/managed-defaults/policies.d", "/run/managed-defaults/policies.d"] {
            let folder = place.isMachine ? machine.url(directory) : source
            let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
            for name in names where TemporaryPolicy.isPolicyFile(name) {
                guard let data = try? Data(contentsOf: folder.appendingPathComponent(name)) else { continue }
                files.append((name, Array(data)))
            }
            try? machine.remove(directory)
            if !place.isMachine { break }
        }
        try machine.makeDirectory("/etc/managed-defaults/policies.d")
        let subjects = try subjects(machine)
        #expect(!files.isEmpty && !subjects.isEmpty)
        var wrapped = 0
        for (name, bytes) in files {
            let (policy, _) = PolicyFile.parse(bytes: bytes, path: name)
            guard let policy, policy.temporary == nil else { continue }
            guard PolicyName.identifierError(policy.identifier) == nil,
                !policy.entries.contains(where: { $0.level == .setOnce && $0.rule != .eachVersion })
            else {
                #expect(throws: TemporaryPolicy.Failure.self) { try WrappingTests.wrap(bytes, name) }
                continue
            }
            let made: TemporaryPolicy
            do {
                made = try WrappingTests.wrap(bytes, name)
            } catch {
                Issue.record("\(name): \(error)")
                continue
            }
            wrapped += 1
            #expect(
                made.policy.temporary?.digest == SHA256.hash(bytes) && made.policy.temporary?.until == WrappingTests.end
            )
            let plain = "/etc/managed-defaults/policies.d/\(name)"
            try machine.write(plain, bytes)
            let before = try resultants(machine, subjects)
            try machine.remove(plain)
            try machine.write(made.path, made.bytes)
            #expect(machine.load().files.map { $0.policy?.enforced } == [true])
            let after = try resultants(machine, subjects)
            #expect(before == after, "\(name)")
            try machine.remove(made.path)
        }
        #expect(wrapped > 0)
    }

    @Test(arguments: places.filter(\.isMachine)) func `files that are written anew leave together what they left`(
        _ place: Place
    ) throws {
        let source = WrappingTests.repository.appendingPathComponent(place.folder)
        let machine = try TemporaryMachine(copying: source)
        try? machine.remove("/var")
        let subjects = try subjects(machine)
        let before = try resultants(machine, subjects)
        var written = 0
        for directory in ["/etc/managed-defaults/policies.d", "/run/managed-defaults/policies.d"] {
            for name in machine.names(directory) where TemporaryPolicy.isPolicyFile(name) {
                let path = "\(directory)/\(name)"
                guard let bytes = try? machine.read(path) else { continue }
                guard let policy = PolicyFile.parse(bytes: bytes, path: path).file, policy.temporary == nil,
                    let writer = try? PolicyWriter(policy)
                else { continue }
                try machine.remove(path)
                try machine.write(name.hasSuffix(".json") ? path : "\(path).json", writer.bytes)
                written += 1
            }
        }
        #expect(written > 0)
        #expect(try resultants(machine, subjects) == before)
    }

    @Test func `values come out as they went in`() throws {
        let values: [Key: Value] = [
            "int": .integer(1), "real": .real(1), "true": .boolean(true), "big": .integer(Integer(UInt64.max)),
            "least": .integer(Integer(Int64.min)), "tiny": .real(.leastNonzeroMagnitude), "inf": .real(-.infinity),
            "nan": .real(.nan),
            "date": .date(0.5), "early": .date(-1e15), "whole": .date(816_000_000), "data": .data([0, 255]),
            "text": .string("${user} $${home} $$${uid} $ \u{0}\u{7f}\u{2028}"), "empty": .string(""),
            "form": .dictionary(["$date": .string("no")]), "deep": .array([.dictionary([:]), .array([.real(-0.0)])]),
        ]
        let root: Value = .dictionary([
            "PayloadType": .string("Configuration"), "PayloadIdentifier": .string("a.b"), "PayloadVersion": .integer(1),
            "PayloadContent": .array([
                .dictionary([
                    "PayloadType": .string("org.example.$App"), "PayloadIdentifier": .string("a.b.c"),
                    "PayloadVersion": .integer(1), "$only": .dictionary(values),
                ])
            ]),
        ])
        let bytes = try BinaryWriter.write(root)
        let policy = try #require(PolicyFile.parse(bytes: bytes, path: "a.mobileconfig").file)
        let made = try WrappingTests.wrap(bytes, "a.mobileconfig")
        #expect(made.name == "00-exam-set-a.mobileconfig.json")
        let copy = try #require(PolicyFile.parse(bytes: made.bytes, path: made.path).file)
        let subject = try TemporaryMachine().subject("alice", host: "pc")
        let value = try #require(policy.entries.first?.value(for: subject))
        let other = try #require(copy.entries.first?.value(for: subject))
        #expect(policy.entries.count == 1 && copy.entries.count == 1)
        #expect(CanonicalPolicy.encode(value) == CanonicalPolicy.encode(.dictionary(values)))
        #expect(CanonicalPolicy.encode(other) == CanonicalPolicy.encode(.dictionary(values)))
    }

    @Test(arguments: [
        (#"{ "Identifier": "a.b", "Temporary": { "Kind": "grant" } }"#, "a.json", "has the field Temporary"),
        (#"{ "Identifier": "a.b", "Nonsense": 1 }"#, "a.json", "has errors"),
        (
            """
            <plist><dict><key>PayloadType</key><string>Configuration</string><key>PayloadIdentifier</key>
            <string>a.b</string><key>PayloadContent</key><array><dict><key>PayloadType</key>
            <string>com.apple.ManagedClient.preferences</string><key>PayloadContent</key><dict><key>org.x</key><dict>
            <key>Set-Once</key><array><dict><key>mcx_preference_settings</key><dict><key>K</key><integer>1</integer>
            </dict></dict></array></dict></dict></dict></array></dict></plist>
            """, "a.mobileconfig", "it sets K of org.x once in each session"
        ),
    ]) func `what cannot be carried over is refused`(_ text: String, _ name: String, _ words: String) throws {
        let error = try #require(throws: TemporaryPolicy.Failure.self) {
            try WrappingTests.wrap(Array(text.utf8), name)
        }
        #expect(error.reason.contains(words), "\(error)")
    }
}
