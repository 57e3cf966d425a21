import ManagedDefaults

/// A browser without pages: it shows its settings, marks those that an administrator manages, and changes one.
@main
struct ClassroomBrowser {
    /// The domain of the browser's settings.
    static let domain = "org.example.Browser"

    /// Runs the program.
    static func main() async {
        ManagedDefaults.Manifest.browser.printIfAsked()
        do {
            let request = try Request(CommandLine.arguments)
            let defaults = try open(request)
            print("Settings of the classroom browser\n")
            for control in Control.all { control.show(defaults) }
            if let change = request.change { apply(change, to: defaults) }
            if request.follows { await follow(defaults) }
            for problem in defaults.drainProblems() { print("\nnote: \(problem)") }
        } catch {
            print("classroom-browser: \(error)")
        }
    }

    /// The defaults of this program, on this machine or on one that is represented by a folder.
    static func open(_ request: Request) throws -> ManagedDefaults {
        guard let root = request.root else {
            try ManagedDefaults.identify(as: domain)
            return .standard
        }
        return try ManagedDefaults(root: root, user: request.user, application: domain)
    }

    /// Prints settings as they change: by this program, by another one, by the administrator.
    static func follow(_ defaults: ManagedDefaults) async {
        print("\nWatching; Control-C ends it.")
        await withTaskGroup { group in
            for control in Control.all { group.addTask { await control.follow(defaults) } }
        }
    }

    /// Changes a setting and prints the outcome.
    static func apply(_ change: Request.Change, to defaults: ManagedDefaults) {
        print("\nSetting \(change.key) to \(change.value)")
        guard let control = Control.all.first(where: { $0.name == change.key }) else {
            return print("  There is no such setting.")
        }
        switch control.set(change.value, defaults) {
        case .stored: print("  Stored.")
        case .unchanged: print("  It has this value already.")
        case .refused(let entry): print("  Refused. \(entry.message)")
        case .shadowed(let entry): print("  Stored, but without effect. \(entry.message)")
        case .clamped(let clamped): print("  Stored as far as it is allowed. \(clamped.allowedValues.entry.message)")
        case .disallowed(let allowed): print("  Refused. \(allowed.entry.message)")
        case .invalid(let reason): print("  Not stored. \(reason)")
        case .unavailable(let reason): print("  Not stored. \(reason)")
        case nil: print("  That is no value of this setting.")
        }
        if !defaults.synchronize() { print("  It could not be saved.") }
    }
}
