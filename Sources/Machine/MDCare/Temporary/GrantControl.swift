import MDAuditRecord
package import MDEngine
package import MDPlatform
package import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPreferences
import MDPrograms
import MDPropertyList

/// Gives and revokes grants of a machine; callers decide about permission.
package struct GrantControl {
    private let machine: PolicyInForce
    private let installer: TemporaryPolicyInstaller

    /// - Parameter machine: the policy of the machine now.
    package init(machine: PolicyInForce) {
        self.machine = machine
        installer = TemporaryPolicyInstaller(root: machine.root)
    }

    /// A grant that was given.
    package struct Given: Sendable {
        package let grant: TemporaryPolicy.Grant
        package let end: Timestamp
        /// The end for people.
        package let until: String
        /// The path of the file for people.
        package let file: String
        /// Whether the value is not shown.
        package let isSensitive: Bool
        /// What was written for other programs, or why nothing could be.
        package let programs: Result<MachinePrograms.Outcome, ProgramsError>
        /// Sentences for people, escaped.
        package let notes: [String]
    }

    /// What was revoked.
    package struct Revoked: Sendable {
        /// The paths of the files that were removed, for people; empty if there were none.
        package let files: [String]
        /// What was written for other programs, or why nothing could be; `nil` if nothing was revoked.
        package let programs: Result<MachinePrograms.Outcome, ProgramsError>?
    }

    /// Gives a grant.
    ///
    /// - Parameters:
    ///   - request: the grant.
    ///   - end: its end, later than now.
    /// - Returns: what was given.
    /// - Throws: why it was not.
    package func give(_ request: GrantRequest, until end: Timestamp) throws(TemporaryPolicyError) -> Given {
        let (account, domain, key) = (request.account, request.domain, request.key)
        let grant = GrantControl.grant(request)
        let file: TemporaryPolicy
        do {
            file = try TemporaryPolicy(grant, until: end)
        } catch {
            throw TemporaryPolicyError(error)
        }
        if machine.moment.isClockBehind, let note = PolicyNotes.clockSentence(machine) {
            throw TemporaryPolicyError(.refused, "The grant would count as ended at once. \(note)")
        }
        // While policy is unknown, the effect of a grant is unknown too.
        if let reason = machine.knowledge.failure {
            throw TemporaryPolicyError(.inputOutput, PolicyKnowledge.sentence(of: reason))
        }
        try requireEffect(of: grant, for: account)
        try requireMeaning(of: file)
        if request.isUntilBoot { try installer.requireEphemeral([file.name], "This grant") }
        let before = machine.resultant(for: account)
        let until = machine.moment.words(for: end)
        let what = "\(domain.string) \(key.string)\(grant.value == nil ? "" : " with a value of its own")"
        try installer.record(
            "\(request.by.name) granted \(account.name) \(what) until \(until): \(request.reason)", by: request.by,
            policy: PolicyReference(id: grant.identifier, file: file.path, sha256: file.digest), domain: domain,
            key: key)
        var notes: [String] = []
        let (renewed, replaced) = try installer.put(
            [file], isLasting: !request.isUntilBoot, by: request.by, &notes)
        if let objection = objection(to: grant, file, account, renewed) {
            try installer.withdraw(replaced, &notes)
            try installer.record(
                "The grant of \(domain.string) \(key.string) to \(account.name) was taken back: \(objection)",
                by: request.by, domain: domain, key: key)
            throw TemporaryPolicyError(.refused, objection)
        }
        let programs = installer.writePrograms()
        if let note = installer.note { notes.append(note) }
        let isBound = before.decidingEntry(for: key, in: [domain]) != nil || before.constraints[domain]?[key] != nil
        if grant.value == nil, !isBound {
            notes.append(
                Printable.escape(
                    "Nothing forces, seals or constrains \(domain.string) \(key.string) for \(account.name) now; what"
                        + " does by then will not count."))
        }
        let after = renewed.resultant(for: account)
        notes += remains(of: grant, before, after)
        return Given(
            grant: grant, end: end, until: until, file: machine.root.display(file.path),
            isSensitive: after.isSensitive(key, in: [domain]), programs: programs, notes: notes)
    }

    /// Ends a grant.
    ///
    /// - Parameter request: the grant, whose value and reason are ignored.
    /// - Returns: what was revoked.
    /// - Throws: why it could not be revoked, or recorded.
    package func revoke(_ request: GrantRequest) throws(TemporaryPolicyError) -> Revoked {
        let grant = GrantControl.grant(request)
        let files = try TemporaryPolicyInstaller.files(machine).filter { grant.isGiven(by: $0.policy) }
        guard let first = files.first else { return Revoked(files: [], programs: nil) }
        // Without a log it ends all the same, and is said not to be recorded.
        try? installer.record(
            "\(request.by.name) stopped the grant of \(grant.domain.string) \(grant.key.string) to "
                + "\(grant.user.string)", by: request.by,
            policy: PolicyReference(id: first.policy.identifier, file: "\(TemporaryPolicy.directory)/\(first.name)"),
            domain: grant.domain, key: grant.key)
        try installer.end(files.map(\.name), "The grant")
        return Revoked(
            files: files.map { machine.root.display("\(TemporaryPolicy.directory)/\($0.name)") },
            programs: installer.writePrograms())
    }

    private static func grant(_ request: GrantRequest) -> TemporaryPolicy.Grant {
        TemporaryPolicy.Grant(
            user: Key(request.account.name), uid: request.account.uid, domain: request.domain, key: request.key,
            value: request.value, reason: request.reason, approvedBy: request.by.name,
            isEnforced: !request.by.isDelegate)
    }
}

extension GrantControl {
    /// Refuses a grant that would have no effect, because a name is probably misspelt: with a value, in a domain that
    /// nothing knows; without, of a key that no policy file binds for the user at any time.
    private func requireEffect(
        of grant: TemporaryPolicy.Grant, for account: Account
    ) throws(TemporaryPolicyError) {
        let (domain, key) = (grant.domain, grant.key)
        guard grant.value == nil else {
            guard let sentence = NameCheck.sentence(about: nil, in: domain, machine) else { return }
            let isShifted = NameCheck.sentence(about: nil, in: key, machine) == nil
            let words = "\(Printable.escape(key.string)) is a domain: a --reason of several words needs quotes."
            let hint = isShifted ? " \(words)" : ""
            throw TemporaryPolicyError(.refused, "The grant would have no effect. \(sentence)\(hint)")
        }
        let subject = machine.subject(for: account)
        let isBound = machine.policies.files.contains { file in
            guard let policy = file.policy, !policy.isGrant,
                policy.target?.mismatch(of: subject, names: machine.policies.names, inWords: false) == nil
            else { return false }
            return policy.seals.contains { $0.domain == domain }
                || policy.constraints.contains { $0.domain == domain && $0.key == key }
                || policy.entries.contains { entry in
                    entry.domain == domain && entry.key == key && (entry.level == .forced || entry.level == .absent)
                }
        }
        if isBound { return }
        let what = Printable.escape("\(domain.string) \(key.string) for \(account.name)")
        let sentence = NameCheck.sentence(about: key, in: domain, machine).map { " \($0)" } ?? ""
        throw TemporaryPolicyError(
            .refused,
            "The grant would have no effect: no policy file forces, seals or constrains \(what).\(sentence)")
    }

    /// Why a grant has no effect because another file decides the key nevertheless; `nil` if it has one.
    private func objection(
        to grant: TemporaryPolicy.Grant, _ file: TemporaryPolicy, _ account: Account, _ renewed: PolicyInForce
    ) -> String? {
        let winner: ResolvedEntry?
        if grant.value == nil {
            winner = renewed.decidingEntry(for: grant.key, in: [grant.domain, DomainName.global], of: account)
            if winner == nil { return nil }
        } else {
            winner = renewed.resultant(for: account).forced[grant.domain]?[grant.key]
            if Key(winner?.origin.file ?? "") == Key(file.path) { return nil }
        }
        let place = Printable.escape(
            winner.map { "\(renewed.root.display($0.origin.file)):\($0.origin.position)" } ?? "another policy file")
        let key = Printable.escape(grant.key.string)
        if grant.value != nil {
            return "The value would have no effect: \(place) decides this key. Without a value the grant frees the key."
        }
        if winner?.domain == DomainName.global, grant.domain != DomainName.global {
            return "The grant would have no effect: \(place) forces \(key) of NSGlobalDomain, for every application."
                + " Grant NSGlobalDomain \(key) first."
        }
        return "The grant would have no effect: \(place) forces the key all the same."
    }

    /// Refuses a grant of a common setting that does not exist, or of a value that it cannot have.
    private func requireMeaning(of file: TemporaryPolicy) throws(TemporaryPolicyError) {
        let policy = file.policy
        guard policy.hasCommonSettings else { return }
        let settings: CommonSettings
        do throws(CommonSettingsError) {
            settings = try CommonSettings(root: machine.root)
        } catch {
            throw TemporaryPolicyError(.inputOutput, Printable.escape("What this means is unknown: \(error)."))
        }
        guard let finding = settings.expanded(policy).findings.first(where: { $0.kind == .impossible }) else { return }
        let key = finding.key.map { " \($0.string)" } ?? ""
        throw TemporaryPolicyError(
            .refused,
            Printable.escape(
                "The grant would have no effect: \(CommonSettings.domain)\(key): \(finding.message)."))
    }

    /// The programs' keys that something else still decides for the user, as sentences.
    private func remains(
        of grant: TemporaryPolicy.Grant, _ before: ResultantSet, _ after: ResultantSet
    ) -> [String] {
        guard grant.domain == CommonSettings.domain else { return [] }
        let root = machine.root
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
