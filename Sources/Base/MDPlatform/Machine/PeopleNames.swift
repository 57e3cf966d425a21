/// The names of people of directories at some time, for lists and reports, which name many.
package struct PeopleNames: Sendable {
    /// Everybody by uid, the earliest first.
    private let rows: [UInt32: [PeopleRegister.Row]]

    /// Reads the register of people of a root; if it is missing or damaged, no uid has a name.
    package init(root: Root) {
        self.init((try? PeopleRegister(root: root).all()) ?? [])
    }

    package init(_ rows: [PeopleRegister.Row] = []) {
        self.rows = Dictionary(grouping: rows, by: \.uid)
    }

    package var isEmpty: Bool { rows.isEmpty }

    /// The name of who had a uid at a time; `nil` if that is unknown.
    package func name(of uid: UInt32?, at time: Timestamp?) -> String? {
        guard let uid, let time else { return nil }
        return rows[uid]?.first { $0.holds(at: time) }?.name
    }

    /// The uids that a person of a name has or had, and when.
    package func rows(named name: String) -> [PeopleRegister.Row] {
        rows.values.flatMap { $0.filter { $0.name.utf8.elementsEqual(name.utf8) } }
            .sorted { ($0.uid, $0.from) < ($1.uid, $1.from) }
    }
}

extension AccountDatabase {
    /// The name of a user of the files, else of who had the uid at a time by the register of people; `nil` if unknown.
    package func name(of uid: UInt32, at time: Timestamp = Clock.now()) -> String? {
        if let account = account(uid: uid) { return account.name }
        return (try? PeopleRegister(root: root).rows(of: uid))?.first { $0.holds(at: time) }?.name
    }
}
