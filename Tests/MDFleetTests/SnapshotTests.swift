import MDAuditRecord
import MDFleet
import MDPlatform
import MDPolicyAdministration
import MDPolicyStore
import MDPropertyList
import MDTestSupport
import Testing

/// What a host takes of its centre, and what it refuses: whatever is wrong, policy is never less than before.
@Suite(SystemTools.needed("ssh-keygen")) struct SnapshotTests {
    /// A school whose host has taken the first snapshot.
    private static func started() throws -> FleetSchool {
        let school = try FleetSchool()
        try school.publish(["10-site.json": FleetSchool.policy("one")])
        let outcome = try school.run()
        try #require(outcome.isInstalled && outcome.refusal == nil && outcome.failure == nil, "\(outcome)")
        return school
    }

    @Test func `a name that no account database tells is said, and the rest is in force`() throws {
        let school = try FleetSchool()
        let more = #"{ "Identifier": "m", "Target": { "Groups": ["nowhere"] }, "Forced": { "o": { "A": 1 } } }"#
        try school.publish(["10-site.json": FleetSchool.policy("one"), "20-more.json": more])
        let outcome = try school.run()
        #expect(outcome.isInstalled, "\(outcome)")
        #expect(outcome.notes.first?.contains("or has, group nowhere: policy for them") == true, "\(outcome)")
        #expect(try school.page() == "one")
        #expect(try school.run().problems == [])
    }

    @Test func `a snapshot is installed as a generation that says who and why, and then there is nothing to do`() throws
    {
        let school = try Self.started()
        try school.host.policy("50-own.json", #"{ "Identifier": "own", "Forced": { "org.own": { "A": 1 } } }"#)
        try school.publish(["10-site.json": FleetSchool.policy("two")], reason: "new term")
        let outcome = try school.run()
        #expect(outcome.isInstalled && outcome.number == SnapshotNumber(epoch: 1, serial: 2), "\(outcome)")
        #expect(try school.page() == "two")
        #expect(school.host.names(TemporaryMachine.policyDirectory) == ["10-site.json", "50-own.json"])
        let note = "fleet school: snapshot 1.2, signed by Lab office (publisher): new term"
        #expect(GenerationStore(root: school.host.root).newest?.note == note)
        #expect(
            try school.notes(.policy).contains { $0.hasPrefix("snapshot 1.2 of fleet school, signed by Lab office") })
        let again = try school.run()
        #expect(!again.isInstalled && again.refusal == nil && again.number == outcome.number, "\(again)")
        #expect(!again.isStale && again.problems == [])
    }

    @Test func `a file that leaves the snapshot goes, and one of the machine's administrator stays`() throws {
        let school = try Self.started()
        try school.host.policy("50-own.json", #"{ "Identifier": "own", "Forced": { "org.own": { "A": 1 } } }"#)
        try school.publish(["20-other.json": FleetSchool.policy("three")])
        #expect(try school.run().isInstalled)
        #expect(school.host.names(TemporaryMachine.policyDirectory) == ["20-other.json", "50-own.json"])
    }

    @Test func `an older snapshot is refused`() throws {
        let school = try Self.started()
        let old = try school.centre.read(CentreFolder.snapshot)
        try school.publish(["10-site.json": FleetSchool.policy("two")])
        try school.run()
        try school.centre.write(CentreFolder.snapshot, old)
        try school.expectRefused("1.1 is older than 1.2, which this host has", page: "two")
    }

    @Test func `going back is a new number with the old files`() throws {
        let school = try Self.started()
        try school.publish(["10-site.json": FleetSchool.policy("two")])
        try school.run()
        try school.publish(["10-site.json": FleetSchool.policy("one")])
        #expect(try school.run().isInstalled)
        #expect(try school.page() == "one")
    }

    @Test func `the log has the highest number where the state was set back or lost`() throws {
        let school = try Self.started()
        let (old, state) = (try school.centre.read(CentreFolder.snapshot), try school.host.read(SnapshotState.path))
        try school.publish(["10-site.json": FleetSchool.policy("two")])
        try school.run()
        try school.centre.write(CentreFolder.snapshot, old)
        try school.host.remove(SnapshotState.path)
        try school.expectRefused("1.1 is older than 1.2, which this host has", page: "two")
        try school.host.write(SnapshotState.path, state)
        try school.centre.write(
            CentreFolder.snapshot,
            try SignedDocument(
                signing: try school.snapshot(1, 1, ["10-site.json": FleetSchool.policy("forged")]).bytes,
                keys: [school.path("publisher")]
            ).file)
        #expect(try school.run().refusal?.file == "snapshot")
        #expect(try school.page() == "two")
    }

    @Test func `where the state is lost, the newest snapshot is taken again, and its files are the fleet's`() throws {
        let school = try Self.started()
        try school.host.remove(SnapshotState.path)
        let outcome = try school.run()
        #expect(outcome.refusal == nil && outcome.failure == nil && outcome.number?.serial == 1, "\(outcome)")
        try school.publish(["20-other.json": FleetSchool.policy("two")])
        #expect(try school.run().isInstalled)
        #expect(school.host.names(TemporaryMachine.policyDirectory) == ["20-other.json"])
    }

    @Test func `the same number with other content is refused`() throws {
        let school = try Self.started()
        try school.put(try school.snapshot(1, 1, ["10-site.json": FleetSchool.policy("forged")]))
        try school.expectRefused("it has the number 1.1 of another snapshot", page: "one")
    }

    @Test func `an expired snapshot stays in force, and is stale`() throws {
        let school = try Self.started()
        #expect(try !school.run().isStale)
        school.now = Timestamp(microseconds: school.now.microseconds + 91 * 86_400_000_000)
        let outcome = try school.run()
        #expect(outcome.isStale && outcome.refusal == nil && outcome.number?.serial == 1, "\(outcome)")
        #expect(try school.page() == "one")
        try school.publish(["10-site.json": FleetSchool.policy("two")], days: -1)
        #expect(try school.run().isStale)
        #expect(try school.page() == "two")
    }

    @Test func `a snapshot of another fleet is refused`() throws {
        let school = try Self.started()
        try school.put(try school.snapshot(1, 2, fleet: "elsewhere", ["10-site.json": FleetSchool.policy("forged")]))
        try school.expectRefused("it is of fleet elsewhere, and this host is in school", page: "one")
    }

    @Test func `a snapshot without a signature of a publisher is refused`() throws {
        let school = try Self.started()
        let next = try school.snapshot(1, 2, ["10-site.json": FleetSchool.policy("forged")])
        try school.centre.write(CentreFolder.snapshot, next.bytes)
        try school.expectRefused("it has no signature", page: "one")
        try school.put(next, by: "other")
        try school.expectRefused("nobody who may publish in epoch 1 signed it", page: "one")
        // The root key publishes nothing, and a signature of a policy file or a report is none of a snapshot.
        try school.put(next, by: "root")
        #expect(try school.run().refusal?.reason.contains("nobody who may publish") == true)
        let report = try SSHSignature.sign(
            next.bytes, key: school.path("publisher"), namespace: "managed-defaults-report")
        try school.centre.write(CentreFolder.snapshot, next.bytes + report)
        #expect(try school.run().refusal?.reason.contains("nobody who may publish") == true)
        #expect(try school.page() == "one")
    }

    @Test func `a snapshot that is cut anywhere is refused`() throws {
        let school = try Self.started()
        try school.publish(["10-site.json": FleetSchool.policy("two")])
        let whole = try school.centre.read(CentreFolder.snapshot)
        for count in [0, 1, 40, whole.count / 2, whole.count - 40, whole.count - 1] {
            try school.centre.write(CentreFolder.snapshot, whole.prefix(count))
            #expect(try school.run().refusal?.file == "snapshot", "\(count)")
        }
        #expect(try school.page() == "one")
        #expect(try school.notes(.damaged).count >= 3)
        // A byte of the document, and a byte of a file.
        let text = String(decoding: whole, as: UTF8.self)
        try school.centre.write(CentreFolder.snapshot, text.split(separator: "school").joined(separator: "skhool"))
        #expect(try school.run().refusal?.reason.contains("nobody who may publish") == true)
        try school.centre.write(CentreFolder.snapshot, whole)
        let digest = SHA256.hash(Array(FleetSchool.policy("two").utf8)).hex
        try school.centre.write("\(CentreFolder.files)/\(digest)", "{")
        try school.expectRefused("the centre has another content of it than was signed", page: "one")
        try school.centre.write("\(CentreFolder.files)/\(digest)", FleetSchool.policy("two"))
        #expect(try school.run().isInstalled)
    }

    @Test func `a new epoch by the publisher's key is refused, and one by the root key ends what that key signs`()
        throws
    {
        let school = try Self.started()
        try school.put(try school.snapshot(2, 1, ["10-site.json": FleetSchool.policy("forged")]))
        try school.expectRefused("it says epoch 2, and pub/root is of epoch 1", page: "one")
        let root = try school.centre.read(CentreFolder.root)
        let forged = try school.root(2, signers: ["publisher"]).signed(by: [school.path("publisher")])
        try school.centre.write(CentreFolder.root, forged.file)
        try school.expectRefused("the root key did not sign it", page: "one")
        try school.centre.write(CentreFolder.root, root)
        // The thief's key published the greatest number; a new epoch begins again at 1.
        try school.put(try school.snapshot(1, 1 << 53, ["10-site.json": FleetSchool.policy("stolen")]))
        #expect(try school.run().isInstalled)
        try school.publishRoot(2, signers: ["other"])
        let waiting = try school.run()
        #expect(waiting.refusal == nil && waiting.notes.count == 1, "\(waiting)")
        try school.publish(["10-site.json": FleetSchool.policy("two")], by: "other")
        #expect(try school.run().number == SnapshotNumber(epoch: 2, serial: 1))
        try school.put(try school.snapshot(2, 2, ["10-site.json": FleetSchool.policy("stolen")]))
        try school.expectRefused("nobody who may publish in epoch 2 signed it", page: "two")
        try school.centre.write(CentreFolder.root, root)
        try school.expectRefused("its epoch 1 is older than 2, which this host has", page: "two")
    }

    @Test func `the root key's successor is signed by both`() throws {
        let school = try Self.started()
        try school.makeKey("next")
        let alone = try school.root(2, signers: ["publisher"], next: "next").signed(by: [school.path("root")])
        try school.centre.write(CentreFolder.root, alone.file)
        try school.expectRefused("the new root key that it names did not sign it", page: "one")
        try school.centre.remove(CentreFolder.root)
        try school.publishRoot(2, signers: ["publisher"], next: "next", by: ["root", "next"])
        try school.publish(["10-site.json": FleetSchool.policy("two")])
        #expect(try school.run().isInstalled)
        try school.publishRoot(3, signers: ["other"])
        #expect(try school.run().refusal?.reason.contains("the root key did not sign it") == true)
        try school.centre.remove(CentreFolder.root)
        try school.publishRoot(3, signers: ["other"], next: "next", by: ["next"])
        try school.publish(["10-site.json": FleetSchool.policy("three")], by: "other")
        #expect(try school.run().isInstalled)
        // A host that is enrolled later knows the new key.
        school.configuration.rootKey = try school.key("next").description
        #expect(try school.run().refusal == nil)
    }

    @Test func `what fleet.json calls the least is the least`() throws {
        let school = try FleetSchool()
        try school.publish(["10-site.json": FleetSchool.policy("one")])
        (school.configuration.leastEpoch, school.configuration.leastSerial) = (1, 2)
        #expect(try school.run().refusal?.reason == "1.1 is older than 1.2 of fleet.json")
        try school.publish(["10-site.json": FleetSchool.policy("two")])
        #expect(try school.run().isInstalled)
        school.configuration.rootKey = nil
        #expect(try school.run().failure?.contains("has no RootKey") == true)
    }

    @Test func `a name that the machine's administrator has is a refusal that names it`() throws {
        let school = try Self.started()
        try school.host.policy("20-own.json", #"{ "Identifier": "own", "Forced": { "org.own": { "A": 1 } } }"#)
        try school.publish([
            "10-site.json": FleetSchool.policy("two"),
            "20-own.json": #"{ "Identifier": "x", "Forced": { "org.x": { "A": 1 } } }"#,
        ])
        try school.expectRefused("the administrator of this machine has a file of this name", page: "one")
        #expect(try school.run().refusal?.file == "20-own.json")
        try school.host.remove("\(TemporaryMachine.policyDirectory)/20-own.json")
        #expect(try school.run().isInstalled)
    }

    @Test func `a file with an error is a refusal with file and line, and nothing of the snapshot is installed`() throws
    {
        let school = try Self.started()
        let broken = "{ \"Identifier\": \"x\",\n  \"Forced\": { \"org.x\": [] } }"
        try school.publish(["10-site.json": FleetSchool.policy("two"), "20-broken.json": broken])
        let outcome = try school.run()
        #expect(outcome.refusal?.file == "20-broken.json" && outcome.refusal?.line == 2, "\(outcome)")
        #expect(try school.page() == "one")
        #expect(school.host.names(TemporaryMachine.policyDirectory) == ["10-site.json"])
    }

    @Test func `what cannot be had changes nothing, and is no refusal`() throws {
        let school = try Self.started()
        try school.publish(["10-site.json": FleetSchool.policy("two")])
        let digest = SHA256.hash(Array(FleetSchool.policy("two").utf8)).hex
        try school.centre.remove("\(CentreFolder.files)/\(digest)")
        let outcome = try school.run()
        #expect(outcome.failure?.contains("10-site.json") == true && outcome.refusal == nil, "\(outcome)")
        #expect(outcome.number?.serial == 1)
        try school.centre.remove(CentreFolder.published)
        #expect(try school.run().failure?.contains("pub/root") == true)
        #expect(try school.page() == "one")
        #expect(try school.notes(.damaged).isEmpty)
    }

    @Test func `a file that was changed on the host is said, until the next snapshot`() throws {
        let school = try Self.started()
        try school.host.policy("10-site.json", FleetSchool.policy("mine"))
        let outcome = try school.run()
        #expect(outcome.refusal?.file == "10-site.json" && outcome.number?.serial == 1, "\(outcome)")
        #expect(try school.notes(.damaged).isEmpty)
        try school.publish(["10-site.json": FleetSchool.policy("two")])
        #expect(try school.run().refusal == nil)
        #expect(try school.page() == "two")
    }

    @Test func `a key that pub root does not name publishes nothing`() throws {
        let school = try Self.started()
        let before = try school.centre.read(CentreFolder.snapshot)
        #expect(throws: FleetFault.self) { try school.publish(["10-site.json": "{}"], by: "other") }
        #expect(throws: FleetFault.self) { try school.publishRoot(1, signers: ["other"]) }
        #expect(try school.centre.read(CentreFolder.snapshot) == before)
    }
}
