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
    package let stateDirectory: String

    /// Finds the files of a user.
    package init(of account: Account, on machine: PolicyMachine) {
        let environment = Environment.values(of: ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"])
        let location = PreferencesLocation(of: account, root: machine.root, environment: environment)
        preferences = PreferencesDirectory(
            root: machine.root, directory: location.directory, machineID: Machine.machineID(root: machine.root),
            owner: location.owner, home: location.home)
        shared = SharedDefaults(root: machine.root, isPresent: machine.isManaged)
        stateDirectory = UserFiles.stateDirectory(of: account, machine, location, environment)
        setOnceFile = SetOnceFile(root: machine.root, home: account.home, spare: stateDirectory)
        reporter = AuditReporter(
            root: machine.root, stateDirectory: stateDirectory, origin: machine.isForeign ? RecordOrigin(host: machine.host.short) : nil)
    }

    /// What was set once before.
    package let setOnceFile: SetOnceFile

    /// The folder of what the user's programs keep for the audit: `$XDG_STATE_HOME/managed-defaults`.
    ///
    /// As with preferences, the environment counts for the caller on this machine only.
    private static func stateDirectory(
        of account: Account, _ machine: PolicyMachine, _ location: PreferencesLocation, _ environment: [String: String]
    ) -> String {
        let isCaller =
            machine.root.isSystem && account.uid == CurrentProcess.uid && CurrentProcess.uid == CurrentProcess.euid
        if isCaller, let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            return state + "/managed-defaults"
        }
        return location.home + "/.local/state/managed-defaults"
    }
}
