package import Platform
package import Policy
import PropertyList

/// Policy as the programs of a machine's users see it.
///
/// What not everybody can read is in force for others as it was recorded before, whatever root reads in it now. To be asked
/// by whoever reads all of it; for anybody else it is as this process sees it.
package struct PolicyViews {
    /// The machine.
    private let machine: PolicyMachine
    /// What the kernel says of each directory and file of policy that not everybody can read.
    private let closed: [FileStatus]
    /// What was found for whoever has the same rights to all of that.
    private var known: [[UInt32]: PolicySet] = [:]

    /// Looks what of a machine's policy is closed to some.
    package init(of machine: PolicyMachine) {
        self.machine = machine
        let root = machine.root
        guard machine.isManaged, machine.facts == nil, PolicyStore(root: root).mayWrite else {
            closed = []
            return
        }
        closed = LintAccess.closed(machine.policies.files, root: root).compactMap { path in
            try? root.status(path, followingLinks: true)
        }
    }

    /// What policy leaves for a user's programs, with what manifests say of keys.
    package mutating func resultant(for account: Account) -> ResultantSet {
        if closed.isEmpty { return machine.describedResultant(for: account) }
        let groups = [account.gid] + machine.content.groups(of: account)
        return machine.describedResultant(
            for: account, by: policies(for: FileReader(uid: account.uid, groups: groups)))
    }

    /// Why nobody can tell what is forced on a user, as a clause; `nil` where it can be told.
    package mutating func uncertainty(for account: Account) -> String? {
        if closed.isEmpty { return machine.uncertainty }
        let groups = [account.gid] + machine.content.groups(of: account)
        return machine.uncertainty ?? policies(for: FileReader(uid: account.uid, groups: groups)).uncertainty
    }

    /// The policy of those whom nothing but the rights of everybody lets read.
    package mutating func everybody() -> PolicySet {
        if closed.isEmpty { return machine.policies }
        // An id that no user has.
        let set = policies(for: FileReader(uid: .max, groups: []))
        let seen = Set(set.files.map { Key($0.path) })
        let unseen = machine.policies.files.filter { !seen.contains(Key($0.path)) }.map { file in
            LoadedFile(
                path: file.path, source: .none, policy: nil, trusted: file.trusted, valid: file.valid,
                linkTarget: file.linkTarget, isRecorded: false, diagnostics: file.diagnostics)
        }
        return unseen.isEmpty ? set : set.with((set.files + unseen).sorted { $0.name < $1.name })
    }

    /// The policy that somebody's programs obey.
    private mutating func policies(for reader: FileReader) -> PolicySet {
        let rights = closed.map(reader.rights)
        if let set = known[rights] { return set }
        let store = PolicyStore(root: machine.root.read(as: reader), accounts: machine.accounts)
        let set = judged(store.load(renewing: false))
        known[rights] = set
        return set
    }

    /// The same policy, in which a file is current that is as the whole machine's policy has it now, and no other.
    private func judged(_ set: PolicySet) -> PolicySet {
        var current: [Key: LoadedFile] = [:]
        for file in machine.policies.files where file.source == .current { current[Key(file.path)] = file }
        return set.with(
            set.files.map { file in
                guard let policy = file.policy else { return file }
                if let own = current[Key(file.path)], own.policy?.digest == policy.digest { return own }
                return LoadedFile(
                    path: file.path, source: .lastGood, policy: policy, trusted: file.trusted, valid: file.valid,
                    signature: file.signature, linkTarget: file.linkTarget, isLost: file.isLost,
                    isRecorded: file.isRecorded, generation: file.generation, diagnostics: file.diagnostics)
            })
    }
}

extension PolicySet {
    /// The same set of other files.
    fileprivate func with(_ files: [LoadedFile]) -> PolicySet {
        PolicySet(
            files: files, ignored: ignored, problems: problems, isManaged: isManaged, names: names, tags: tags,
            recordedHostName: recordedHostName, uncertainty: uncertainty)
    }
}

extension LoadedFile {
    /// Its name, which decides when it is applied.
    fileprivate var name: Key { Key(path.split(separator: "/").last.map(String.init) ?? path) }
}
