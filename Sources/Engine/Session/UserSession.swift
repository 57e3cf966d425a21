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
    /// Where the settings are.
    private let files: UserFiles

    /// Opens the settings of a user.
    ///
    /// - Parameters:
    ///   - machine: the machine.
    ///   - account: the user.
    ///   - resultant: what policy says for the user, where that is known; `nil` for what the machine says.
    package init(machine: PolicyMachine, account: Account, resultant: ResultantSet? = nil) {
        self.machine = machine
        self.account = account
        self.resultant = resultant ?? machine.resultant(for: account)
        files = UserFiles(of: account, on: machine)
    }

    /// The user's own domains.
    package var preferences: PreferencesDirectory { files.preferences }
    /// The domains of all users.
    package var shared: SharedDefaults { files.shared }
    /// The folder of what the user's programs keep: the spool of records, the marks of what was set once.
    package var stateDirectory: String { files.stateDirectory }
    /// Where records go.
    package var reporter: AuditReporter { files.reporter }
    /// What was set once before.
    package var setOnceFile: SetOnceFile { files.setOnceFile }
}
