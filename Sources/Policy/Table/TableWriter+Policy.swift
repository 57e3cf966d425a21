import Platform
import PropertyList

/// The words of policy in a compiled table; ``TableReader`` has the counterpart of each.
extension TableWriter {
    /// Appends what may be missing: whether it is there, then itself.
    mutating func optional<Content>(_ content: Content?, _ append: (inout TableWriter, Content) -> Void) {
        byte(content == nil ? 0 : 1)
        if let content { append(&self, content) }
    }

    /// Appends a moment.
    mutating func moment(_ value: Timestamp) { long(UInt64(bitPattern: value.microseconds)) }

    /// Appends the head of a policy file; whether the table can speak for its target.
    mutating func head(of policy: PolicyFile, names: NameTable) -> Bool {
        text(policy.identifier)
        optional(policy.version) { $0.integer($1) }
        text(policy.summary)
        text(policy.contact)
        byte(policy.enforced ? 1 : 0)
        byte(policy.onOverride == .shadow ? 1 : 0)
        text(policy.path)
        raw(policy.digest.bytes)
        byte(policy.target == nil ? 0 : 1)
        guard let target = policy.target else { return true }
        let isIncludeKnown = clauses(target.include, names: names)
        let isExceptKnown = clauses(target.except, names: names)
        optional(target.schedule) { writer, items in
            writer.count(items.count)
            for item in items { writer.scheduleItem(item) }
        }
        optional(target.notBefore) { $0.moment($1) }
        optional(target.notAfter) { $0.moment($1) }
        return isIncludeKnown && isExceptKnown
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

    /// Appends a group; whether the table can speak for the names in it.
    mutating func group(_ group: TableGroup, names: NameTable) -> Bool {
        text(group.domain.string)
        text(group.key.string)
        optional(group.metadata.isEmpty ? nil : group.metadata) { $0.metadata($1) }
        count(group.items.count)
        var areKnown = true
        for item in group.items { areKnown = self.item(item, names: names) && areKnown }
        return areKnown
    }

    /// Appends metadata.
    private mutating func metadata(_ metadata: KeyMetadata) {
        text(metadata.title)
        text(metadata.description)
        count(metadata.controls.count)
        for control in metadata.controls { text(control) }
        byte(metadata.isSensitive ? 1 : 0)
    }

    /// Appends an item of a group: its kind, file and place, then the rest behind its length; whether the table can
    /// speak for the names in it.
    private mutating func item(_ item: TableGroup.Item, names: NameTable) -> Bool {
        var areKnown = true
        var rest = TableWriter()
        let (kind, place): (TableItemKind, Position)
        switch item.content {
        case .entry(let entry):
            (kind, place) = (TableItemKind(entry.level), entry.origin.position)
            rest.byte(entry.hasVariables ? 1 : 0)
            if entry.level == .setOnce { rest.rule(entry.rule) }
            rest.optional(entry.value) { $0.value($1.value) }
        case .constraint(let entry):
            (kind, place) = (.constraint, entry.origin.position)
            rest.optional(entry.constraint.minimum) { $0.value($1) }
            rest.optional(entry.constraint.maximum) { $0.value($1) }
            rest.optional(entry.constraint.oneOf) { $0.value(.array($1)) }
            rest.optional(entry.constraint.pattern) { $0.text($1.text) }
        case .combine(let entry):
            (kind, place) = (.combine, entry.origin.position)
            rest.text(entry.combine.rawValue)
        case .waiver(let waiver, let ordinal):
            (kind, place) = (.waiver, waiver.origin.position)
            rest.count(ordinal)
            areKnown = rest.clauses(waiver.clauses, names: names)
            rest.optional(waiver.until) { $0.moment($1) }
            rest.text(waiver.reason)
            rest.text(waiver.approvedBy)
        case .seal(let seal): (kind, place) = (.seal, seal.origin.position)
        }
        byte(kind.rawValue)
        count(item.file)
        position(place)
        run(rest.bytes)
        return areKnown
    }

    /// Appends how often an entry is written.
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
