package import MDAuditClient
import MDAuditRecord
package import MDPlatform
package import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
package import MDPreferences
package import MDPropertyList

/// One user on one machine at one moment: the resultant set, the files of the user's settings, and the audit log.
package struct UserSession: Sendable {
    /// The machine.
    package let machine: PolicyInForce
    /// The user.
    package let account: Account
    /// What policy says for the user.
    package let resultant: ResultantSet
    /// The files of the user.
    private let files: UserFiles

    /// Opens the settings of a user.
    ///
    /// - Parameters:
    ///   - machine: the machine.
    ///   - account: the user.
    ///   - resultant: what policy says for the user; `nil` to ask the machine.
    package init(machine: PolicyInForce, account: Account, resultant: ResultantSet? = nil) {
        self.machine = machine
        self.account = account
        self.resultant = resultant ?? machine.resultant(for: account)
        files = UserFiles(of: account, on: machine)
    }

    /// The user's own domains.
    package var preferences: PreferencesDirectory { files.preferences }
    /// The domains of all users.
    package var shared: SharedDefaults { files.shared }
    /// The folder of what the user's programs remember: the spool of audit records, the set-once marks.
    package var stateDirectory: String { files.stateDirectory }
    /// The destination of audit records.
    package var reporter: AuditReporter { files.reporter }
    /// What was set once before.
    package var setOnceFile: SetOnceFile { files.setOnceFile }
}

/// The files of one user's settings on one machine, and the destination of audit records of the user's programs.
package struct UserFiles: Sendable {
    /// The user's own domains.
    package let preferences: PreferencesDirectory
    /// The domains of all users.
    package let shared: SharedDefaults
    /// The destination of audit records.
    package let reporter: AuditReporter
    /// The folder of what the user's programs remember: the spool of audit records, the set-once marks.
    ///
    /// It is in the home that the account database names; in `$HOME` for an unknown user or one without a home.
    package let stateDirectory: String

    /// Finds the files of a user.
    package init(of account: Account, on machine: PolicyInForce) {
        let environment = Environment.values(of: ["HOME", "XDG_CONFIG_HOME"])
        let location = PreferencesLocation(of: account, root: machine.root, environment: environment)
        preferences = PreferencesDirectory(
            root: machine.root, directory: location.directory, machineID: Machine.machineID(root: machine.root),
            owner: location.owner, home: location.home)
        shared = SharedDefaults(root: machine.root, isPresent: machine.hasSharedDefaults)
        // In a user namespace the account is that of an id which its maker chose.
        let origin = machine.isForeign ? ForeignNamespace(host: machine.host.short) : nil
        let home = origin == nil ? UserFiles.home(of: account, location, machine.root) : nil
        stateDirectory = (home ?? location.home) + UserFiles.stateFolder
        setOnceFile = SetOnceFile(
            root: machine.root, home: origin == nil ? account.home : "", spare: stateDirectory, user: account.uid)
        reporter = AuditReporter(
            root: machine.root, stateDirectory: stateDirectory, isHomeKnown: home != nil, namespace: origin)
    }

    /// What was set once before.
    package let setOnceFile: SetOnceFile

    /// The folder of ``stateDirectory`` in a home.
    private static let stateFolder = "/.local/state/managed-defaults"

    /// The home that the account database names, whatever the environment says: root's report reads there.
    ///
    /// - Returns: `nil` if the database names none, or if it does not exist here, as in a sandbox.
    private static func home(of account: Account, _ location: PreferencesLocation, _ root: Root) -> String? {
        guard !account.home.isEmpty else { return nil }
        // Nearly always the environment names the same home, and nothing is asked of the disk: nothing ever is by root
        // about another user's home, which may not answer.
        if PreferencesLocation.withoutTrailingSlashes(account.home) == location.home { return location.home }
        let status = try? root.status(account.home, followingLinks: true)
        return status?.kind == .directory ? account.home : nil
    }
}

extension UserSession {
    /// The entries of a domain that are to be set once when an application opens it next, and were not yet.
    ///
    /// Nothing is written. Marks that cannot be read count as none.
    package func pendingSetOnce(of domain: Key) -> [Key: ResolvedEntry] {
        guard resultant.setOnce[domain]?.isEmpty == false, machine.facts == nil else { return [:] }
        let own = (try? setOnceFile.marks()) ?? []
        return setOnceFile.pending(of: domain, resultant, own: own, adopts: false).entries
    }

    /// Writes what is to be set once in a domain, before another write to it, which then comes later.
    ///
    /// - Returns: why it could not be done, in a sentence, or `nil`; and the damaged files that were set aside.
    func storeSetOnce(of domain: Key) -> (problem: String?, damaged: [DamagedFile]) {
        guard resultant.setOnce[domain]?.isEmpty == false else { return (nil, []) }
        var damaged: [DamagedFile] = []
        let result = setOnceFile.apply(domain, resultant) { (values) throws(PreferencesError) in
            damaged += try preferences.modify(domain, host: .anyHost) { _ in values.mapValues(Optional.some) }.damaged
        } record: { entry, mark in
            var record = AuditRecord(setOnce: entry, mark)
            record.stamp(with: account)
            _ = reporter.report(record)
        }
        guard case .failed(_, let reason) = result else { return (nil, damaged) }
        return (SetOnceResult.sentence(about: domain, reason), damaged)
    }
}

extension UserSession {
    /// Reads the search list of an application.
    ///
    /// - Parameters:
    ///   - application: the application's domain; NSGlobalDomain has no other domain around it.
    ///   - suites: the suites, last added first.
    ///   - scope: `thisHost` for the forced layers and what the domain has for this host only.
    /// - Returns: every layer, in order, those without content included. A program's own arguments, languages and
    ///   registered defaults are unknown; what users have stored on another host is unknown too, and has no layers.
    package func searchList(application: Key, suites: [Key] = [], scope: HostScope = .anyHost) -> SearchList {
        let order = SearchOrder(ofOther: application, suites: suites, scope: scope)
        let layers = order.positions.compactMap { position -> SearchLayer? in
            switch position.kind {
            case .forced:
                SearchLayer(
                    .forced, domain: position.domain, entries: resultant.forced[position.domain],
                    seal: DomainSeal(of: position.domain, in: resultant))
            case .recommended:
                SearchLayer(.recommended, domain: position.domain, entries: resultant.recommended[position.domain])
            default: machine.facts == nil ? storedLayer(at: position) : nil
            }
        }
        return SearchList(layers: layers, constraints: resultant.constraints(in: order.forcingDomains))
    }

    /// Explains what an application finds under a key, layer by layer.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - application: the application's domain; NSGlobalDomain has no other domain around it.
    ///   - suites: the suites, last added first.
    /// - Returns: the layers, and which of them wins.
    package func explain(_ key: Key, in application: Key, suites: [Key] = []) -> Explanation {
        let domains = SearchOrder(ofOther: application, suites: suites).forcingDomains
        return Explanation(
            of: key, in: application, by: searchList(application: application, suites: suites),
            metadata: resultant.metadata(of: key, in: domains),
            waivers: resultant.waivers.filter { $0.waiver.key == key && domains.contains($0.waiver.domain) })
    }

    /// What policy says of a key that an application looks up.
    package func rule(of key: Key, application: Key) -> KeyRule {
        resultant.rule(of: key, in: SearchOrder(ofOther: application).forcingDomains)
    }

    /// Reads a stored domain: one of the user, or one of all users.
    private func storedLayer(at position: LayerPosition) -> SearchLayer {
        var stored: StoredDomain?
        var failure: PreferencesError?
        do throws(PreferencesError) {
            if let place = position.stored {
                stored = try preferences.read(place.domain, host: place.host)
            } else {
                stored = try shared.read(position.domain)
            }
        } catch {
            failure = error
        }
        let pending = position.stored?.host == .anyHost ? pendingSetOnce(of: position.domain) : [:]
        let new = pending.compactMapValues { resultant.setOnceValue(of: $0) }
        return SearchLayer(
            position.kind, domain: position.domain, values: (stored?.values ?? [:]).merging(new) { _, new in new },
            pending: pending.filter { new[$0.key] != nil },
            state: failure.map { .unreadable($0) } ?? (stored == nil ? .missing : .read),
            path: (stored?.path ?? expectedPath(of: position)).map { machine.root.display($0) })
    }

    /// The file that a stored domain would be written to; `nil` for a name that no file can have.
    private func expectedPath(of position: LayerPosition) -> String? {
        guard position.stored == nil else {
            return try? preferences.path(of: position.domain, host: position.stored?.host ?? .anyHost)
        }
        // The files of all users have the names that a user's own have.
        let own = try? preferences.path(of: position.domain, host: .anyHost)
        return own?.split(separator: "/").last.map { "\(SharedDefaults.directory)/\($0)" }
    }
}
