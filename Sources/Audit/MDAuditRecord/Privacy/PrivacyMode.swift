package import MDPlatform

/// Whether records name people, as the administrator says in `/etc/managed-defaults/audit.json`.
package enum PrivacyMode: Hashable, Sendable {
    /// Records name people.
    case open
    /// Records have pseudonyms in place of people, and no value that was tried.
    case pseudonymous
    /// The file is there and cannot be used, for this reason, a clause, which goes away by what a sentence says: records are
    /// stored as with ``pseudonymous``, because a name that is stored cannot be taken back.
    case unknown(String, remedy: String)

    /// The file, under the root.
    package static let path = AuditSettings.path

    /// Whether records have pseudonyms.
    package var isPseudonymous: Bool { self != .open }

    /// Reads the file; without one, records name people.
    package init(of root: Root) {
        let settings = AuditSettings(of: root)
        self =
            settings.problem.map { .unknown($0, remedy: settings.remedy) }
            ?? (settings.isPseudonymous ? .pseudonymous : .open)
    }
}
