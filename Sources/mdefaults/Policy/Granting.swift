import Audit
import Engine
import Platform
import Policy
import PropertyList

/// What `policy grant` and `policy exam` have in common: who acts, the record, and the look at what came of it.
struct Granting {
    /// The root of the machine.
    let root: Root
    /// Where the files go.
    let store: TemporaryPolicyStore
    /// The machine's policy.
    let policies: PolicyStore
    /// Whether the machine had any policy directory before.
    private let wasManaged: Bool

    /// Opens the machine of a command line.
    ///
    /// - Throws: exit 4 where this process may not put policy in force.
    init(_ context: Context, _ what: String) throws(Failure) {
        root = try context.root()
        store = TemporaryPolicyStore(root: root)
        policies = PolicyStore(root: root)
        wasManaged = policies.isManaged
        try PolicyApplyVerb.requireWriter(policies, what)
    }

    /// Who acts, by name where there is one: whoever logged in, whatever became of the process since.
    ///
    /// Where the kernel does not say, as in a container, root's own word for it is taken: what sudo put into the
    /// environment.
    static func actor(_ machine: PolicyMachine) -> String {
        /// The name of an id.
        func name(_ uid: UInt32) -> String { machine.accounts.account(uid: uid)?.name ?? "uid \(uid)" }
        let uid = CurrentProcess.uid
        if let login = CurrentProcess.loginUID { return login == uid ? name(uid) : "\(name(login)) as \(name(uid))" }
        guard uid == 0, let word = Environment.values(of: ["SUDO_UID"])["SUDO_UID"], let caller = UInt32(word),
            caller != uid
        else { return name(uid) }
        return "\(name(caller)), by sudo, as \(name(uid))"
    }

    /// Puts a record of kind `grant` into the audit log.
    ///
    /// - Throws: exit 4 where it cannot be stored: nothing is granted in silence.
    func record(
        _ note: String, machine: PolicyMachine, policy: PolicyReference? = nil, domain: Key? = nil, key: Key? = nil
    ) throws(Failure) {
        var record = AuditRecord(kind: .grant, src: .client, note: note)
        record.uid = CurrentProcess.uid
        record.user = machine.accounts.account(uid: CurrentProcess.uid)?.name
        (record.policy, record.domain, record.key) = (policy, domain, key)
        let delivery = AuditReporter(root: root, stateDirectory: nil).report(record)
        if case .stored = delivery { return }
        var reason = "The audit log could not be written."
        if case .lost(let why) = delivery { reason = why }
        throw Failure(code: .inputOutput, message: "Nothing was changed, because it could not be recorded. \(reason)")
    }

    /// Puts files in force, all or none, and looks whether they are.
    ///
    /// - Returns: the machine as it is then, and what lay there before.
    /// - Throws: exit 4 where they cannot be written; exit 1 where one of them is not in force, after all were taken
    ///   away again.
    func put(
        _ files: [TemporaryPolicy], _ context: Context
    ) throws(Failure) -> (machine: PolicyMachine, replaced: TemporaryPolicyStore.Replaced) {
        let replaced: TemporaryPolicyStore.Replaced
        do throws(SystemError) {
            replaced = try store.put(files)
        } catch {
            throw Failure(code: .inputOutput, message: "Nothing was put in force: \(error).")
        }
        let machine = try renewed(context)
        for file in files {
            let loaded = machine.policies.files.first { Key($0.path) == Key(file.path) }
            if let loaded, loaded.source == .current, loaded.policy?.digest == file.digest { continue }
            let ignored = machine.policies.ignored.first { Key($0.path) == Key(file.path) }?.reason
            let reason = loaded.flatMap(PolicyNotes.note) ?? ignored.map { "\(file.path) \($0)." } ?? "It is not read."
            try withdraw(replaced, context)
            // The record of what was about to happen stands in the log already.
            try record("Nothing was put in force. \(reason)", machine: machine)
            throw Failure(code: .no, message: "Nothing was put in force. \(Printable.escape(reason))")
        }
        return (machine, replaced)
    }

    /// Takes files away again, and puts back what lay there before.
    func withdraw(_ replaced: TemporaryPolicyStore.Replaced, _ context: Context) throws(Failure) {
        do throws(SystemError) {
            try store.putBack(replaced)
        } catch {
            throw Failure(code: .inputOutput, message: "What was put in force could not be taken away: \(error).")
        }
        try recordRemoval(of: replaced.added)
        _ = try renewed(context)
    }

    /// The files of temporary policy that are there, and those that are in force although they cannot be read, or are not
    /// there; in byte order of their names.
    static func files(_ machine: PolicyMachine) throws(Failure) -> [(name: String, policy: PolicyFile)] {
        var files: [(name: String, policy: PolicyFile)]
        do throws(SystemError) {
            files = try TemporaryPolicyStore(root: machine.root).files()
        } catch {
            throw Failure(code: .inputOutput, message: "Temporary policy cannot be listed: \(error).")
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

    /// Takes files away, and records that they are in force no longer.
    ///
    /// - Parameters:
    ///   - names: the names of the files.
    ///   - what: what ends by that, as the beginning of a sentence.
    /// - Throws: exit 4 where a file cannot be removed, or its removal not recorded.
    func end(_ names: [String], _ what: String) throws(Failure) {
        do throws(SystemError) {
            for name in names { _ = try store.remove(name) }
        } catch {
            throw Failure(code: .inputOutput, message: "\(what) could not be ended: \(error).")
        }
        try recordRemoval(of: names)
    }

    /// Records that files are in force no longer.
    private func recordRemoval(of names: [String]) throws(Failure) {
        if names.isEmpty { return }
        let recorder = PolicyChangeRecorder(root: root)
        do throws(SystemError) {
            try policies.record(removing: names) { recorder.record($0) }
        } catch {
            let list = names.map { Printable.escape(root.display("\(TemporaryPolicy.directory)/\($0)")) }
            throw Failure(
                code: .inputOutput,
                message: "\(list.joined(separator: ", ")): removed, in force until `policy apply`: \(error).")
        }
    }

    /// The machine as it is now, with what changed recorded.
    ///
    /// What could not be recorded is in force all the same, and the next `policy apply` records it.
    func renewed(_ context: Context) throws(Failure) -> PolicyMachine {
        let recorder = PolicyChangeRecorder(root: root)
        do throws(SystemError) {
            try policies.record { recorder.record($0) }
        } catch {
            context.console.say("\(Printable.escape(error.description)).")
        }
        do {
            let machine = try PolicyMachine(folder: context.options.root)
            _ = machine.policies
            return machine
        } catch {
            throw Context.failure(error)
        }
    }

    /// What there is to say where running programs do not learn of it.
    var note: String? {
        wasManaged
            ? nil
            : "This machine had no policy before: programs that are running learn of it when they start the next time."
    }
}
