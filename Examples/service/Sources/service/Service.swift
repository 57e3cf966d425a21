import Configuration
import Logging
import ManagedConfiguration
import ManagedDefaults

/// A service without requests: it prints its configuration and where each value comes from.
///
///     service [--root DIR --user NAME] [--http-port N] [--http-host NAME]
@main
enum Service {
    /// The domain of its settings.
    static let domain = "org.example.Service"

    /// Runs the program.
    static func main() async throws {
        let flags = CommandLineArgumentsProvider()
        let environment = EnvironmentVariablesProvider()
        let own = ConfigReader(provider: flags)
        let defaults: ManagedDefaults
        if let root = own.string(forKey: "root") {
            defaults = try ManagedDefaults(root: root, user: own.string(forKey: "user"), application: domain)
        } else {
            try ManagedDefaults.identify(as: domain)
            defaults = .standard
        }
        let logger = Logger(label: domain)
        let problems = Task { await defaults.logProblems(to: logger) }
        // Forced keys are ahead of flags and environment, and the user's own settings behind them.
        let config = ConfigReader(providers: [
            ManagedDefaultsProvider(defaults, .forced), flags, environment,
            ManagedDefaultsProvider(defaults, .allDomains),
        ])
        show("http.host", config.string(forKey: "http.host", default: "localhost"))
        show("http.port", "\(config.int(forKey: "http.port", default: 8080))")
        show("proxy", config.string(forKey: "proxy") ?? "none")
        problems.cancel()
        await problems.value

        /// Prints a setting, and the policy that forces it.
        func show(_ key: String, _ value: String) {
            let policy = defaults.forcedEntry(forKey: key).map { " (forced by \($0.policy ?? $0.file))" } ?? ""
            print("\(key) = \(value)\(policy)")
        }
    }
}
