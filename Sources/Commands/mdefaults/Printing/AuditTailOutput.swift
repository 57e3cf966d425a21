import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDEngine
import MDPlatform
import MDPolicyCore
import MDPropertyList
import MDTools

/// Prints the newest records of the log, and afterwards each new one.
struct AuditTailOutput {
    /// The console and the options.
    private let context: Context
    /// The root that paths are shown for.
    private let root: Root
    /// The records to print.
    private let query: AuditQuery
    /// The number of the newest record that was printed to begin with; none up to it is printed again.
    private var last = 0
    /// The error that ended printing.
    private(set) var failure: Failure?

    /// Makes an output.
    init(_ context: Context, _ root: Root, _ query: AuditQuery) {
        (self.context, self.root, self.query) = (context, root, query)
    }

    /// Prints the newest records that match, at most so many, with which it begins.
    ///
    /// - Parameters:
    ///   - lines: the most records.
    ///   - secrets: the keys whose values are hidden.
    /// - Throws: if the log exists and cannot be read.
    mutating func begin(with lines: Int, hiding secrets: ManifestSecrets) throws(AuditError) {
        var history = query
        // Which one is the newest is to be known also if none is printed.
        history.limit = max(lines, 1)
        let records = try AuditLog(root: root).records(matching: history, hiding: secrets).records
        for record in records.suffix(lines) { print(record) }
        last = records.last?.seq ?? 0
    }

    /// Adds what was read of the log.
    mutating func add(_ entry: LogFollower.Entry) {
        switch entry {
        case .record(let record):
            if record.seq > last, query.matches(record) { print(record) }
        case .problem(let file, let line, let message):
            say(file, ":\(line): this line is no record: \(Printable.escape(message)).")
        case .replaced:
            last = 0
        case .cut:
            say(AuditLog.path, " is shorter than it was; mdefaults audit verify says what of it is proven.")
        }
    }

    /// Writes what was added.
    ///
    /// - Returns: whether it could be printed; if not, ``failure`` says why.
    mutating func flush() -> Bool {
        do throws(Failure) {
            if failure == nil { try context.console.flush() }
        } catch {
            failure = error
        }
        return failure == nil
    }

    /// Prints a record; retains an error in ``failure``.
    private mutating func print(_ stored: AuditRecord) {
        guard failure == nil else { return }
        // People come into the register while this follows.
        let record = stored.user == nil && stored.uid != nil ? stored.named(by: PeopleNames(root: root)) : stored
        do throws(Failure) {
            if context.options.json {
                try context.console.write(record.encoded() + [0x0a])
            } else {
                let text = AuditRecordText.line(record, in: root)
                for line in Layout.fold(text) { try context.console.line(line) }
            }
        } catch {
            failure = error
        }
    }

    /// Prints a sentence about a file of the log on standard error.
    private func say(_ file: String, _ rest: String) {
        context.console.say(Printable.escape(root.display(file)) + rest)
    }
}
