import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPrograms
import MDPropertyList

/// What a grant of a common setting is for programs.
extension PolicyGrantVerb {
    /// Refuses a grant of a setting that does not exist, or of a value that it cannot have.
    static func requireMeaning(of file: TemporaryPolicy, in root: Root) throws(Failure) {
        let policy = PolicyFile.parse(bytes: file.bytes, path: file.path).file
        guard let policy, policy.hasCommonSettings else { return }
        let settings: CommonSettings
        do throws(CommonSettingsError) {
            settings = try CommonSettings(root: root)
        } catch {
            throw Failure(code: .inputOutput, message: Printable.escape("What this means is unknown: \(error)."))
        }
        guard let finding = settings.expanded(policy).findings.first(where: { $0.kind == .impossible }) else { return }
        let key = finding.key.map { " \($0.string)" } ?? ""
        throw Failure(
            code: .no,
            message: Printable.escape(
                "The grant would have no effect: \(CommonSettings.domain)\(key): \(finding.message)."))
    }

    /// The programs' keys that something else still decides for the user, as sentences.
    static func remains(
        of grant: TemporaryPolicy.Grant, _ before: ResultantSet, _ after: ResultantSet, in root: Root
    ) -> [String] {
        guard grant.domain == CommonSettings.domain else { return [] }
        let settings = try? CommonSettings(root: root)
        let known = (grant.value == nil ? before : after).meanings(of: grant.key, in: grant.domain, by: settings)
        let left: [ResolvedEntry] =
            grant.value == nil
            ? known.compactMap { after.forcedEntry(domain: $0.entry.domain, key: $0.entry.key) }
            : known.filter { !$0.isInForce }.map(\.entry)
        return left.map { entry in
            Printable.escape(
                "\(entry.domain.string) \(entry.key.string) stays as \(root.display(entry.origin.file)):"
                    + "\(entry.origin.position) says.")
        }
    }
}
