import MDPlatform
package import MDPolicyCore
import MDPolicyModel
package import MDPolicyStore
package import MDPropertyList

/// What is recorded of names that a directory had ends by an administrator's word.
extension PolicyStore {
    /// Ends what is recorded of a name, of users and groups; what the directory answers now counts at once.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - report: gets the changes before they are recorded; if it returns false, nothing ends.
    /// - Returns: the changes; none if nothing was recorded, or everything stays as it was.
    /// - Throws: why nothing was done.
    package func forget(
        name: Key, report: ([PolicyChange]) -> Bool
    ) throws(OperationError) -> [PolicyChange] {
        try exclusively { () throws(OperationError) in
            try forgetNames(report, people: { Key($0.name) == name ? .forgotten : nil }) { _, other, _ in
                other == name ? .all : .nothing
            }
        }
    }

    /// Ends what is recorded of names of directories as far as a directory answers otherwise now: after a migration.
    ///
    /// A name that no service answers keeps its id.
    ///
    /// - Parameter report: gets the changes before they are recorded; if it returns false, nothing ends.
    /// - Returns: the changes.
    /// - Throws: why nothing was done.
    package func forgetDirectory(report: ([PolicyChange]) -> Bool) throws(OperationError) -> [PolicyChange] {
        try exclusively { () throws(OperationError) in
            try forgetNames(report, people: { $0.service == nil ? nil : .settled }) { kind, other, ledger in
                ledger.entries[NameLedger.Name(kind, other)] == nil ? .nothing : .history
            }
        }
    }

    /// How much of what is recorded of a name ends.
    private enum Extent {
        case nothing
        /// How long it has been so; the id stays if no service answers.
        case history
        case all
    }

    /// Does the work under the lock.
    private func forgetNames(
        _ report: ([PolicyChange]) -> Bool, people mark: (KnownPeople.Row) -> Timestamp?,
        _ extent: (NameLedger.Kind, Key, NameLedger) -> Extent
    ) throws(OperationError) -> [PolicyChange] {
        let inspection = PolicyRecordInspection(root: root)
        if let failure = inspection.failure { throw OperationError(failure) }
        guard root.isSystem, inspection.bytes != nil else { return [] }
        let (earlier, ledger) = (inspection.record.names, NameLedger(root: root))
        var (names, known) = (NameResolver.Names([]), AccountIDs())
        for (name, state) in earlier.users {
            switch extent(.user, name, ledger) {
            case .nothing: continue
            case .history: known.users[name] = state
            case .all: break
            }
            names.users.insert(name)
        }
        for (name, state) in earlier.groups {
            switch extent(.group, name, ledger) {
            case .nothing: continue
            case .history: known.groups[name] = state
            case .all: break
            }
            names.groups.insert(name)
        }
        let people = (try? KnownPeople(root: root)) ?? KnownPeople()
        let found = NameResolver.renewed(
            names, recorded: known, accounts: accounts ?? AccountDatabase(root: root), inquiry: inquiry, isAtOnce: true)
        var record = inspection.record
        record.names.users.merge(found.ids.users) { $1 }
        record.names.groups.merge(found.ids.groups) { $1 }
        var marked = people
        for (uid, row) in people.rows {
            if let time = mark(row) { marked.rows[uid]?.missing = time }
        }
        let changes =
            changes(from: earlier.users, to: record.names.users, "user")
            + changes(from: earlier.groups, to: record.names.groups, "group")
        if changes.isEmpty, marked == people { return [] }
        guard report(changes) else { throw OperationError("it could not be recorded in the audit log") }
        var renewed = ledger
        for name in names.users { renewed.entries[.init(.user, name)] = found.ledger.entries[.init(.user, name)] }
        for name in names.groups { renewed.entries[.init(.group, name)] = found.ledger.entries[.init(.group, name)] }
        do throws(SystemError) {
            try put(record.encoded(), at: StorePath.record)
            try put(renewed.encoded(), at: NameLedger.path)
            if marked != people { try marked.write(to: root) }
        } catch {
            throw OperationError(error)
        }
        return changes
    }

    /// The names whose ids differ, as changes of the record.
    private func changes(
        from old: [Key: AccountIDs.State], to new: [Key: AccountIDs.State], _ noun: String
    ) -> [PolicyChange] {
        old.keys.sorted().filter { old[$0] != new[$0] }.map { name in
            let ids = (new[name]?.ids ?? []).map { "\($0)" }.joined(separator: " and ")
            let words = ids.isEmpty ? "matches nobody now" : "has the id \(ids) now"
            return PolicyChange(
                path: StorePath.record, from: nil, to: nil, note: "forgotten: the \(noun) \(name.string) \(words)")
        }
    }
}
