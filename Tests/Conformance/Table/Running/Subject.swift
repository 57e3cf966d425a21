/// Whom the table is run against.
package enum Subject: String, Sendable, CaseIterable {
    /// The class ManagedDefaults.
    case managed
    /// The subclass of Foundation's UserDefaults.
    case subclass
    /// Foundation's UserDefaults on Linux.
    case foundation
    /// GNUstep's NSUserDefaults.
    case gnustep

    /// The name in tables.
    package var title: String {
        switch self {
        case .managed: "ManagedDefaults"
        case .subclass: "ManagedDefaultsFoundation"
        case .foundation: "Foundation.UserDefaults"
        case .gnustep: "GNUstep NSUserDefaults"
        }
    }

    /// Whether it is this package's own: every row must pass then, and no wait may depend on a busy machine.
    package var isOurs: Bool {
        self == .managed || self == .subclass
    }
}
