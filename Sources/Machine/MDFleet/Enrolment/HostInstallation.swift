import MDAuditReading
package import MDPlatform

/// Installs on a host what `fleet enroll` made for it, and makes the key of its checkpoints, which never leaves it.
package struct HostInstallation {
    /// What was done.
    package struct Outcome: Hashable, Sendable {
        /// The host and its fleet.
        package let host: FleetHost
        package let fleet: String
        /// The public key of its checkpoints, in PEM.
        package let publicKey: [UInt8]
        /// Whether the key was made now.
        package let isNewKey: Bool
        /// Whether the public key could be written into the folder, on its way back to the centre.
        package let isReturned: Bool
        /// Whether the private key of the certificate is gone from the folder.
        package let isKeyRemoved: Bool
    }

    /// Certificate, key and the authority's certificate on a host.
    package static let folder = "/etc/managed-defaults/fleet"
    package static let certificate = "\(folder)/\(HostEnrolment.certificate)"
    package static let key = "\(folder)/\(HostEnrolment.key)"
    package static let authority = "\(folder)/\(HostEnrolment.authority)"

    private let root: Root

    package init(root: Root) { self.root = root }

    /// Installs.
    ///
    /// - Parameters:
    ///   - folder: the folder of this host, or of all hosts, in the file system of the caller.
    ///   - replacing: whether a machine that belongs to a fleet as another host is enrolled again.
    /// - Returns: what was done.
    /// - Throws: if something is missing or does not fit, or the machine is another host; then nothing was changed.
    package func run(from folder: String, replacing: Bool) throws(FleetFault) -> Outcome {
        let own = try findFolder(folder)
        var configuration = try FleetConfiguration(try read("\(own)/\(HostEnrolment.configuration)"))
        let known = try FleetConfiguration.read(root)
        let isOther =
            known.map { $0.host != configuration.host || !$0.fleet.utf8.elementsEqual(configuration.fleet.utf8) }
            ?? false
        if isOther, !replacing, let known {
            throw FleetFault(
                "this machine is \(known.host) of the fleet \(known.fleet); --renew enrols it as \(configuration.host) of"
                    + " \(configuration.fleet)")
        }
        // The same host on the same machine; another host is bound again when it first runs.
        if !isOther { configuration.machine = known?.machine }
        configuration.certificate = HostInstallation.certificate
        configuration.key = HostInstallation.key
        configuration.authority = HostInstallation.authority
        let key = try readKey(own)
        let pair = CertificateAuthority.Pair(
            certificate: try read("\(own)/\(HostEnrolment.certificate)"), key: key)
        guard CertificateAuthority.fit(pair) else { throw FleetFault("key and certificate in \(own) do not fit") }
        let authority = try read("\(own)/\(HostEnrolment.authority)")
        let (publicKey, isNewKey) = try prepareSigner(new: isOther)
        try HostEnrolment.system { () throws(SystemError) in
            try root.createDirectory(HostInstallation.folder, mode: 0o755)
            let files: [(path: String, bytes: [UInt8], mode: UInt32)] = [
                (HostInstallation.authority, authority, 0o644), (HostInstallation.certificate, pair.certificate, 0o644),
                (HostInstallation.key, key, 0o600), (FleetConfiguration.path, configuration.bytes, 0o644),
            ]
            for file in files { try root.replace(file.path, with: file.bytes, mode: file.mode) }
        }
        let written: ()? = try? Root.system.replace(
            "\(own)/\(HostEnrolment.publicKey)", with: publicKey, mode: 0o644)
        // A stick that is lost later has no key of this host.
        let spent = "\(own)/\(HostEnrolment.key)"
        if Root.system.mayExist(spent) { try? Root.system.remove(spent) }
        return Outcome(
            host: configuration.host, fleet: configuration.fleet, publicKey: publicKey, isNewKey: isNewKey,
            isReturned: written != nil, isKeyRemoved: !Root.system.mayExist(spent))
    }

    /// The folder of this host: the one that was given, or one in it that is named like the machine.
    private func findFolder(_ folder: String) throws(FleetFault) -> String {
        if Root.system.mayExist("\(folder)/\(HostEnrolment.configuration)") { return folder }
        let name = Machine.hostName(root: root)
        for word in [name.full, name.short] {
            if let host = FleetHost(word.lowercased()),
                Root.system.mayExist("\(folder)/\(host)/\(HostEnrolment.configuration)")
            {
                return "\(folder)/\(host)"
            }
        }
        throw FleetFault("\(folder) has neither \(HostEnrolment.configuration) nor a folder \(name.short)")
    }

    /// The private key of the certificate; the one that was installed before if the folder has it no more.
    private func readKey(_ folder: String) throws(FleetFault) -> [UInt8] {
        let path = "\(folder)/\(HostEnrolment.key)"
        guard Root.system.mayExist(path) else {
            return try HostEnrolment.system { () throws(SystemError) in
                try root.read(HostInstallation.key, limit: CertificateAuthority.limit).bytes
            }
        }
        return try read(path)
    }

    /// The public key of the machine's checkpoints; the private one is made if it is missing.
    ///
    /// - Parameter new: whether the machine was another host, whose key it may have by having been copied.
    /// - Returns: the public key, and whether it was made now.
    /// - Throws: if there is no usable key, and none could be made.
    private func prepareSigner(new: Bool) throws(FleetFault) -> (publicKey: [UInt8], isNew: Bool) {
        func signer() throws(FleetFault) -> CheckpointSigner? {
            do throws(CheckpointSigningError) {
                return try CheckpointSigner(of: root)
            } catch {
                throw FleetFault("\(error)")
            }
        }
        if !new, let known = try signer() { return (known.publicKeyPEM, false) }
        let key = try OpenSSL.run("make a key", ["genpkey", "-algorithm", "ed25519"])
        try HostEnrolment.system { () throws(SystemError) in
            try root.createDirectory("/etc/managed-defaults", mode: 0o755)
            try root.replace(CheckpointSigner.path, with: key, mode: 0o600)
        }
        guard let made = try signer() else { throw FleetFault("the key of checkpoints cannot be read") }
        return (made.publicKeyPEM, true)
    }

    private func read(_ path: String) throws(FleetFault) -> [UInt8] {
        try HostEnrolment.system { () throws(SystemError) in
            try Root.system.read(path, limit: CertificateAuthority.limit).bytes
        }
    }
}
