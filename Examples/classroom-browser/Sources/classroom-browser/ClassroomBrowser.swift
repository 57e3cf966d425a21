import ManagedDefaults

/// A browser without pages: it shows its settings, marks those that an administrator manages, and changes one.
@main
struct ClassroomBrowser {
    /// Runs the program.
    static func main() {
        do {
            let request = try Request(CommandLine.arguments)
            let defaults = try open(request)
            defaults.register(defaults: Setting.registered)
            print("Settings of the classroom browser\n")
            for setting in Setting.all { show(setting, in: defaults) }
            if let change = request.change { apply(change, to: defaults) }
            for problem in defaults.takeProblems() { print("\nnote: \(problem)") }
        } catch {
            print("classroom-browser: \(error)")
        }
    }

    /// The defaults of this program: of this machine, or of a folder that stands for one.
    static func open(_ request: Request) throws -> ManagedDefaults {
        guard let root = request.root else {
            ManagedDefaults.identify(as: Setting.domain)
            return .standard
        }
        return try ManagedDefaults(root: root, user: request.user, application: Setting.domain)
    }

    /// Prints a setting as a settings page would show it: a forced one is locked, with who manages it and why.
    static func show(_ setting: Setting, in defaults: ManagedDefaults) {
        let value = setting.text(in: defaults)
        guard let forced = defaults.forcedKey(setting.key) else {
            print("  [ ] \(setting.title): \(value)")
            return
        }
        print("  [locked] \(setting.title): \(value)")
        print("           managed by \(forced.policy)" + (forced.summary.isEmpty ? "" : ": \(forced.summary)"))
        if !forced.contact.isEmpty { print("           to have it changed, ask: \(forced.contact)") }
    }

    /// Changes a setting and says what became of it.
    static func apply(_ change: Request.Change, to defaults: ManagedDefaults) {
        print("\nSetting \(change.key) to \(change.value)")
        switch defaults.set(change.value, forKey: change.key) {
        case .stored: print("  Stored.")
        case .unchanged: print("  It has this value already.")
        case .refused(let forced): print("  Refused. \(forced.message)")
        case .shadowed(let forced): print("  Stored, but without effect. \(forced.message)")
        case .invalid(let reason): print("  Not stored. \(reason)")
        }
        if !defaults.synchronize() { print("  It could not be saved.") }
    }
}
