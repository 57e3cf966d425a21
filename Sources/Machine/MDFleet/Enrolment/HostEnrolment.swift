import MDAuditReading
package import MDPlatform

/// Makes at the centre what a host needs to join a fleet: a folder a host, which a stick or Ansible carries.
package struct HostEnrolment {
    /// The names in the folder of a host.
    package static let configuration = "fleet.json"
    package static let certificate = "certificate.pem"
    package static let key = "key.pem"
    package static let authority = "authority.pem"
    /// What comes back: the public key of the host's checkpoints.
    package static let publicKey = "public-key"
    /// The most hosts at once.
    package static let most = 10_000

    private let root: Root
    private let centre: CentreConfiguration
    private let authority: CertificateAuthority

    /// Opens a centre; changes nothing.
    package init(root: Root) throws(FleetFault) {
        guard let centre = try CentreConfiguration.read(root) else {
            throw FleetFault("there is no centre in \(root.display(CentreFolder.path)): mdefaults fleet init makes one")
        }
        (self.root, self.centre, authority) = (root, centre, CertificateAuthority(root: root))
    }

    /// Hosts of a list that have a certificate that counts.
    package func enrolled(among hosts: [FleetHost]) throws(FleetFault) -> [FleetHost] {
        let known = try authority.enrolled()
        return hosts.filter { known.contains($0) }
    }

    /// Says in which room a host is, for the pages; the host may say another one.
    package func move(_ host: FleetHost, to room: EnrolledRoom) throws(FleetFault) {
        try HostEnrolment.system { () throws(SystemError) in
            try makeHostFolder(host)
            try root.replace(CentreFolder.room(host), with: room.bytes, mode: 0o644)
        }
    }

    /// Makes the folder of a host.
    ///
    /// - Parameters:
    ///   - host: the host.
    ///   - place: where the host finds the centre; `nil` for the web server.
    ///   - resetsAtBoot: whether the machine begins a new log at each boot.
    ///   - folder: the folder of all hosts, in the file system of the caller.
    ///   - now: the time.
    /// - Throws: if a certificate or a file could not be made.
    package func enroll(
        _ host: FleetHost, at place: FleetConfiguration.Centre?, resetsAtBoot: Bool, into folder: String, now: Timestamp
    ) throws(FleetFault) {
        guard let place = place ?? centre.address.map({ .address($0.text) }) else {
            throw FleetFault("the centre has no web server; --centre says the folder that hosts reach")
        }
        var configuration = FleetConfiguration(fleet: centre.fleet, host: host, centre: place)
        configuration.rootKey = centre.rootKey
        configuration.leastEpoch = 1
        configuration.resetsAtBoot = resetsAtBoot
        let own = "\(folder)/\(host)"
        try HostEnrolment.system { () throws(SystemError) in
            try Root.system.createDirectory(own, mode: 0o700)
            // A host that was never heard of is one that the page has to name.
            try makeHostFolder(host)
            if resetsAtBoot {
                try root.replace(CentreFolder.resets(host), with: [], mode: 0o644)
            } else if root.mayExist(CentreFolder.resets(host)) {
                try root.remove(CentreFolder.resets(host))
            }
        }
        let pair = try authority.issue(.host(host), now: now)
        try HostEnrolment.system { () throws(SystemError) in
            let certificate = try root.read(CertificateAuthority.certificatePath, limit: CertificateAuthority.limit)
            let files: [(name: String, bytes: [UInt8], mode: UInt32)] = [
                (HostEnrolment.authority, certificate.bytes, 0o644),
                (HostEnrolment.certificate, pair.certificate, 0o644),
                (HostEnrolment.key, pair.key, 0o600), (HostEnrolment.configuration, configuration.bytes, 0o644),
            ]
            for file in files { try Root.system.replace("\(own)/\(file.name)", with: file.bytes, mode: file.mode) }
        }
    }

    private func makeHostFolder(_ host: FleetHost) throws(SystemError) {
        let folder = CentreFolder.folder(host)
        if root.mayExist(folder) { return }
        let hosts = try root.status(CentreFolder.hosts, followingLinks: true)
        try root.createDirectory(folder, mode: 0o750)
        if root.isSystem { try root.changeOwner(ofDirectory: folder, user: hosts.owner, group: hosts.group) }
    }

    /// Revokes all certificates of hosts; returns how many these were.
    package func revoke(_ hosts: [FleetHost], now: Timestamp) throws(FleetFault) -> Int {
        try authority.revoke(Set(hosts), now: now)
    }

    // MARK: The way back

    /// What became of a host's public key.
    package enum Return: Hashable, Sendable {
        /// It was taken, or was there already.
        case taken(FleetHost)
        case known(FleetHost)
        /// The host has not written one yet.
        case missing(FleetHost)
        /// It was not taken, and why.
        case refused(FleetHost, String)
    }

    /// Takes the public keys that hosts wrote into their folders.
    ///
    /// - Parameters:
    ///   - folder: the folder of all hosts, in the file system of the caller.
    ///   - replacing: whether a key takes the place of another one.
    /// - Returns: what became of each host's key.
    /// - Throws: if a folder could not be read, or a key not be written.
    package func takeBack(_ folder: String, replacing: Bool) throws(FleetFault) -> [Return] {
        let names = try HostEnrolment.system { () throws(SystemError) in
            try Root.system.names(in: folder, directoriesOnly: true)
        }
        let enrolled = try authority.enrolled()
        var answers: [Return] = []
        for host in names.compactMap({ FleetHost($0) }).sorted() {
            answers.append(try takeBack(host, from: "\(folder)/\(host)", enrolled: enrolled, replacing: replacing))
        }
        return answers
    }

    private func takeBack(
        _ host: FleetHost, from folder: String, enrolled: Set<FleetHost>, replacing: Bool
    ) throws(FleetFault) -> Return {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Root.system.read(
                "\(folder)/\(HostEnrolment.publicKey)", limit: CertificateAuthority.limit
            ).bytes
        } catch {
            if error.isMissing { return .missing(host) }
            throw FleetFault("\(error)")
        }
        guard enrolled.contains(host) else { return .refused(host, "it was not enrolled here") }
        // Written again by openssl, so that nothing else comes with it.
        guard
            let key = try? OpenSSL.run(
                "read the key", ["pkey", "-pubin", "-in", Subprocess.filePath(0), "-pubout"], files: [bytes]),
            CheckpointVerifier(publicKeyPEM: key) != nil
        else { return .refused(host, "its public-key is no Ed25519 key in PEM") }
        let path = CentreFolder.publicKey(host)
        return try HostEnrolment.system { () throws(SystemError) in
            try makeHostFolder(host)
            if let old = try? root.read(path, limit: CertificateAuthority.limit).bytes {
                if old == key { return .known(host) }
                guard replacing else { return .refused(host, "another key is known of it; --replace takes this one") }
            }
            try root.replace(path, with: key, mode: 0o644)
            return .taken(host)
        }
    }

    /// Turns an error of the system into a fault.
    static func system<Result>(_ body: () throws(SystemError) -> Result) throws(FleetFault) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw FleetFault("\(error)")
        }
    }
}
