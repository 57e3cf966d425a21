import ManagedDefaults

/// One line of the settings page.
struct Control: Sendable {
    /// The setting's key.
    let name: String
    /// Prints the setting; a forced one as locked, with its policy, the purpose and the contact.
    let show: @Sendable (ManagedDefaults) -> Void
    /// Prints the setting after each change, until the task is cancelled.
    let follow: @Sendable (ManagedDefaults) async -> Void
    /// Changes the setting to the text that a user typed; `nil` if that is no value of it.
    let set: @Sendable (String, ManagedDefaults) -> ManagedDefaults.WriteOutcome?

    /// Makes a line for a setting of any type.
    init<Value: Sendable>(
        _ title: String, _ key: ManagedDefaults.Key<Value>, text: @escaping @Sendable (Value) -> String,
        value: @escaping @Sendable (String) -> Value?
    ) {
        name = key.name
        show = { defaults in
            let setting = defaults.setting(for: key)
            Control.show(title, text(setting.value), forcedBy: setting.forcedEntry)
        }
        follow = { defaults in
            // The first one is how the setting is now.
            for await setting in defaults.settings(for: key).dropFirst() {
                Control.show(title, text(setting.value), forcedBy: setting.forcedEntry)
            }
        }
        set = { typed, defaults in value(typed).map { defaults.set($0, for: key) } }
    }

    /// Prints a line.
    private static func show(_ title: String, _ value: String, forcedBy entry: ManagedDefaults.PolicyEntry?) {
        guard let entry else { return print("  [ ] \(title): \(value)") }
        print("  [locked] \(title): \(value)")
        print("           managed by \([entry.policy, entry.summary].compactMap(\.self).joined(separator: ": "))")
        if let contact = entry.contact { print("           to have it changed, ask: \(contact)") }
    }

    /// Makes a line for a text.
    init(_ title: String, _ key: ManagedDefaults.Key<String>) {
        self.init(title, key, text: { $0 }, value: { $0 })
    }

    /// Makes a line for a switch.
    init(_ title: String, _ key: ManagedDefaults.Key<Bool>) {
        self.init(title, key, text: { $0 ? "on" : "off" }, value: { ["on": true, "off": false][$0] })
    }

    /// The settings page.
    static let all = [
        Control("Home page", .homePage),
        Control("Search engine", .searchEngine),
        Control("Downloads go to", .downloadFolder),
        Control("Proxy", .proxy, text: { $0 ?? "none" }, value: { .some($0 == "none" ? nil : $0) }),
        Control("Private browsing", .privateBrowsing),
        Control("Bookmarks bar", .showsBookmarksBar),
        Control("Zoom", .zoom, text: { "\(Int(($0 * 100).rounded())) %" }, value: { Double($0) }),
    ]
}
