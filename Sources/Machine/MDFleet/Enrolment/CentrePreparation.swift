package import MDPlatform
import MDPolicyAdministration

/// Makes what a centre needs: keys, certificates, folders and the configuration of its web server.
///
/// What is there stays as it is.
package struct CentrePreparation {
    /// A file or folder, and whether it was made now.
    package struct Piece: Hashable, Sendable {
        /// What it is, as a noun.
        package let what: String
        /// The path, as the caller sees it.
        package let path: String
        /// Whether it was made now.
        package let isNew: Bool
    }

    /// The user that collects, on a real centre.
    package static let collector = "mdefaults-centre"
    /// The folder of the publisher's key.
    package static let publisherFolder = "\(CentreFolder.path)/publisher"
    /// The publisher's key, unless it is kept elsewhere; with `.pub` its public half.
    package static let publisher = "\(publisherFolder)/key"

    private let root: Root
    /// The name of the fleet, and the address of its web server.
    package let fleet: String
    package let address: CentreAddress
    private let now: Timestamp
    /// The path of the root key in the file system of the caller; `nil` if none was given.
    private let rootKey: String?
    /// The user that collects, and the one that runs the web server; `nil` for a folder, which has one owner.
    private let users: (collector: Account, web: Account)?

    /// The path of the root for other programs; empty for this machine's.
    private let place: String

    /// What was found and made.
    package private(set) var pieces: [Piece] = []

    /// Looks at a centre; changes nothing.
    ///
    /// - Parameters:
    ///   - root: the file tree of the centre.
    ///   - fleet: the name of the fleet.
    ///   - address: the address of the web server; `nil` for the one that the centre has, else this machine's name.
    ///   - rootKey: the path of the root key in the file system of the caller, which is made if it is missing.
    ///   - now: the time.
    /// - Throws: if the centre is another fleet's, or the machine lacks a user.
    package init(
        root: Root, fleet: String, address: CentreAddress?, rootKey: String?, now: Timestamp
    ) throws(FleetFault) {
        let known = try CentreConfiguration.read(root)
        if let known, !known.fleet.utf8.elementsEqual(fleet.utf8) {
            throw FleetFault("the centre in \(root.display(CentreFolder.path)) is that of the fleet \(known.fleet)")
        }
        if let known, let address, known.address != address {
            throw FleetFault(
                "the centre's address is \(known.address?.text ?? "none"); the hosts that are enrolled use it")
        }
        let own = CentreAddress("https://\(Machine.hostName(root: root).full.lowercased()):8443")
        guard let address = known?.address ?? address ?? own else {
            throw FleetFault("the name of this machine is no name for a web server; --centre says one")
        }
        (self.root, self.fleet, self.address, self.rootKey, self.now) = (root, fleet, address, rootKey, now)
        users = root.isSystem ? try CentrePreparation.findUsers() : nil
        if known == nil, rootKey == nil {
            throw FleetFault("--root-key says where the root key is, or is made: on a stick")
        }
        let folder: String? = root.path.hasPrefix("/") ? "" : try? Root.system.linkTarget("/proc/self/cwd") + "/"
        place = root.isSystem ? "" : (folder ?? "") + root.path
        guard place.isEmpty || place.hasPrefix("/"), WebServer.canName(place) else {
            throw FleetFault("the configuration of nginx cannot name the folder \(root.path)")
        }
    }

    private static func findUsers() throws(FleetFault) -> (Account, Account) {
        let search: AccountSearch
        do throws(SystemError) {
            search = try AccountSearch(root: .system)
        } catch {
            throw FleetFault("\(error)")
        }
        guard let collector = search.account(named: collector) else {
            throw FleetFault("there is no user \(collector), whom the package makes: systemd-sysusers mdefaultsd.conf")
        }
        for name in WebServer.users {
            if let web = search.account(named: name) { return (collector, web) }
        }
        throw FleetFault("no user runs nginx here; install it first: apt install nginx libnginx-mod-nchan curl")
    }

    /// The public root key, once it is known.
    package private(set) var rootKeyLine = ""

    /// Makes what is missing.
    ///
    /// - Parameters:
    ///   - given: an authority that exists; `nil` to make one.
    ///   - publisher: the path of the key that signs snapshots, or of its public half, in the file system of the caller;
    ///     `nil` to make a key at the centre.
    /// - Throws: what could not be made; what was made stays.
    package mutating func run(authority given: CertificateAuthority.Pair?, publisher: String?) throws(FleetFault) {
        // First what can fail because of what was asked for.
        try findRootKey()
        do throws(SystemError) {
            try makeFolders()
        } catch {
            throw FleetFault("\(error)")
        }
        try makeAuthority(given)
        let asked = try publisher.map { path throws(FleetFault) in "\(try SigningKey(of: path))" }
        if let asked { try beginEpoch(asked) }
        let publisher = if let asked { asked } else { try makePublisher() }
        let configuration = CentreConfiguration(
            fleet: fleet, address: address, wake: "http://127.0.0.1:\(WebServer.wakePort(address))/wake",
            rootKey: rootKeyLine)
        let copy = self
        try make("the signers of snapshots", CentreFolder.root, mode: 0o644) { () throws(FleetFault) in
            try copy.signers(publisher, epoch: 1).file
        }
        try make("the web server's configuration", WebServer.path, mode: 0o644) { () throws(FleetFault) in
            Array(WebServer.configuration(copy.address, copy.outside).utf8)
        }
        try make("what the centre knows of itself", CentreConfiguration.path, mode: 0o644) { () throws(FleetFault) in
            configuration.bytes
        }
    }

    // MARK: Parts

    private mutating func makeFolders() throws(SystemError) {
        let collector = users.map { (user: $0.collector.uid, group: $0.collector.gid) }
        // nginx makes files there that the collector reads and removes.
        let spool = users.map { (user: $0.web.uid, group: $0.collector.gid) }
        let spoolMode: UInt32 = users == nil ? 0o755 : 0o2770
        let folders: [(path: String, mode: UInt32, owner: (user: UInt32, group: UInt32)?)] = [
            (CentreFolder.path, 0o755, nil), (CentreFolder.published, 0o755, nil), (CentreFolder.files, 0o755, nil),
            (CertificateAuthority.folder, 0o700, nil), (CentrePreparation.publisherFolder, 0o700, nil),
            (CentreFolder.spool, spoolMode, spool), (WebServer.incoming, spoolMode, spool),
            (CentreFolder.acknowledgements, 0o755, collector), (CentreFolder.hosts, 0o750, collector),
            (CentreFolder.heads, 0o755, collector), (CentreFolder.pages, 0o755, collector),
        ]
        for folder in folders {
            let isNew = folder.path == CentreFolder.path && !root.mayExist(folder.path)
            try root.createDirectory(folder.path, mode: folder.mode)
            if let owner = folder.owner {
                try root.changeOwner(ofDirectory: folder.path, user: owner.user, group: owner.group)
            }
            if isNew { note("the folder of the centre", folder.path, isNew: true) }
        }
        // The folder itself is root's, so that the collector's user cannot put another authority there; what is written beside
        // the folders is there already.
        guard let collector else { return }
        for path in [CentreFolder.alarms, "\(CentreFolder.path)/lock"] where !root.mayExist(path) {
            try root.replace(path, with: [], mode: 0o640, owner: collector)
        }
    }

    private mutating func findRootKey() throws(FleetFault) {
        if let known = try CentreConfiguration.read(root) {
            rootKeyLine = known.rootKey
            return
        }
        guard let rootKey else { return }
        let isNew = !Root.system.mayExist(rootKey)
        if isNew { try SigningKey.make(at: rootKey, comment: "root of the fleet \(fleet)") }
        rootKeyLine = "\(try SigningKey(of: rootKey))"
        pieces.append(Piece(what: "the root key", path: rootKey, isNew: isNew))
    }

    private mutating func makeAuthority(_ given: CertificateAuthority.Pair?) throws(FleetFault) {
        let authority = CertificateAuthority(root: root)
        let isThere = root.mayExist(CertificateAuthority.certificatePath)
        if !isThere {
            let pair = if let given { given } else { try CertificateAuthority.make(fleet: fleet) }
            guard CertificateAuthority.fit(pair) else {
                throw FleetFault("the authority's key is not its certificate's")
            }
            // The certificate comes last: without it there is no authority.
            try write(CertificateAuthority.keyPath, pair.key, mode: 0o600)
            try write(CertificateAuthority.certificatePath, pair.certificate, mode: 0o644)
        }
        note("the authority of certificates", CertificateAuthority.certificatePath, isNew: !isThere)
        let hasServer = root.mayExist(CertificateAuthority.serverPath)
        if !hasServer {
            let pair = try authority.issue(.server(address), now: now)
            try write(CertificateAuthority.serverKeyPath, pair.key, mode: 0o600)
            try write(CertificateAuthority.serverPath, pair.certificate, mode: 0o644)
        }
        note("the web server's certificate", CertificateAuthority.serverPath, isNew: !hasServer)
        let hasList = root.mayExist(CertificateAuthority.revokedPath)
        try authority.prepareRevoked(now: now)
        note("the list of what is revoked", CertificateAuthority.revokedPath, isNew: !hasList)
    }

    /// The public line of the publisher's key at the centre, which is made if it is missing.
    private mutating func makePublisher() throws(FleetFault) -> String {
        let path = outside(CentrePreparation.publisher)
        let isThere = root.mayExist(CentrePreparation.publisher)
        if !isThere, !root.mayExist(CentreFolder.root) {
            try SigningKey.make(at: path, comment: "publisher of the fleet \(fleet)")
        }
        if isThere || !root.mayExist(CentreFolder.root) {
            note("the publisher's key", CentrePreparation.publisher, isNew: !isThere)
            return "\(try SigningKey(of: path))"
        }
        return ""
    }

    /// Begins an epoch in which another key publishes, and none that did before.
    private mutating func beginEpoch(_ publisher: String) throws(FleetFault) {
        guard root.mayExist(CentreFolder.root), let key = SigningKey(publisher) else { return }
        let present = try SnapshotPublisher(root: root).document
        guard present.name(of: key) == nil else { return }
        let epoch = present.epoch + 1
        try SnapshotPublisher.publish(root: try signers(publisher, epoch: epoch), in: root)
        note("epoch \(epoch) of snapshots, which another key signs", CentreFolder.root, isNew: true)
    }

    /// The signers of an epoch, signed by the root key.
    private func signers(_ publisher: String, epoch: Int) throws(FleetFault) -> SignedDocument {
        guard let rootKey else { throw FleetFault("--root-key says where the root key is, which signs the signers") }
        guard let key = SigningKey(publisher), let root = SigningKey(rootKeyLine) else {
            throw FleetFault("the publisher's key is missing")
        }
        let document = FleetRoot(
            fleet: fleet, epoch: epoch, rootKey: root, signers: [FleetRoot.Signer(key, who: "publisher of \(fleet)")])
        do throws(OperationError) {
            return try document.signed(by: [rootKey])
        } catch {
            throw FleetFault("\(error)")
        }
    }

    // MARK: Files

    /// The path of a file of the centre for other programs.
    package func outside(_ path: String) -> String { place + path }

    /// Makes a file unless it is there.
    private mutating func make(
        _ what: String, _ path: String, mode: UInt32, _ content: () throws(FleetFault) -> [UInt8]
    ) throws(FleetFault) {
        let isThere = root.mayExist(path)
        if !isThere { try write(path, try content(), mode: mode) }
        note(what, path, isNew: !isThere)
    }

    private func write(_ path: String, _ bytes: [UInt8], mode: UInt32) throws(FleetFault) {
        do throws(SystemError) {
            try root.replace(path, with: bytes, mode: mode)
        } catch {
            throw FleetFault("\(error)")
        }
    }

    private mutating func note(_ what: String, _ path: String, isNew: Bool) {
        pieces.append(Piece(what: what, path: root.display(path), isNew: isNew))
    }
}
