import MDAuditClient
import MDAuditRecord
package import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
package import MDPolicyModel
import MDPolicyStore
import MDPrograms
import MDPropertyList

/// Puts temporary policy in force and takes it away, for `policy grant` and `policy exam`.
///
/// Each change is in the audit log before it is made, and is checked afterwards.
package struct TemporaryPolicyInstaller {
    /// The root of the machine.
    let root: Root
    /// The directory of temporary policy.
    let store: TemporaryPolicyStore
    /// The machine's policy directories and policy record.
    let policies: PolicyStore
    /// Whether the machine had a policy directory before.
    private let wasManaged: Bool

    init(root: Root) {
        self.root = root
        store = TemporaryPolicyStore(root: root)
        policies = PolicyStore(root: root)
        wasManaged = policies.isManaged
    }

    /// Puts an audit record of kind `grant` into the log.
    ///
    /// - Throws: exit 4 if it cannot be stored, because nothing is granted without a record.
    func record(
        _ note: String, by actor: TemporaryPolicyActor, policy: PolicyReference? = nil, domain: Key? = nil,
        key: Key? = nil
    ) throws(TemporaryPolicyError) {
        var record = AuditRecord(kind: .grant, src: .client, note: note)
        (record.uid, record.user) = (actor.uid, actor.user)
        (record.policy, record.domain, record.key) = (policy, domain, key)
        let delivery = AuditReporter(root: root, stateDirectory: nil).report(record)
        if case .stored = delivery { return }
        var reason = "The audit log could not be written."
        if case .lost(let why) = delivery { reason = why }
        throw TemporaryPolicyError(.inputOutput, "Nothing was changed, because it could not be recorded. \(reason)")
    }

    /// Puts files in force, all or none, and checks that they are.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - removed: the names of other files, which go at the same time.
    ///   - isLasting: whether they outlast the next boot.
    ///   - actor: the person who does it.
    ///   - notes: gets sentences for people.
    /// - Returns: the machine afterwards, and the files that were replaced.
    /// - Throws: exit 4 if they cannot be written; exit 1 if one of them is not in force, after all were removed again.
    func put(
        _ files: [TemporaryPolicy], removing removed: [String] = [], isLasting: Bool, by actor: TemporaryPolicyActor,
        _ notes: inout [String]
    ) throws(TemporaryPolicyError) -> (machine: PolicyInForce, replaced: TemporaryPolicyStore.Replaced) {
        let replaced: TemporaryPolicyStore.Replaced
        do throws(SystemError) {
            replaced = try policies.putTemporary(files, removing: removed, isLasting: isLasting)
        } catch {
            throw TemporaryPolicyError(.inputOutput, "Nothing was put in force: \(error).")
        }
        let machine = reopened(&notes)
        for file in files {
            let loaded = machine.policies.files.first { Key($0.path) == Key(file.path) }
            if let loaded, loaded.source == .current, loaded.policy?.digest == file.digest { continue }
            let ignored = machine.policies.ignored.first { Key($0.path) == Key(file.path) }?.reason
            let reason = loaded.flatMap(PolicyNotes.note) ?? ignored.map { "\(file.path) \($0)." } ?? "It is not read."
            try withdraw(replaced, &notes)
            // The log already has the record of the attempt.
            try record("Nothing was put in force. \(reason)", by: actor)
            throw TemporaryPolicyError(.refused, "Nothing was put in force. \(Printable.escape(reason))")
        }
        return (machine, replaced)
    }

    /// Refuses to let the next boot end what was started to outlast it.
    ///
    /// - Parameters:
    ///   - names: the names of the files that are to be replaced.
    ///   - what: what they are, as the beginning of a sentence.
    /// - Throws: the refusal, or why it is unknown.
    func requireEphemeral(_ names: [String], _ what: String) throws(TemporaryPolicyError) {
        var isLasting = false
        do throws(SystemError) {
            for name in names where !isLasting { isLasting = try store.isLasting(name) }
        } catch {
            throw TemporaryPolicyError(.inputOutput, "Nothing was changed: \(error).")
        }
        if !isLasting { return }
        throw TemporaryPolicyError(
            .refused, "Nothing was changed: \(what) is in force beyond the next boot; end it first.")
    }

    /// Removes files again, and restores those that they replaced.
    func withdraw(_ replaced: TemporaryPolicyStore.Replaced, _ notes: inout [String]) throws(TemporaryPolicyError) {
        do throws(SystemError) {
            try policies.putBackTemporary(replaced)
        } catch {
            throw TemporaryPolicyError(.inputOutput, "What was put in force could not be taken away: \(error).")
        }
        try end(replaced.added, "What was put in force")
        _ = reopened(&notes)
    }

    /// Lists the files of temporary policy, also those that are in force although they are missing or unreadable, in byte
    /// order of their names.
    package static func files(_ machine: PolicyInForce) throws(TemporaryPolicyError) -> [(
        name: String, policy: PolicyFile
    )] {
        var files: [(name: String, policy: PolicyFile)]
        do throws(SystemError) {
            files = try TemporaryPolicyStore(root: machine.root).files()
        } catch {
            throw TemporaryPolicyError(.inputOutput, "Temporary policy cannot be listed: \(error).")
        }
        let known = Set(files.map { Key($0.name) })
        let folder = "\(TemporaryPolicy.directory)/"
        for policy in machine.policies.files.compactMap(\.policy)
        where policy.temporary != nil && policy.path.utf8.starts(with: folder.utf8) {
            let name = String(Substring(policy.path.utf8.dropFirst(folder.utf8.count)))
            if !known.contains(Key(name)) { files.append((name, policy)) }
        }
        return files.sorted { Key($0.name) < Key($1.name) }
    }

    /// Removes files, and records that they are no longer in force.
    ///
    /// - Parameters:
    ///   - names: the names of the files.
    ///   - what: what ends by that, as the beginning of a sentence.
    /// - Throws: if a file cannot be removed, or its removal not recorded.
    func end(_ names: [String], _ what: String) throws(TemporaryPolicyError) {
        let recorder = PolicyChangeRecorder(root: root)
        do throws(TemporaryEndError) {
            try policies.endTemporary(names) { recorder.record($0) }
        } catch {
            switch error {
            case .notRemoved(let cause):
                throw TemporaryPolicyError(.inputOutput, "\(what) could not be ended: \(cause).")
            case .notRecorded(let cause):
                let list = names.map { Printable.escape(root.display("\(TemporaryPolicy.directory)/\($0)")) }
                throw TemporaryPolicyError(
                    .inputOutput, "\(list.joined(separator: ", ")): removed, in force until `policy apply`: \(cause).")
            }
        }
    }

    /// Records what changed, and opens the machine again.
    ///
    /// A change that could not be recorded is in force nevertheless, and the next `policy apply` records it.
    private func reopened(_ notes: inout [String]) -> PolicyInForce {
        let recorder = PolicyChangeRecorder(root: root)
        do throws(SystemError) {
            try policies.record { recorder.record($0) }
        } catch {
            notes.append("\(Printable.escape(error.description)).")
        }
        // What common settings are for programs counts as well.
        let machine = PolicyMachine(root: root, expanding: .commonSettings(of: root)).policy()
        _ = machine.policies
        return machine
    }

    /// A sentence if running programs do not notice the change; `nil` if they do.
    var note: String? {
        wasManaged
            ? nil
            : "This machine had no policy before: programs that are running learn of it when they start the next time."
    }

    /// Writes the policy that the machine has now into the files of other programs.
    func writePrograms() -> Result<MachinePrograms.Outcome, ProgramsError> {
        let machine = PolicyMachine(root: root, expanding: .commonSettings(of: root)).policy()
        let programs = MachinePrograms(machine: machine)
        return Result { () throws(ProgramsError) in try programs.write() }
    }
}
