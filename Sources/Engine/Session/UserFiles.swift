package import Audit
package import Platform
import Policy
package import Preferences

/// Where one user's settings are on one machine, and where records of the user's programs go.
package struct UserFiles: Sendable {
    /// The user's own domains.
    package let preferences: PreferencesDirectory
    /// The domains of all users.
    package let shared: SharedDefaults
    /// Where records go.
    package let reporter: AuditReporter
    /// The folder of what the user's programs keep: the spool of records, the marks of what was set once.
    ///
    /// It is in the home that the user database names; for a user without one, or who is unknown, in `$HOME`.
    package let stateDirectory: String

    /// Finds the files of a user.
    package init(of account: Account, on machine: PolicyMachine) {
        let environment = Environment.values(of: ["HOME", "XDG_CONFIG_HOME"])
        let location = PreferencesLocation(of: account, root: machine.root, environment: environment)
        preferences = PreferencesDirectory(
            root: machine.root, directory: location.directory, machineID: Machine.machineID(root: machine.root),
            owner: location.owner, home: location.home)
        shared = SharedDefaults(root: machine.root, isPresent: machine.isManaged)
        // In a user namespace the account is that of an id which its maker chose.
        let origin = machine.isForeign ? RecordOrigin(host: machine.host.short) : nil
        let home = origin == nil ? UserFiles.home(of: account, location, machine.root) : nil
        stateDirectory = (home ?? location.home) + UserFiles.stateFolder
        setOnceFile = SetOnceFile(
            root: machine.root, home: origin == nil ? account.home : "", spare: stateDirectory)
        reporter = AuditReporter(
            root: machine.root, stateDirectory: stateDirectory, isHomeKnown: home != nil, origin: origin)
    }

    /// What was set once before.
    package let setOnceFile: SetOnceFile

    /// The folder of ``stateDirectory`` in a home.
    private static let stateFolder = "/.local/state/managed-defaults"

    /// The home that the user database names, whatever the environment says: root's report looks there.
    ///
    /// - Returns: `nil` where the database names none, or what it names is not here, as in a sandbox.
    private static func home(of account: Account, _ location: PreferencesLocation, _ root: Root) -> String? {
        guard !account.home.isEmpty else { return nil }
        // Nearly always the environment names the same home, and nothing is asked of the disk.
        if account.home == location.home { return account.home }
        let status = try? root.status(account.home, followingLinks: true)
        return status?.kind == .directory ? account.home : nil
    }
}
