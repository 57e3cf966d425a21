import Platform

/// The table as it lies on the disk.
struct RecordedTable {
    /// What it holds; nothing where it is missing or cannot be used.
    let table: PolicyTable
    /// Its bytes, where it can be used.
    let bytes: [UInt8]?
    /// What is wrong with it.
    let problems: [Diagnostic]

    /// Reads the table.
    init(root: Root) {
        var problems: [Diagnostic] = []
        do {
            let file = try root.readTrusted(StorePath.record, limit: PolicyTable.sizeLimit)
            do {
                table = try PolicyTable(decoding: file.bytes)
                bytes = file.bytes
                self.problems = []
                return
            } catch {
                problems.append(
                    RecordedTable.problem("the record of policy is damaged: \(error); it is not used", root))
            }
        } catch {
            if !error.isMissing { problems.append(RecordedTable.problem("the record is not used: \(error)", root)) }
        }
        (table, bytes) = (PolicyTable(), nil)
        self.problems = problems
    }

    /// A finding about the table.
    private static func problem(_ message: String, _ root: Root) -> Diagnostic {
        Diagnostic(file: root.display(StorePath.record), code: .damagedTable, message: message)
    }
}
