import Engine
import Platform
import Policy

/// A file that lies among the policy files and does not apply as it stands, and why.
struct SkippedText {
    /// The identifier of the policy; `nil` where the file never was one.
    let policy: String?
    /// The path beneath the root.
    let path: String
    /// Why, in words that begin after the file's name.
    let reason: String
    /// What of it is in force all the same; `nil` where nothing is.
    var inForce: LoadedFile.Source?
    /// Whether the file is not read at all.
    var isIgnored = false

    /// Every such file: those that do not apply to the user, those that are not in force as they stand, those that are
    /// not read.
    static func all(_ policies: PolicySet, _ resultant: ResultantSet) -> [SkippedText] {
        let skipped = resultant.skipped.map { SkippedText(policy: $0.policy, path: $0.file, reason: $0.reason) }
        let broken = policies.files.compactMap { file in
            PolicyNotes.note(about: file).map { note in
                SkippedText(
                    policy: file.policy?.identifier, path: file.path, reason: note,
                    inForce: file.isStandIn ? file.source : nil)
            }
        }
        let ignored = policies.ignored.map { file in
            SkippedText(policy: nil, path: file.path, reason: file.reason, isIgnored: true)
        }
        return skipped + broken + ignored
    }
}
