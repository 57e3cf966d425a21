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
    /// What it was read from.
    let kind: Kind

    /// What one side can be.
    enum Kind {
        /// A generation, which may well have been without files.
        case generation
        /// A machine, which may well be without policy.
        case machine
        /// A directory of policy files, or one file.
        case files
    }

    /// Reads what a word means.
    ///
    /// - Throws: exit 4 for a generation that does not exist, and for what cannot be read: exit 1 says that something
    ///   differs.
    init(_ word: String, _ machine: PolicyMachine, for verb: any Verb.Type) throws(Failure) {
        let accounts = machine.accounts
        let isNumber = !word.isEmpty && word.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        if isNumber {
            kind = .generation
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
            let status = try Root.system.status(path, followingLinks: true)
            if status.kind == .directory {
                // However it is written: the top of the machine is a machine, and no folder of policy files.
                let top = try Root.system.status("/", followingLinks: true)
                let isSystem = status.device == top.device && status.inode == top.inode
                let folder = isSystem ? Root.system : try Root(directory: path)
                let store = PolicyStore(root: folder, accounts: accounts, accountsDecide: !machine.root.isSystem)
                if isSystem || store.isManaged {
                    set = store.load()
                    (root, kind) = (folder, .machine)
                    return
                }
            }
            set = try ComparedPolicy.sources(at: path, machine.root, accounts)
            (root, kind) = (.system, .files)
        } catch {
            throw .of(error)
        }
    }

    /// The policy files of a directory, or of the `policies.d` in one that has none itself, as a checkout has it; or one
    /// file.
    private static func sources(
        at path: String, _ root: Root, _ accounts: AccountDatabase
    ) throws(SystemError) -> PolicySet {
        let set = try PolicySet.ofSources(at: path, root: root, accounts: accounts)
        guard set.files.isEmpty else { return set }
        let inner = "\(path)/policies.d"
        do throws(SystemError) {
            guard try Root.system.status(inner, followingLinks: true).kind == .directory else { return set }
            return try PolicySet.ofSources(at: inner, root: root, accounts: accounts)
        } catch {
            if error.isMissing { return set }
            throw error
        }
    }

    /// Refuses a policy of which a part cannot be read: the answer would be wrong without a word.
    func requireWholeness() throws(Failure) {
        if let reason = set.uncertainty {
            throw Failure(code: .inputOutput, message: "\(Printable.escape(root.path)) cannot be read: \(reason).")
        }
        let broken = set.files.filter { $0.policy == nil }.flatMap(\.diagnostics).first { $0.severity == .error }
        guard let broken else { return }
        throw Failure(code: .badInput, message: Printable.escape("\(broken)."))
    }
}
