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
    /// Whether policy has to be signed here to be obeyed.
    let demandsSignatures: Bool
    /// Whether the machine had any policy directory before.
    private let wasManaged: Bool

    /// Opens the machine of a command line.
    ///
    /// - Throws: exit 4 where this process may not put policy in force.
    init(_ context: Context, _ what: String) throws(Failure) {
        root = try context.root()
        store = TemporaryPolicyStore(root: root)
        let policies = PolicyStore(root: root)
        wasManaged = policies.isManaged
        try PolicyApplyVerb.requireWriter(policies, what)
        demandsSignatures = policies.demandsSignatures
    }

    /// The refusal of what is not signed where it has to be.
    ///
    /// - Parameter what: what is missing, as a clause.
    /// - Returns: exit 1.
    func unsigned(_ what: String) -> Failure {
        let list = Printable.escape(root.display(PolicyStore.trustedSignersPath))
        return Failure(
            code: .no,
            message: "Nothing was put in force. Policy has to be signed here, because there is \(list): \(what).")
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
        _ = try renewed(context)
    }

    /// The machine as it is now, with what changed recorded.
    func renewed(_ context: Context) throws(Failure) -> PolicyMachine {
        do {
            let machine = try PolicyMachine(folder: context.options.root, mayRenew: true)
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
