import MDPlatform
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

/// Writes the parts of a policy file to a compiled table; `PolicyDecoding.swift` has the counterpart of each function.
extension TableWriter {
    /// Appends an optional value: whether it is present, then the value.
    mutating func optional<Content>(_ content: Content?, _ append: (inout TableWriter, Content) -> Void) {
        byte(content == nil ? 0 : 1)
        if let content { append(&self, content) }
    }

    mutating func moment(_ value: Timestamp) { long(UInt64(bitPattern: value.microseconds)) }

    /// Appends the head of a policy file.
    mutating func head(of policy: PolicyFile, names: AccountIDs) {
        text(policy.identifier)
        optional(policy.version) { $0.integer($1) }
        text(policy.summary)
        text(policy.contact)
        byte(policy.enforced ? 1 : 0)
        byte(policy.onOverride == .shadow ? 1 : 0)
        text(policy.path)
        raw(policy.digest.bytes)
        optional(policy.temporary) { $0.temporary($1) }
        byte(policy.target == nil ? 0 : 1)
        guard let target = policy.target else { return }
        clauses(target.include, names: names, isFreeing: policy.isGrant)
        clauses(target.except, names: names, isFreeing: true)
        optional(target.schedule) { writer, items in
            writer.count(items.count)
            for item in items { writer.scheduleItem(item) }
        }
        optional(target.notBefore) { $0.moment($1) }
        optional(target.notAfter) { $0.moment($1) }
    }

    /// Appends the field `Temporary`.
    private mutating func temporary(_ temporary: Temporary) {
        byte(temporary.kind == .exam ? 0 : 1)
        optional(temporary.set) { $0.text($1.string) }
        optional(temporary.until) { $0.moment($1) }
        text(temporary.by)
        text(temporary.reason)
        optional(temporary.digest) { $0.raw($1.bytes) }
    }

    /// Appends an item of a schedule.
    private mutating func scheduleItem(_ item: ScheduleItem) {
        switch item {
        case .window(let window):
            byte(0)
            self.window(window)
        case .calendar(let name, let position):
            byte(1)
            text(name.string)
            self.position(position)
        }
    }

    /// Appends a window.
    mutating func window(_ window: Window) {
        byte(window.days.reduce(0) { $0 | 1 << UInt8($1.rawValue) })
        count(window.from)
        count(window.to)
        optional(window.timeZone) { $0.text($1.string) }
        position(window.position)
    }

    /// Appends a group.
    mutating func group(_ number: Int, of groups: TableGroups, names: AccountIDs) {
        let name = groups.names.names[number]
        text(groups.names.domains[name.domain].string)
        text(name.key.string)
        optional(groups.metadata.isEmpty ? nil : groups.metadata[number]) { $0.metadata($1) }
        count(Int(groups.groups[number].count))
        var index = Int(groups.groups[number].first)
        while index >= 0 {
            let item = groups.items[index]
            let policy = groups.policies[Int(item.file)]
            self.item(item, Int(item.file), Int(item.index), of: policy, names: names)
            index = Int(item.next)
        }
    }

    /// Appends metadata.
    private mutating func metadata(_ metadata: KeyMetadata) {
        text(metadata.title)
        text(metadata.description)
        count(metadata.controls.count)
        for control in metadata.controls { text(control) }
        byte(metadata.isSensitive ? 1 : 0)
    }

    /// Appends an item of a group: its kind, file and place, then the rest after its length.
    private mutating func item(
        _ item: TableGroups.Statement, _ file: Int, _ index: Int, of policy: PolicyFile, names: AccountIDs
    ) {
        switch item.list {
        case .entries:
            // Fields by index: the entry itself would be copied as a whole.
            let entries = policy.entries
            let level = entries[index].level
            head(TableItemKind(level), file, entries[index].origin.position) { rest in
                rest.byte(entries[index].hasVariables ? 1 : 0)
                if level == .setOnce { rest.rule(entries[index].rule) }
                rest.optional(entries[index].value) { $0.value($1.value) }
            }
        case .constraints:
            let entry = policy.constraints[index]
            head(.constraint, file, entry.origin.position) { rest in
                rest.optional(entry.constraint.minimum) { $0.value($1) }
                rest.optional(entry.constraint.maximum) { $0.value($1) }
                rest.optional(entry.constraint.oneOf) { $0.value(.array($1)) }
                rest.optional(entry.constraint.pattern) { $0.text($1.text) }
            }
        case .combine:
            let entry = policy.combine[index]
            head(.combine, file, entry.origin.position) { $0.text(entry.combine.rawValue) }
        case .waivers:
            let waiver = policy.waivers[index]
            head(.waiver, file, waiver.origin.position) { rest in
                rest.count(index)
                // It frees no key while the users of its file are uncertain.
                let isInDoubt = policy.target?.include.areChanging(names) ?? false
                rest.clauses(isInDoubt ? .nobody : waiver.clauses, names: names, isFreeing: true)
                rest.optional(waiver.until) { $0.moment($1) }
                rest.text(waiver.reason)
                rest.text(waiver.approvedBy)
            }
        case .seals: head(.seal, file, policy.seals[index].origin.position) { _ in }
        }
    }

    /// Appends the common beginning of all items, and the rest of one after its length in four bytes.
    private mutating func head(
        _ kind: TableItemKind, _ file: Int, _ position: Position, rest: (inout TableWriter) -> Void
    ) {
        byte(kind.rawValue)
        count(file)
        self.position(position)
        let start = reserveLength()
        rest(&self)
        fill(start)
    }

    /// Appends how often a set-once entry is written.
    private mutating func rule(_ rule: SetOnceRule) {
        switch rule {
        case .eachVersion: byte(0)
        case .eachSession: byte(1)
        case .eachStamp(let stamp):
            byte(2)
            text(stamp)
        }
    }
}

extension TableWriter {
    /// Appends the clauses of a target.
    ///
    /// - Parameters:
    ///   - clauses: the clauses.
    ///   - names: the ids of names.
    ///   - isFreeing: whether they take out or lift, and so have no id that is in doubt.
    mutating func clauses(_ clauses: Target.Clauses, names: AccountIDs, isFreeing: Bool) {
        items(clauses.users) { isFreeing ? names.user($0).freeing : names.user($0) }
        items(clauses.groups) { isFreeing ? names.group($0).freeing : names.group($0) }
        byte(clauses.hosts == nil ? 0 : 1)
        if let hosts = clauses.hosts {
            count(hosts.count)
            for host in hosts {
                position(host.position)
                text(host.text)
            }
        }
        // Tags have no ids.
        items(clauses.tags) { _ in .unknown }
    }

    /// Appends a clause of names.
    private mutating func items(_ names: [TargetName]?, state: (Key) -> AccountIDs.State) {
        byte(names == nil ? 0 : 1)
        guard let names else { return }
        // A name with two ids is there twice.
        let items = names.flatMap { item in
            let ids = state(item.name).ids
            return ids.isEmpty ? [(item, UInt32?.none)] : ids.map { (item, UInt32?.some($0)) }
        }
        count(items.count)
        for (item, id) in items {
            position(item.position)
            text(item.name.string)
            byte(id == nil ? 0 : 1)
            if let id { word(id) }
        }
    }
}
