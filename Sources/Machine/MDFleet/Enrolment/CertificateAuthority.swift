package import MDPlatform

/// The authority of a fleet: a certificate and its key, which sign those of the web server and of the hosts.
///
/// The list `certificates` has each certificate that was made, so that a host's can be taken back by its name. The list of
/// what is revoked is made from it, by `openssl`, and read by the web server.
package struct CertificateAuthority {
    /// What a certificate is for.
    package enum Purpose: Hashable, Sendable {
        /// A host shows it to the centre.
        case host(FleetHost)
        /// The centre shows it to hosts.
        case server(CentreAddress)
    }

    /// A certificate and its private key, in PEM.
    package struct Pair: Hashable, Sendable {
        package let certificate: [UInt8]
        package let key: [UInt8]
    }

    /// The folder of everything, which only root reads; the web server reads it before it gives its rights away.
    package static let folder = "\(CentreFolder.path)/authority"
    /// The authority's certificate: hosts get a copy.
    package static let certificatePath = "\(folder)/authority.pem"
    /// The authority's private key.
    package static let keyPath = "\(folder)/authority-key.pem"
    /// The web server's certificate and key.
    package static let serverPath = "\(folder)/server.pem"
    package static let serverKeyPath = "\(folder)/server-key.pem"
    /// What is revoked, as the web server reads it.
    package static let revokedPath = "\(folder)/revoked.pem"
    private static let listPath = "\(folder)/certificates"
    private static let lockPath = "\(folder)/lock"

    /// Days until the authority, the web server's certificate and the list of what is revoked end.
    ///
    /// If one of them ended, every host would be silent at once; what must end earlier is revoked.
    private static let longDays = 7_300
    /// Days until the certificate of a host ends.
    private static let hostDays = 3_650
    /// The most bytes of the list of certificates, and of a file in PEM.
    private static let listLimit = 1 << 24
    package static let limit = 65_536

    private let root: Root

    package init(root: Root) { self.root = root }

    // MARK: Making

    /// Makes certificate and key of a new authority.
    package static func make(fleet: String) throws(FleetFault) -> Pair {
        let key = try OpenSSL.makeKey()
        let configuration = """
            [req]
            distinguished_name = name
            x509_extensions = authority
            [name]
            [authority]
            basicConstraints = critical, CA:TRUE, pathlen:0
            keyUsage = critical, keyCertSign, cRLSign
            subjectKeyIdentifier = hash

            """
        let certificate = try OpenSSL.run(
            "make the authority's certificate",
            [
                "req", "-x509", "-new", "-key", Subprocess.filePath(0), "-config", Subprocess.filePath(1), "-subj",
                "/CN=Fleet \(fleet)", "-days", "\(longDays)", "-sha256",
            ],
            files: [key, Array(configuration.utf8)])
        return Pair(certificate: certificate, key: key)
    }

    /// Reads certificate and key of an authority, in the file system of the caller.
    package static func read(certificate: String, key: String) throws(FleetFault) -> Pair {
        func read(_ path: String) throws(FleetFault) -> [UInt8] {
            do throws(SystemError) {
                return try Root.system.read(path, limit: limit).bytes
            } catch {
                throw FleetFault("\(error)")
            }
        }
        return Pair(certificate: try read(certificate), key: try read(key))
    }

    /// Whether a private key is that of a certificate.
    package static func fit(_ pair: Pair) -> Bool {
        let own = try? OpenSSL.run(
            "read the key", ["pkey", "-in", Subprocess.filePath(0), "-pubout"], files: [pair.key])
        let named = try? OpenSSL.run(
            "read the certificate", ["x509", "-in", Subprocess.filePath(0), "-noout", "-pubkey"],
            files: [pair.certificate])
        return own != nil && own == named
    }

    /// Makes a key and its certificate, and notes it in the list.
    package func issue(_ purpose: Purpose, now: Timestamp) throws(FleetFault) -> Pair {
        let lock = try lock()
        defer { withExtendedLifetime(lock) {} }
        let authority = Pair(
            certificate: try read(CertificateAuthority.certificatePath), key: try read(CertificateAuthority.keyPath))
        let (name, days, extensions) =
            switch purpose {
            case .host(let host): (host.name, CertificateAuthority.hostDays, "extendedKeyUsage = clientAuth")
            case .server(let address):
                (
                    "fleet-centre", CertificateAuthority.longDays,
                    "extendedKeyUsage = serverAuth\nsubjectAltName = \(address.isNumeric ? "IP" : "DNS"):\(address.host)"
                )
            }
        let key = try OpenSSL.makeKey()
        let request = try OpenSSL.run(
            "make a request",
            ["req", "-new", "-key", Subprocess.filePath(0), "-config", Subprocess.filePath(1), "-subj", "/CN=\(name)"],
            files: [key, Array("[req]\ndistinguished_name = name\n[name]\n".utf8)])
        let serial = CertificateAuthority.serial()
        let certificate = try OpenSSL.run(
            "make a certificate",
            [
                "x509", "-req", "-in", Subprocess.filePath(0), "-CA", Subprocess.filePath(1), "-CAkey",
                Subprocess.filePath(2), "-set_serial", "0x\(serial)", "-days", "\(days)", "-sha256", "-extfile",
                Subprocess.filePath(3),
            ],
            files: [
                request, authority.certificate, authority.key,
                Array(
                    "basicConstraints = critical, CA:FALSE\nkeyUsage = critical, digitalSignature\n\(extensions)\n".utf8
                ),
            ])
        if case .host(let host) = purpose {
            let end = Timestamp(microseconds: now.microseconds + Int64(days) * 86_400_000_000)
            try write(try issued() + [Issued(serial: serial, host: host, end: end, revoked: nil)])
        }
        return Pair(certificate: certificate, key: key)
    }

    /// 16 random bytes whose first bit is clear, because a serial is positive.
    private static func serial() -> String {
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<16).map { index in
            index == 0 ? UInt8.random(in: 0x40...0x7f, using: &random) : UInt8.random(in: .min ... .max, using: &random)
        }
        return bytes.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return byte < 16 ? "0\(digits)" : digits
        }.joined()
    }

    // MARK: Revoking

    /// Whether a host has a certificate that was not revoked.
    package func isEnrolled(_ host: FleetHost) throws(FleetFault) -> Bool {
        try issued().contains { $0.host == host && $0.revoked == nil }
    }

    /// Hosts that have a certificate that was not revoked.
    package func enrolled() throws(FleetFault) -> Set<FleetHost> {
        Set(try issued().filter { $0.revoked == nil }.map(\.host))
    }

    /// Revokes all certificates of hosts, and renews the list that the web server reads.
    ///
    /// - Returns: how many certificates that were.
    package func revoke(_ hosts: Set<FleetHost>, now: Timestamp) throws(FleetFault) -> Int {
        let lock = try lock()
        defer { withExtendedLifetime(lock) {} }
        var (list, count) = (try issued(), 0)
        for index in list.indices where hosts.contains(list[index].host) && list[index].revoked == nil {
            list[index].revoked = now
            count += 1
        }
        // What the web server reads comes first: whatever stops this, the next run revokes them again.
        try writeRevoked(list, now: now)
        if count > 0 { try write(list) }
        return count
    }

    /// Writes the list of what is revoked, if there is none.
    package func prepareRevoked(now: Timestamp) throws(FleetFault) {
        if root.mayExist(CertificateAuthority.revokedPath) { return }
        try writeRevoked(try issued(), now: now)
    }

    private func writeRevoked(_ list: [Issued], now: Timestamp) throws(FleetFault) {
        let index = list.compactMap(\.indexLine).joined()
        let configuration = """
            [ca]
            default_ca = fleet
            [fleet]
            database = \(Subprocess.filePath(3))
            default_md = sha256

            """
        let revoked = try OpenSSL.run(
            "make the list of what is revoked",
            [
                "ca", "-gencrl", "-config", Subprocess.filePath(0), "-cert", Subprocess.filePath(1), "-keyfile",
                Subprocess.filePath(2), "-crldays", "\(CertificateAuthority.longDays)",
            ],
            files: [
                Array(configuration.utf8), try read(CertificateAuthority.certificatePath),
                try read(CertificateAuthority.keyPath), Array(index.utf8),
            ])
        try replace(CertificateAuthority.revokedPath, revoked, mode: 0o644)
    }

    // MARK: Files

    /// A line of the list of certificates.
    private struct Issued {
        let serial: String
        let host: FleetHost
        let end: Timestamp
        var revoked: Timestamp?

        init(serial: String, host: FleetHost, end: Timestamp, revoked: Timestamp?) {
            (self.serial, self.host, self.end, self.revoked) = (serial, host, end, revoked)
        }

        /// Parses `SERIAL HOST END REVOKED`, the last one a hyphen for a certificate that counts.
        init?(_ line: Substring) {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 4, let host = FleetHost(words[1]), let end = Timestamp(rfc3339: String(words[2])),
                words[0].utf8.count == 32
            else { return nil }
            let revoked = Timestamp(rfc3339: String(words[3]))
            if revoked == nil, words[3] != "-" { return nil }
            self.init(serial: String(words[0]), host: host, end: end, revoked: revoked)
        }

        var line: String { "\(serial) \(host) \(end.rfc3339) \(revoked?.rfc3339 ?? "-")\n" }

        /// A line of the database of openssl-ca(1); `nil` for a certificate that counts.
        var indexLine: String? {
            guard let revoked else { return nil }
            return "R\t\(Issued.shortTime(end))\t\(Issued.shortTime(revoked))\t\(serial)\tunknown\t/CN=\(host)\n"
        }

        /// A time as certificates have it until 2049: `261128123231Z`.
        private static func shortTime(_ time: Timestamp) -> String {
            String(time.rfc3339.prefix(19).dropFirst(2)).split { "-T:".utf8.contains($0.utf8.first ?? 0) }.joined()
                + "Z"
        }
    }

    private func issued() throws(FleetFault) -> [Issued] {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try root.read(CertificateAuthority.listPath, limit: CertificateAuthority.listLimit).bytes
        } catch {
            if error.isMissing { return [] }
            throw FleetFault("\(error)")
        }
        var list: [Issued] = []
        for (number, line) in bytes.split(separator: 0x0a).enumerated() {
            guard let text = String(validating: line, as: UTF8.self), let entry = Issued(text[...]) else {
                throw FleetFault("\(root.display(CertificateAuthority.listPath)):\(number + 1): this is no certificate")
            }
            list.append(entry)
        }
        return list
    }

    private func write(_ list: [Issued]) throws(FleetFault) {
        try replace(CertificateAuthority.listPath, Array(list.map(\.line).joined().utf8), mode: 0o600)
    }

    private func read(_ path: String) throws(FleetFault) -> [UInt8] {
        do throws(SystemError) {
            return try root.read(path, limit: CertificateAuthority.limit).bytes
        } catch {
            throw FleetFault("\(error)")
        }
    }

    private func replace(_ path: String, _ bytes: [UInt8], mode: UInt32) throws(FleetFault) {
        do throws(SystemError) {
            try root.replace(path, with: bytes, mode: mode)
        } catch {
            throw FleetFault("\(error)")
        }
    }

    private func lock() throws(FleetFault) -> FileLock {
        do throws(SystemError) {
            return try root.lock(CertificateAuthority.lockPath)
        } catch {
            throw FleetFault("\(error)")
        }
    }
}
