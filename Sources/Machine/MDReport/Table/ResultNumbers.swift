/// The numbers of a machine, or of the machines in a room.
struct ResultNumbers {
    /// The room; empty for a machine without room.
    var room = ""
    var machines = 0
    /// The machines by verdict; those that have not reported are not there.
    var verdicts: [ComplianceVerdict: Int] = [:]
    /// The machines on which each rule about machines holds.
    var rulesMet: [MachineRule.Kind: Int] = [:]
    var counts = RequirementCounts()
    /// The machines whose logs say themselves where records are missing.
    var logGaps = 0
    var attempts = 0
    /// The attempts beside these that only their senders have seen.
    var claimed = 0
    var dropped = 0
    var hidden = 0
    var errors = 0

    /// Adds a number of attempts, which an altered log may have of any size.
    static func add(_ count: Int, to sum: inout Int) { sum = sum.addingReportingOverflow(count).partialValue }
}
