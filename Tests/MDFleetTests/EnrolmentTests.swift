import Foundation
import MDCare
import MDFleet
import MDPlatform
import MDTestSupport
import Testing

/// The centre that `fleet init` makes, the hosts that join it, and what is taken back.
@Suite(SystemTools.needed("openssl", "ssh-keygen")) struct EnrolmentTests {
    private let centre: TemporaryMachine
    private let keys: TemporaryFolder
    private let now = Clock.now()

    init() throws {
        centre = try TemporaryMachine(.none)
        keys = try TemporaryFolder(named: "keys")
        _ = try prepare()
    }

    /// Makes what is missing at the centre.
    private func prepare(_ fleet: String = "school", _ address: String? = "https://fleet.example:8443") throws
        -> CentrePreparation
    {
        var preparation = try CentrePreparation(
            root: centre.root, fleet: fleet, address: address.flatMap { CentreAddress($0) }, rootKey: keys("root"),
            now: now)
        try preparation.run(authority: nil, publisher: nil)
        return preparation
    }

    /// Enrols hosts into a folder.
    private func enroll(_ names: String..., into folder: String = "hosts") throws {
        let enrolment = try HostEnrolment(root: centre.root)
        for host in names.compactMap({ FleetHost($0) }) {
            try enrolment.enroll(host, at: nil, resetsAtBoot: false, into: keys(folder), now: now)
        }
    }

    /// What a certificate is good for, by openssl.
    private func isGood(_ certificate: String, for purpose: String, revoked: Bool = false) throws -> Bool {
        let authority = centre.path + CertificateAuthority.certificatePath
        let list = revoked ? ["-crl_check", "-CRLfile", centre.path + CertificateAuthority.revokedPath] : []
        return try SpawnedProgram.run(
            "/usr/bin/openssl", ["verify", "-CAfile", authority, "-purpose", purpose] + list + [certificate]
        ).code == 0
    }

    /// Every file of the centre with its content.
    private func files() -> [String: Data] {
        let base = centre.path + CentreFolder.path
        let names = FileManager.default.enumerator(atPath: base)?.compactMap { $0 as? String } ?? []
        return Dictionary(
            uniqueKeysWithValues: names.map { ($0, FileManager.default.contents(atPath: "\(base)/\($0)") ?? Data()) })
    }

    @Test func `a room is said at the enrolment, or later, and of enrolled hosts only`() throws {
        func run(_ words: String...) throws -> SpawnedProgram.Result {
            try centre.mdefaults(["fleet", "enroll"] + words)
        }
        let made = try run("pc01", "-o", keys("hosts"), "--room", "Physics 2")
        #expect(made.code == 0, "\(made)")
        func room() throws -> String { try centre.text("\(CentreFolder.path)/hosts/pc01/room") }
        #expect(try room() == "Physics 2\n")
        #expect(try run("pc01", "--room", "room3").output == "1 host in room3.\n")
        #expect(try room() == "room3\n")
        #expect(try run("pc01", "pc02", "--room", "room4").code == 1)
        #expect(try run("pc01", "--room", "a/b").code == 2)
        #expect(try room() == "room3\n")
    }

    @Test func `a second run makes nothing and changes nothing`() throws {
        let before = files()
        #expect(before.count > 15)
        let again = try prepare()
        #expect(again.pieces.filter(\.isNew) == [])
        #expect(files() == before)
        let known = try #require(try CentreConfiguration.read(centre.root))
        #expect(known.fleet == "school" && known.address == CentreAddress("https://fleet.example:8443"))
        #expect(try CentreConfiguration(known.bytes) == known)
    }

    @Test func `what a kill left out is made`() throws {
        for path in [CertificateAuthority.serverPath, CertificateAuthority.revokedPath, CentreConfiguration.path] {
            try centre.root.remove(path)
            #expect(try prepare().pieces.filter(\.isNew).map(\.path) == [centre.path + path])
        }
    }

    @Test func `a centre stays that of its fleet and its address`() throws {
        #expect(throws: FleetFault.self) { try prepare("other") }
        #expect(throws: FleetFault.self) { try prepare("school", "https://elsewhere.example:8443") }
    }

    @Test func `the root key is not at the centre, and signs who may publish`() throws {
        let secret = try Data(contentsOf: URL(fileURLWithPath: keys("root")))
        #expect(!files().values.contains(secret))
        let file = try centre.root.read(CentreFolder.root, limit: FleetRoot.limit).bytes
        let document = try SignedDocument(file, limit: FleetRoot.limit)
        let root = try FleetRoot(document.bytes)
        #expect(try document.signer(among: [root.rootKey]) == root.rootKey)
        let line = try centre.root.read(CentrePreparation.publisher + ".pub", limit: 4_096).bytes
        #expect(root.epoch == 1 && root.signers.map(\.key) == [SigningKey(String(decoding: line, as: UTF8.self))])
    }

    @Test func `a host's certificate is good for a host, and the centre's for the centre`() throws {
        try enroll("pc01")
        let host = keys("hosts/pc01/certificate.pem")
        let server = centre.path + CertificateAuthority.serverPath
        #expect(try isGood(host, for: "sslclient"))
        #expect(try !isGood(host, for: "sslserver"))
        #expect(try isGood(server, for: "sslserver"))
        #expect(try !isGood(server, for: "sslclient"))
    }

    @Test func `a host that is revoked has no certificate, until it is enrolled again`() throws {
        try enroll("pc01", "pc02")
        let (one, two) = (keys("hosts/pc01/certificate.pem"), keys("hosts/pc02/certificate.pem"))
        let enrolment = try HostEnrolment(root: centre.root)
        let hosts = [FleetHost("pc01"), FleetHost("pc02")].compactMap { $0 }
        #expect(try isGood(one, for: "sslclient", revoked: true))
        #expect(try enrolment.revoke([hosts[0]], now: now) == 1)
        #expect(try !isGood(one, for: "sslclient", revoked: true))
        #expect(try isGood(two, for: "sslclient", revoked: true))
        #expect(try enrolment.enrolled(among: hosts) == [hosts[1]])
        #expect(try enrolment.revoke([hosts[0]], now: now) == 0)
        try enroll("pc01", into: "again")
        #expect(try isGood(keys("again/pc01/certificate.pem"), for: "sslclient", revoked: true))
        #expect(try !isGood(one, for: "sslclient", revoked: true))
    }

    @Test func `a host keeps the key of its checkpoints, and its public half comes back`() throws {
        try enroll("pc01", "pc02")
        let host = try TemporaryMachine(.none)
        let outcome = try HostInstallation(root: host.root).run(from: keys("hosts/pc01"), replacing: false)
        #expect(outcome.isNewKey && outcome.isReturned && outcome.isKeyRemoved)
        #expect(!FileManager.default.fileExists(atPath: keys("hosts/pc01/key.pem")))
        #expect(try FleetConfiguration.read(host.root)?.host == FleetHost("pc01"))
        let enrolment = try HostEnrolment(root: centre.root)
        let pc01 = try #require(FleetHost("pc01")), pc02 = try #require(FleetHost("pc02"))
        #expect(try enrolment.takeBack(keys("hosts"), replacing: false) == [.taken(pc01), .missing(pc02)])
        #expect(try enrolment.takeBack(keys("hosts"), replacing: false) == [.known(pc01), .missing(pc02)])
        #expect(try centre.root.read(CentreFolder.publicKey(pc01), limit: 4_096).bytes == outcome.publicKey)
        // A second run finds everything, and makes no other key.
        let second = try HostInstallation(root: host.root).run(from: keys("hosts/pc01"), replacing: false)
        #expect(!second.isNewKey && second.publicKey == outcome.publicKey)
    }

    @Test func `a machine becomes another host only if that is said, and then has another key`() throws {
        try enroll("pc01", "pc02")
        let host = try TemporaryMachine(.none)
        let installation = HostInstallation(root: host.root)
        let first = try installation.run(from: keys("hosts/pc01"), replacing: false)
        #expect(throws: FleetFault.self) { try installation.run(from: keys("hosts/pc02"), replacing: false) }
        #expect(FileManager.default.fileExists(atPath: keys("hosts/pc02/key.pem")))
        let second = try installation.run(from: keys("hosts/pc02"), replacing: true)
        #expect(second.isNewKey && second.publicKey != first.publicKey)
    }

    @Test func `an image has neither certificate nor key, and belongs to no fleet`() throws {
        try enroll("pc01")
        let host = try TemporaryMachine(.none)
        _ = try HostInstallation(root: host.root).run(from: keys("hosts/pc01"), replacing: false)
        try ImagePreparation(root: host.root).run()
        #expect(try FleetConfiguration.read(host.root) == nil)
        for path in [HostInstallation.key, HostInstallation.certificate, "/etc/managed-defaults/audit-key.pem"] {
            #expect(!host.root.mayExist(path), "\(path)")
        }
    }

    @Test func `another key of a known host is taken only if that is said`() throws {
        try enroll("pc01")
        let enrolment = try HostEnrolment(root: centre.root)
        for isReplacing in [false, true] {
            let host = try TemporaryMachine(.none)
            if isReplacing { try enroll("pc01") }
            _ = try HostInstallation(root: host.root).run(from: keys("hosts/pc01"), replacing: false)
            let answers = try enrolment.takeBack(keys("hosts"), replacing: false)
            guard isReplacing, case .refused = answers.first else {
                #expect(!isReplacing && answers.count == 1)
                continue
            }
            #expect(try enrolment.takeBack(keys("hosts"), replacing: true) == [.taken(#require(FleetHost("pc01")))])
        }
    }

    @Test func `a public key that is none, or of a host that was not enrolled, is refused`() throws {
        try enroll("pc01")
        try keys.write("/hosts/pc01/public-key", "no key\n")
        try keys.write("/hosts/pc09/public-key", "no key\n")
        let answers = try HostEnrolment(root: centre.root).takeBack(keys("hosts"), replacing: false)
        #expect(answers.count == 2)
        for answer in answers {
            guard case .refused = answer else {
                Issue.record("\(answer)")
                continue
            }
        }
    }

    @Test func `the web server's file in the examples is the one that is made`() throws {
        let file = BuiltProgram.repository.appendingPathComponent("Examples/fleet/nginx.conf")
        let address = try #require(CentreAddress("https://fleet.school.example:8443"))
        #expect(try String(contentsOf: file, encoding: .utf8) == WebServer.configuration(address) { $0 })
    }
}

/// Addresses of a centre.
struct CentreAddressTests {
    @Test(arguments: [
        ("https://fleet.school.example:8443", "fleet.school.example", 8_443),
        ("https://fleet.example/", "fleet.example", 443),
        ("https://192.0.2.7:8443", "192.0.2.7", 8_443), ("https://[2001:db8::7]:8443", "2001:db8::7", 8_443),
    ]) func `an address reads back`(_ text: String, _ host: String, _ port: Int) throws {
        let address = try #require(CentreAddress(text))
        #expect(address.host == host && address.port == port)
        #expect(CentreAddress(address.text) == address)
    }

    @Test(arguments: [
        "http://fleet.example", "https://", "https://fleet.example/path", "https://fleet.example:0",
        "https://fleet.example:65536", "https://a;b", "https://[::1", "https://[fleet]", "https://a b", "https://a:",
    ]) func `anything else is no address`(_ text: String) {
        #expect(CentreAddress(text) == nil)
    }
}
