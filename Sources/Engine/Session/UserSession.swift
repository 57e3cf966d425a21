package import Audit
package import Platform
package import Policy
package import Preferences

/// One user of one machine: what policy leaves of their settings, where those are stored, and how attempts are recorded.
package struct UserSession: Sendable {
    /// The machine.
    package let machine: PolicyMachine
    /// The user.
    package let account: Account
    /// What policy says for the user.
    package let resultant: ResultantSet
    /// The user's own domains.
    package let preferences: PreferencesDirectory
    /// The domains of all users.
    package let shared: SharedDefaults
    /// Where records go.
    package let reporter: AuditReporter
    /// The folder of what the user's programs keep: the spool of records, the marks of what was set once.
    package let stateDirectory: String

    /// Opens the settings of a user.
    ///
    /// - Parameters:
    ///   - machine: the machine.
    ///   - account: the user.
    ///   - isDescribed: whether entries have what manifests say of their keys, which takes time to read.
    package init(machine: PolicyMachine, account: Account, isDescribed: Bool = false) {
        self.machine = machine
        self.account = account
        resultant = isDescribed ? machine.describedResultant(for: account) : machine.resultant(for: account)
        let environment = Environment.values(of: ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"])
        let location = PreferencesLocation(of: account, root: machine.root, environment: environment)
        preferences = PreferencesDirectory(
            root: machine.root, directory: location.directory, machineID: Machine.machineID(root: machine.root),
            owner: location.owner, home: location.home)
        shared = SharedDefaults(root: machine.root, isPresent: machine.isManaged)
        stateDirectory = UserSession.stateDirectory(of: account, machine, location, environment)
        reporter = AuditReporter(root: machine.root, stateDirectory: stateDirectory)
    }

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
