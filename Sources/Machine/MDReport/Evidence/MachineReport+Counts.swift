extension MachineReport {
    /// Reads an object of such numbers.
    static func readCounts(_ cursor: inout ReportCursor) throws(ReportFault) -> RequirementCounts {
        var counts = Counts()
        try cursor.object { cursor, name throws(ReportFault) in
            if try !counts.read(name, &cursor) { try cursor.skip() }
        }
        return try counts.checked(&cursor)
    }

    /// Requirements by what is known of them, as they are read of a report.
    struct Counts {
        private var counts = RequirementCounts()
        /// What the report says they are together.
        private var required = 0

        /// Reads a member.
        ///
        /// - Returns: whether it is one of these numbers; if not, nothing was read.
        mutating func read(_ name: String, _ cursor: inout ReportCursor) throws(ReportFault) -> Bool {
            switch name {
            case "required": required = try cursor.count()
            case "met": counts.met = try cursor.count()
            case "notMet": counts.notMet = try cursor.count()
            case "unknown": counts.unknown = try cursor.count()
            case "waived": counts.waived = try cursor.count()
            case "notApplicable": counts.notApplicable = try cursor.count()
            default: return false
            }
            return true
        }

        /// The numbers.
        ///
        /// - Throws: if they contradict each other.
        func checked(_ cursor: inout ReportCursor) throws(ReportFault) -> RequirementCounts {
            // So that the numbers of many machines together are numbers too.
            let most = 1 << 40
            guard RequirementState.allCases.allSatisfy({ counts[$0] <= most }) else {
                throw cursor.fault("no machine has so many requirements")
            }
            guard counts.required == required else {
                throw cursor.fault("what is met, not met, unknown and waived is not what is required")
            }
            return counts
        }
    }
}
