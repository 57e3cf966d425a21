import Platform
package import PropertyList

/// A policy file: what lies under its name, and what of it is in force.
///
/// A class, so that whoever picks files out copies one reference and not a score of fields.
package final class LoadedFile: Sendable {
    /// What of a file is in force; the raw value is what `policy list --json` prints as `inForce`.
    package enum Source: String, Sendable, Hashable {
        /// The file as it is now.
        case current
        /// The recorded copy, because the file cannot be used as it is now.
        case lastGood = "last good"
        /// The recorded copy of a file that is not there any more, until `policy apply` records that.
        case removed
        /// Nothing: the file cannot be used, and nothing is recorded of it.
        case notRecorded = "not recorded yet"
        /// Nothing: the file cannot be used, and that is recorded.
        case none = "no"
    }

    /// The path beneath the root.
    package let path: String
    /// The name in its directory.
    package let name: Key
    /// Which directory; `nil` for a file that is not of a machine.
    let place: PolicyPlace?
    /// What of it is in force.
    package let source: Source
    /// The policy that is in force; `nil` if nothing is.
    package let policy: PolicyFile?
    /// Whether a copy of what is in force is stored.
    package let isRecorded: Bool
    /// Whether the copy of what was in force cannot be used, so that what the file forces is unknown.
    package let isLost: Bool
    /// What lies under the name; `nil` if nothing does, or only the record counts.
    let content: SourceFile?
    /// What is wrong with the file, and what follows.
    package let diagnostics: [Diagnostic]

    /// Whether the file as it is now belongs to root alone.
    package var trusted: Bool { content?.trusted ?? true }
    /// Whether the file as it is now could be read and parsed.
    package var valid: Bool { content.map { $0.policy != nil } ?? (policy != nil) }
    /// Who signed the file, as far as that is known.
    package var signature: SignatureState { content?.signature ?? .none }
    /// Where the name leads that is a link; `nil` for a file.
    package var linkTarget: String? { content?.linkTarget }
    /// The mode of the file as it is now; `nil` if it could not be read.
    var mode: UInt32? { content?.status?.mode }

    /// Whether something else than the file as it is now is in force of it.
    package var isStandIn: Bool { source == .lastGood || source == .removed }

    /// Makes a file that lies in a directory.
    init(
        _ place: PolicyPlace, _ content: SourceFile, source: Source, policy: PolicyFile?, isRecorded: Bool,
        isLost: Bool = false, diagnostics: [Diagnostic] = []
    ) {
        (path, name, self.place) = (content.path, content.name, place)
        (self.source, self.policy, self.isRecorded, self.isLost) = (source, policy, isRecorded, isLost)
        self.content = content
        self.diagnostics =
            content.diagnostics + diagnostics
            + LoadedFile.consequence(source, isLost: isLost, shown: content.shown)
    }

    /// Makes a file that only the record has.
    init(
        _ place: PolicyPlace, name: Key, source: Source, policy: PolicyFile?, isLost: Bool, shown: String,
        diagnostics: [Diagnostic]
    ) {
        (path, self.name, self.place) = (place.path(name.string), name, place)
        (self.source, self.policy, isRecorded, self.isLost) = (source, policy, true, isLost)
        content = nil
        self.diagnostics = diagnostics + LoadedFile.consequence(source, isLost: isLost, shown: shown)
    }

    /// Makes a file that is not of a machine.
    package init(path: String, policy: PolicyFile?, diagnostics: [Diagnostic]) {
        self.path = path
        name = Key(path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path)
        place = nil
        source = policy == nil ? .none : .current
        (self.policy, isRecorded, isLost, content) = (policy, false, false, nil)
        self.diagnostics = diagnostics
    }

    /// What follows from the state of a file, as a finding; none if it is in force as it is.
    private static func consequence(_ source: Source, isLost: Bool, shown: String) -> [Diagnostic] {
        switch source {
        case _ where isLost:
            [
                Diagnostic(
                    file: shown, code: .notInForce,
                    message: "the copy of what was in force of this file is lost, so what is forced is unknown")
            ]
        case .current: []
        case .lastGood:
            [
                Diagnostic(
                    file: shown, severity: .warning, code: .lastGood,
                    message: "the last good copy of this file stays in force until the file is mended, or removed and"
                        + " recorded")
            ]
        case .removed:
            [
                Diagnostic(
                    file: shown, severity: .warning, code: .lastGood,
                    message: "this file is not there; what was recorded of it stays in force until policy apply")
            ]
        case .notRecorded, .none:
            [
                Diagnostic(
                    file: shown, code: .notInForce,
                    message: "nothing of this file is in force: it cannot be used, and no copy of it was recorded")
            ]
        }
    }

    /// Whether a compiled table may speak for the file, because nothing but a change of it changes what is in force of it.
    var isStill: Bool { !isLost && (source != .current || isRecorded) }
}
