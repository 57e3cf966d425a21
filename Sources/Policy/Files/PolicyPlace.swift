package import Platform

/// The two places where policy files lie; the raw value names a place in the store.
package enum PolicyPlace: String, Hashable, Sendable, CaseIterable {
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
    package var directory: String {
        switch self {
        case .etc: "/etc/managed-defaults/policies.d"
        case .run: "/run/managed-defaults/policies.d"
        }
    }

    /// The names in the directory, and what is allowed and yet worth saying of it.
    ///
    /// - Throws: where it is not there, not trusted, or something else has its name.
    package func listing(in root: Root) throws(TrustError) -> (names: [String], warnings: [String]) {
        let directory = try DirectoryListing.open(self, root: root)
        return (try directory.names(), directory.warnings)
    }

    /// The path of a file.
    func path(_ name: String) -> String { "\(directory)/\(name)" }

    /// Whether a machine has one of the directories, or that of the record, and with it policy.
    ///
    /// Three system calls; what cannot be asked about counts as policy.
    package static func isAny(in root: Root) -> Bool {
        root.mayHave(PolicyPlace.etc.home) || root.mayHave(PolicyPlace.run.home) || root.mayHave(StorePath.home)
    }
}
