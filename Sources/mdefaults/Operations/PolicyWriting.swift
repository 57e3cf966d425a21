import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyStore

/// What the verbs that write policy have in common: the permission to do so, and options about generations.
enum PolicyWriting {
    /// Refuses to go on if this process may not write policy.
    ///
    /// - Parameters:
    ///   - store: the policy directories.
    ///   - action: what the verb does, for the message: `apply policy`.
    /// - Throws: exit 4 with who may.
    static func requirePermission(for store: PolicyStore, to action: String) throws(Failure) {
        guard !store.mayWrite else { return }
        if store.root.isSystem, UserNamespace.isForeign {
            throw Failure(
                code: .inputOutput,
                message: "This is a user namespace, and its policy that of the machine outside of it: only root there "
                    + "may \(action).")
        }
        let who = store.root.isSystem ? "root" : "the owner of \(Printable.escape(store.root.path))"
        throw Failure(code: .inputOutput, message: "Only \(who) may \(action).")
    }

    /// Parses `--keep`: how many generations history retains.
    static func retainedGenerations(_ arguments: inout Arguments) throws(Failure) -> Int {
        guard let word = try arguments.option("--keep") else { return GenerationStore.standardLimit }
        guard let number = Int(word), (1...GenerationStore.greatestLimit).contains(number) else {
            throw .usage("--keep takes a number from 1 to \(GenerationStore.greatestLimit).", of: arguments.verb)
        }
        return number
    }

    /// Parses the number of a generation.
    static func generation(_ word: String, of verb: any Verb.Type) throws(Failure) -> Int {
        guard let number = Int(word), number > 0 else {
            throw .usage("\(Printable.escape(word)) is not the number of a generation.", of: verb)
        }
        return number
    }
}
