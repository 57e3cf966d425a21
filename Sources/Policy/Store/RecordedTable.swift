import Platform

/// The table as it lies on the disk.
struct RecordedTable {
    /// What it holds; nothing where it is missing or cannot be used.
    let table: PolicyTable
    /// Its bytes, where it can be used.
    let bytes: [UInt8]?
    /// What the kernel says of it; `nil` where it is missing or cannot be read.
    let fingerprint: Fingerprint?
    /// What is wrong with it.
    let problems: [Diagnostic]

    /// The file as it was read, or why it was not.
    typealias Content = Result<TrustedFile, TrustError>

    /// Reads the file, which nobody has understood yet.
    static func read(root: Root) -> Content {
        do {
            return .success(try root.readTrusted(StorePath.record, limit: PolicyTable.sizeLimit))
        } catch {
            return .failure(error)
        }
    }

    /// Reads the table.
    init(root: Root) { self.init(RecordedTable.read(root: root), root: root) }

    /// Takes the table out of the file.
    init(_ content: Content, root: Root) {
        var problems: [Diagnostic] = []
        var fingerprint: Fingerprint?
        do {
            let file = try content.get()
            fingerprint = Fingerprint(file.status)
            do {
                let found = try PolicyTable(decoding: file.bytes)
                // Files of others than root are refused anyway; among root's own, a user chooses who may make mounts.
                if root.isSystem, CurrentProcess.isPolicyOutside, found.home != StoreHome(root: root) {
                    throw TableError("it was written in another folder than the one that it is in here")
                }
                (table, bytes) = (found, file.bytes)
                self.fingerprint = fingerprint
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
        self.fingerprint = fingerprint
        self.problems = problems
    }

    /// Whether the file holds this table, and as it is written now.
    func says(_ other: PolicyTable) -> Bool {
        guard let bytes else { return false }
        if table == other, SealedLines.begins(bytes, with: PolicyTable.header) { return true }
        // Names that nobody could tell the id of are not written.
        return bytes == other.encoded()
    }

    /// Whether the file on the disk is another one by now, or cannot be asked about any more.
    func isSuperseded(root: Root) -> Bool {
        (try? root.status(StorePath.record, followingLinks: true)).map { Fingerprint($0) } != fingerprint
    }

    /// A finding about the table.
    private static func problem(_ message: String, _ root: Root) -> Diagnostic {
        Diagnostic(file: root.display(StorePath.record), code: .damagedTable, message: message)
    }
}
