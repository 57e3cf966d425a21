import Engine
import Platform
import Policy
import PropertyList

/// One side of `policy diff`: a generation, a root, a directory or a file.
struct ComparedPolicy {
    /// What it holds.
    let set: PolicySet
    /// The root that its paths belong to.
    let root: Root
    /// Whether it is a generation, which may well have been without files.
    let isGeneration: Bool

    /// Reads what a word means.
    ///
    /// - Throws: exit 4 for a generation that does not exist, and for what cannot be read: exit 1 says that something
    ///   differs.
    init(_ word: String, _ machine: PolicyMachine, for verb: any Verb.Type) throws(Failure) {
        let accounts = machine.accounts
        isGeneration = !word.isEmpty && word.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        if isGeneration {
            let number = try PolicyRollbackVerb.generation(word, of: verb)
            do throws(TableError) {
                set = try PolicySet.ofGeneration(number, root: machine.root, accounts: accounts)
                root = machine.root
            } catch {
                let message = "\(error.description.prefix(1).uppercased())\(error.description.dropFirst())."
                throw Failure(code: .inputOutput, message: Printable.escape(message))
            }
            return
        }
        do throws(SystemError) {
            let path = try CallerPath.absolute(word)
            if try Root.system.status(path, followingLinks: true).kind == .directory {
                let folder = Key(path) == "/" ? Root.system : try Root(directory: path)
                let store = PolicyStore(root: folder, accounts: accounts, accountsDecide: !machine.root.isSystem)
                if store.isManaged {
                    set = store.load(renewing: false)
                    root = folder
                    return
                }
            }
            set = try PolicySet.ofSources(at: path, root: machine.root, accounts: accounts)
            root = .system
        } catch {
            throw .of(error)
        }
    }

    /// Refuses a policy of which a part cannot be read: the answer would be wrong without a word.
    func requireWholeness() throws(Failure) {
        if let reason = set.uncertainty {
            throw Failure(code: .inputOutput, message: "\(Printable.escape(root.path)) cannot be read: \(reason).")
        }
        let broken = set.files.filter { $0.source == .none }.flatMap(\.diagnostics).first { $0.severity == .error }
        guard let broken else { return }
        throw Failure(code: .badInput, message: Printable.escape("\(broken)."))
    }
}
