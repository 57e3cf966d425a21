import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDPropertyList

/// A machine of the demo: a folder that looks like its root.
struct DemoMachine: Sendable {
    /// Its name in the fleet.
    let host: FleetHost
    /// The tag of its room.
    let room: String
    /// Its folder.
    let root: Root

    /// The private key of its checkpoints, in PEM.
    private static let key = "/etc/managed-defaults/audit-key.pem"
    private static let openssl = "/usr/bin/openssl"
    /// How long openssl may run, and the most that it may print.
    private static let (milliseconds, keyLimit) = (10_000, 4_096)
    private static let browser = "/usr/bin/browser"
    private static let (domain, homePage) = (Key("org.example.Browser"), "https://start.school.example/")
    private static let policies = "/etc/managed-defaults/policies.d"
    private static let policy = "\(policies)/10-school.json"
    /// The people of every machine, with their uids.
    private static let people = [("anna", 1_001), ("ben", 1_002)]

    /// Makes the machine, and tells the centre its public key.
    ///
    /// - Parameters:
    ///   - host: its name.
    ///   - room: the tag of its room.
    ///   - path: its folder, which does not exist.
    ///   - centre: the centre's root.
    ///   - rootKey: the root key of the fleet; `nil` for a fleet that publishes nothing, so that the machine has policy of its
    ///     own.
    /// - Returns: the machine, whose log has no record yet.
    /// - Throws: if a file cannot be written, or openssl not be run.
    static func make(
        _ host: FleetHost, room: String, at path: String, centre: Root, rootKey: SigningKey?
    ) throws(FleetFault) -> DemoMachine {
        do throws(SystemError) {
            try Root.system.createDirectory(path, mode: 0o755)
            let machine = DemoMachine(host: host, room: room, root: try Root(directory: path))
            for (path, text, mode) in machine.files {
                let folder = path.split(separator: "/").dropLast().joined(separator: "/")
                try machine.root.createDirectory("/" + folder, mode: 0o755)
                try machine.root.replace(path, with: Array(text.utf8), mode: mode, durable: false)
            }
            for (name, _) in people { try machine.root.createDirectory("/home/\(name)", mode: 0o755) }
            if rootKey == nil { try machine.writePolicy(DemoMachine.school, to: "10-school.json") }
            var configuration = FleetConfiguration(
                fleet: DemoFleet.name, host: host, centre: .folder(centre.display(CentreFolder.path)))
            configuration.rootKey = rootKey?.description
            try machine.root.replace(FleetConfiguration.path, with: configuration.bytes, mode: 0o644, durable: false)
            let key = try run(["genpkey", "-algorithm", "ed25519"])
            try machine.root.replace(DemoMachine.key, with: key, mode: 0o600, durable: false)
            let publicKey = try run(["pkey", "-in", Subprocess.filePath(0), "-pubout"], files: [key])
            try centre.createDirectory(CentreFolder.folder(host), mode: 0o750)
            try centre.replace(CentreFolder.publicKey(host), with: publicKey, mode: 0o644, durable: false)
            if let room = EnrolledRoom(room) {
                try centre.replace(CentreFolder.room(host), with: room.bytes, mode: 0o644, durable: false)
            }
            return machine
        } catch {
            throw FleetFault("\(error)")
        }
    }

    /// The policy of the school, and of its new term.
    static let school = """
        {
          "Identifier": "edu.example.school", "Version": 1,
          "Description": "What holds on every machine of the school", "Contact": "Lab office, room 12",
          "Forced": {
            "\(domain.string)": { "HomePage": "\(homePage)", "AllowDownloads": false }
          }
        }

        """
    static let term = """
        {
          "Identifier": "edu.example.term", "Version": 1, "Description": "What holds in this term",
          "Forced": { "\(domain.string)": { "SearchEngine": "https://search.school.example/" } }
        }

        """

    /// Puts a policy file of the machine's own administrator in place.
    func writePolicy(_ text: String, to name: String) throws(SystemError) {
        try root.createDirectory(DemoMachine.policies, mode: 0o755)
        try root.replace("\(DemoMachine.policies)/\(name)", with: Array(text.utf8), mode: 0o644, durable: false)
    }

    /// The files that such a machine has, with their permission bits.
    private var files: [(path: String, text: String, mode: UInt32)] {
        let people = DemoMachine.people
        return [
            ("/etc/hostname", "\(host)\n", 0o644),
            ("/etc/machine-id", DemoMachine.machineID(host.name), 0o644),
            (
                "/etc/passwd",
                "root:x:0:0:root:/root:/bin/bash\n"
                    + people.map { "\($0):x:\($1):\($1)::/home/\($0):/bin/bash\n" }.joined(), 0o644
            ),
            ("/etc/group", "root:x:0:\n" + people.map { "\($0):x:\($1):\n" }.joined(), 0o644),
            ("/etc/managed-defaults/tags", "school \(room)\n", 0o644),
            (DemoMachine.browser, "#!/bin/sh\n", 0o755),
            // What the audit service would know of the programs that opened domains since the boot.
            (
                "/run/mdefaultsd/opened",
                "boot folder\n"
                    + ([0] + people.map(\.1)).map {
                        "{\"uid\":\($0),\"exe\":\"\(DemoMachine.browser)\",\"domain\":\"\(DemoMachine.domain.string)\"}\n"
                    }.joined(), 0o644
            ),
        ]
    }

    /// The id of a machine of this name.
    static func machineID(_ name: String) -> String {
        "\(SHA256.hash(Array("demo \(name)".utf8)).hex.prefix(32))\n"
    }

    /// Runs openssl.
    private static func run(_ arguments: [String], files: [[UInt8]] = []) throws(SystemError) -> [UInt8] {
        let result = try Subprocess.run(
            openssl, arguments, files: files, timeoutMilliseconds: milliseconds, limit: keyLimit)
        guard result.status == 0 else {
            throw SystemError(operation: "run", path: openssl, code: 5, reason: "it ended with an error")
        }
        return result.output
    }

    /// Records that its people tried to override the forced home page, once each.
    func recordAttempts(at time: Timestamp) throws(FleetFault) {
        let records = DemoMachine.people.map { name, uid in
            var record = AuditRecord(kind: .override, src: .client)
            (record.time, record.uid, record.user) = (time, UInt32(uid), name)
            (record.exe, record.via) = (DemoMachine.browser, .set)
            (record.domain, record.key) = (DemoMachine.domain, "HomePage")
            record.forced = ValueSummary(.string(DemoMachine.homePage))
            record.tried = ValueSummary(.string("https://games.example/"))
            record.policy = PolicyReference(id: "edu.example.school", file: DemoMachine.policy, line: 5)
            record.outcome = .refused
            return record
        }
        do throws(AuditError) {
            try AuditLog(root: root).append(records)
        } catch {
            throw FleetFault("\(error)")
        }
    }
}
