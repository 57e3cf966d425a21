import Platform
import PropertyList

extension CompiledTable {
    /// The bytes of the table for a look at the sources.
    ///
    /// - Parameters:
    ///   - set: the policy that was found.
    ///   - host: the host's name.
    ///   - tags: the words of the machine.
    ///   - witnesses: what the kernel said of everything that the look depended on.
    /// - Returns: `nil` where a table cannot say all that the sources say.
    static func compile(_ set: PolicySet, host: String, tags: Set<Key>, witnesses: [Witness]) -> [UInt8]? {
        let policies = set.files.compactMap(\.policy)
        guard policies.count == set.files.count, HostName(host) != nil else { return nil }
        var body = TableWriter()
        let witnessOffset = TableFormat.headerSize
        for witness in witnesses { witness.write(to: &body) }
        /// Where the next piece will stand in the table.
        func next() -> Int { TableFormat.headerSize + body.bytes.count }

        let restOffset = next()
        body.text(host)
        body.count(tags.count)
        for tag in tags.sorted() { body.text(tag.string) }

        var fileOffsets: [Int] = []
        for policy in policies {
            fileOffsets.append(next())
            guard write(policy, names: set.names, to: &body) else { return nil }
        }
        guard let groups = Group.all(of: policies) else { return nil }
        var groupOffsets: [Int] = []
        for group in groups {
            groupOffsets.append(next())
            group.write(to: &body)
        }
        let filesOffset = next()
        for offset in fileOffsets { body.count(offset) }
        let groupsOffset = next()
        for offset in groupOffsets { body.count(offset) }

        guard next() <= TableFormat.sizeLimit else { return nil }
        /// The header, with a checksum.
        func header(_ checksum: UInt64) -> [UInt8] {
            var header = TableWriter()
            header.raw(TableFormat.magic)
            header.word(TableFormat.version)
            header.count(next())
            header.long(checksum)
            for (count, offset) in [
                (witnesses.count, witnessOffset), (policies.count, filesOffset), (groups.count, groupsOffset),
            ] {
                header.count(count)
                header.count(offset)
            }
            header.count(restOffset)
            return header.bytes
        }
        return header(TableFormat.checksum(header(0) + body.bytes)) + body.bytes
    }

    /// Appends the head of a policy file; whether the table can speak for it.
    private static func write(_ policy: PolicyFile, names: NameTable, to body: inout TableWriter) -> Bool {
        body.text(policy.identifier)
        body.position(policy.identifierPosition)
        body.byte(policy.version == nil ? 0 : 1)
        if let version = policy.version { body.integer(version) }
        body.text(policy.summary)
        body.text(policy.contact)
        body.byte(policy.enforced ? 1 : 0)
        body.byte(policy.onOverride == .shadow ? 1 : 0)
        body.text(policy.path)
        body.raw(policy.digest.bytes)
        body.byte(policy.target == nil ? 0 : 1)
        guard let target = policy.target else { return true }
        let isIncludeKnown = body.clauses(target.include, names: names)
        return body.clauses(target.except, names: names) && isIncludeKnown
    }

    /// The entries of all files that compete for one key.
    private struct Group {
        /// The domain.
        let domain: Key
        /// The key.
        let key: Key
        /// Which entries compete.
        let kind: GroupKind
        /// The entries, each with the index of its file, in order of application.
        var entries: [(file: Int, level: UInt8, entry: PolicyEntry)]

        /// All groups in the order of domain, key and kind; `nil` where there is an entry that a table cannot hold.
        static func all(of policies: [PolicyFile]) -> [Group]? {
            var groups: [GroupName: Group] = [:]
            for (index, policy) in policies.enumerated() {
                for entry in policy.entries {
                    guard entry.origin.policy == policy.identifier, entry.origin.file == policy.path,
                        let word = CompiledTable.word(for: entry.level)
                    else { return nil }
                    let name = GroupName(domain: entry.domain, key: entry.key, kind: word.kind)
                    let empty = Group(domain: entry.domain, key: entry.key, kind: word.kind, entries: [])
                    groups[name, default: empty].entries.append((index, word.byte, entry))
                }
            }
            return groups.values.sorted { left, right in
                if left.domain != right.domain { return left.domain < right.domain }
                if left.key != right.key { return left.key < right.key }
                return left.kind.rawValue < right.kind.rawValue
            }
        }

        /// Appends the group to a table.
        func write(to body: inout TableWriter) {
            body.text(domain.string)
            body.text(key.string)
            body.byte(kind.rawValue)
            body.count(entries.count)
            for (file, level, entry) in entries {
                body.count(file)
                body.byte(level)
                body.byte(entry.hasVariables ? 1 : 0)
                body.position(entry.origin.position)
                body.byte(entry.value == nil ? 0 : 1)
                if let value = entry.value { body.value(value.value) }
            }
        }
    }

    /// What tells one group from another.
    private struct GroupName: Hashable {
        /// The domain.
        let domain: Key
        /// The key.
        let key: Key
        /// Which entries compete.
        let kind: GroupKind
    }
}
