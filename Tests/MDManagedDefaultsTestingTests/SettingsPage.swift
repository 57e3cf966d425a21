import ManagedDefaults
import Synchronization

/// A settings page as an application has one: the code under test.
final class SettingsPage: Sendable {
    /// What the page shows of one setting.
    struct Field: Equatable {
        /// The text in the field.
        var text: String
        /// Whether the user can change it.
        var isEnabled: Bool
        /// The text beside the field.
        var hint: String
    }

    /// The application's settings.
    private let defaults: ManagedDefaults
    /// The field of the home page.
    private let field: Mutex<Field>
    /// Keeps the page up to date.
    private let observation: Mutex<ManagedDefaults.Observation?> = Mutex(nil)

    /// Shows the settings.
    init(defaults: ManagedDefaults) {
        self.defaults = defaults
        defaults.register(defaults: ["HomePage": "about:blank"])
        field = Mutex(Field(text: "", isEnabled: true, hint: ""))
        show()
        let observation = defaults.observeChanges(forKey: "HomePage") { [weak self] _ in self?.show() }
        self.observation.withLock { $0 = observation }
    }

    /// What the home page's field shows.
    var homePage: Field { field.withLock { $0 } }

    /// The user enters a home page.
    func enterHomePage(_ text: String) -> String {
        switch defaults.set(text, forKey: "HomePage") {
        case .stored, .unchanged: "saved"
        case .shadowed(let entry): "kept for later: \(entry.policy ?? "")"
        case let outcome: outcome.message ?? ""
        }
    }

    /// Takes the present values over.
    private func show() {
        let forced = defaults.forcedEntry(forKey: "HomePage")
        let text = defaults.string(forKey: "HomePage") ?? ""
        field.withLock { field in
            field = Field(text: text, isEnabled: forced == nil, hint: forced.map { "Ask \($0.contact ?? "")" } ?? "")
        }
    }
}
