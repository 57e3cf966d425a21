/// What a recording verb knows about names that it has changed itself, before it looks at them.
struct RecordEdit: Sendable {
    /// Names that are gone for good: if complete listings lack them, their record ends.
    var removed: Set<PolicyRecord.FileName> = []
    /// What counts as recorded of names whose earlier state was put back.
    var restored: [PolicyRecord.FileName: PolicyRecord.Entry] = [:]
}
