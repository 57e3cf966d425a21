import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDEngine
import MDFleet
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPropertyList
import MDTestSupport
import Testing

/// A centre as a folder, its keys, and a host: all that publishing needs.
final class FleetSchool {
    /// The centre, and the folder of the keys.
    let centre: TemporaryMachine
    private let keys: TemporaryFolder
    /// The host.
    let host: TemporaryMachine
    /// What the host knows of its fleet.
    var configuration: FleetConfiguration
    /// The time by the clock of both.
    var now = Timestamp(microseconds: 1_800_000_000_000_000)

    init() throws {
        centre = try TemporaryMachine(.none)
        keys = try TemporaryFolder(named: "keys")
        host = try TemporaryMachine(.classroom)
        let name = try #require(FleetHost("room1-pc03"))
        configuration = FleetConfiguration(fleet: "school", host: name, centre: .folder(centre.path))
        try centre.root.createDirectory(CentreFolder.hosts, mode: 0o755)
        for key in ["root", "publisher", "other"] { try makeKey(key) }
        configuration.rootKey = try key("root").description
        try publishRoot(1, signers: ["publisher"])
    }

    /// Makes a key.
    func makeKey(_ name: String) throws {
        let result = try SpawnedProgram.run(
            "/usr/bin/ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", keys(name)])
        try #require(result.code == 0, "\(result)")
    }

    /// The path of a private key.
    func path(_ key: String) -> String { keys(key) }

    /// The public half of a key.
    func key(_ name: String) throws -> SigningKey { try #require(SigningKey(try keys.text("\(name).pub"))) }

    /// A root document.
    func root(_ epoch: Int, signers: [String], next: String = "root", fleet: String = "school") throws -> FleetRoot {
        FleetRoot(
            fleet: fleet, epoch: epoch, rootKey: try key(next),
            signers: try signers.map { FleetRoot.Signer(try key($0), who: "Lab office (\($0))") })
    }

    /// Publishes a root document.
    func publishRoot(_ epoch: Int, signers: [String], next: String = "root", by signing: [String] = ["root"]) throws {
        let document = try root(epoch, signers: signers, next: next).signed(by: signing.map(path))
        try SnapshotPublisher.publish(root: document, in: centre.root)
    }

    /// A policy file that forces a page.
    static func policy(_ page: String, version: Int = 1) -> String {
        """
        { "Identifier": "edu.example.site", "Version": \(version),
          "Forced": { "org.example.Browser": { "HomePage": "\(page)" } } }
        """
    }

    /// Publishes files as the next snapshot.
    @discardableResult func publish(
        _ files: [String: String], reason: String? = nil, days: Int64 = 90, by key: String = "publisher"
    ) throws -> Snapshot {
        let publisher = try SnapshotPublisher(root: centre.root)
        let contents = files.mapValues { Array($0.utf8) }
        var snapshot = Snapshot(
            fleet: "school", publisher.next, issued: now,
            expires: Timestamp(microseconds: now.microseconds + days * 86_400_000_000),
            files: Dictionary(uniqueKeysWithValues: contents.map { (Key($0.key), SHA256.hash($0.value)) }))
        snapshot.reason = reason
        _ = try publisher.publish(snapshot, Array(contents.values), key: path(key))
        return snapshot
    }

    /// Puts a snapshot where hosts fetch it, without the publisher's checks.
    func put(_ snapshot: Snapshot, by key: String = "publisher") throws {
        let signed = try SignedDocument(signing: snapshot.bytes, keys: [path(key)])
        try centre.write(CentreFolder.snapshot, signed.file)
    }

    /// A snapshot with changes, for the wrong cases.
    func snapshot(
        _ epoch: Int, _ serial: Int, fleet: String = "school", _ files: [String: String]
    ) throws -> Snapshot {
        for text in files.values {
            try centre.write("\(CentreFolder.files)/\(SHA256.hash(Array(text.utf8)).hex)", text)
        }
        return Snapshot(
            fleet: fleet, SnapshotNumber(epoch: epoch, serial: serial), issued: now,
            expires: Timestamp(microseconds: now.microseconds + 86_400_000_000),
            files: Dictionary(uniqueKeysWithValues: files.map { (Key($0.key), SHA256.hash(Array($0.value.utf8))) }))
    }

    /// The host looks at what the centre published.
    @discardableResult func run() throws -> SnapshotOutcome {
        SnapshotInstaller(root: host.root, configuration: configuration, now: now).run(
            try FolderTransport(centre.path + CentreFolder.path))
    }

    /// The page that the host forces; `nil` if none.
    func page() throws -> String? {
        let machine = PolicyMachine(root: host.root).policy()
        let resultant = machine.resultant(for: try machine.account(named: "alice"))
        guard case .string(let page)? = resultant.forced["org.example.Browser"]?["HomePage"]?.value else { return nil }
        return page
    }

    /// The notes of the host's log of a kind.
    func notes(_ kind: RecordKind) throws -> [String] {
        try AuditLog(root: host.root).records(matching: AuditQuery(kind: kind)).records.compactMap(\.note)
    }

    /// Whether the host refused something for a reason, recorded it once, and still forces a page.
    func expectRefused(_ reason: String, page: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let outcome = try run()
        #expect(outcome.refusal?.reason.contains(reason) == true, "\(outcome)", sourceLocation: sourceLocation)
        #expect(outcome.failure == nil && !outcome.isInstalled, sourceLocation: sourceLocation)
        let notes = try notes(.damaged)
        #expect(notes.count { $0.contains(reason) } == 1, "\(notes)", sourceLocation: sourceLocation)
        #expect(try self.page() == page, sourceLocation: sourceLocation)
        // Asked again, it is refused again, and recorded no more.
        #expect(try run().refusal == outcome.refusal, sourceLocation: sourceLocation)
        #expect(try self.notes(.damaged) == notes, sourceLocation: sourceLocation)
    }
}
