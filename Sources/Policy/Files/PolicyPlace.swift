/// The two places where policy files lie; the raw value names a place in the store.
enum PolicyPlace: String, Hashable, Sendable, CaseIterable {
    /// The administrator's own.
    case etc
    /// Until the next boot.
    case run

    /// The directory whose existence says that the machine is managed.
    var home: String {
        switch self {
        case .etc: "/etc/managed-defaults"
        case .run: "/run/managed-defaults"
        }
    }

    /// The directory of the policy files.
    var directory: String {
        switch self {
        case .etc: "/etc/managed-defaults/policies.d"
        case .run: "/run/managed-defaults/policies.d"
        }
    }

    /// The path of a file.
    func path(_ name: String) -> String { "\(directory)/\(name)" }
}
