import MDAudit
import MDAuditClient
import MDEngine
import MDPlatform
import MDPropertyList

/// Prints the newest records of the log, and afterwards each new one.
struct AuditTailOutput {
    /// The console and the options.
    private let context: Context
    /// The root that paths are shown for.
    private let root: Root
    /// The records to print.
    private let query: AuditQuery
    /// The most records to begin with.
    private let limit: Int
    /// The newest records so far; `nil` once they are printed.
    private var history: [AuditRecord]? = []
    /// The error that ended printing.
    private(set) var failure: Failure?

    /// Makes an output that begins with at most so many records.
    init(_ context: Context, _ root: Root, _ query: AuditQuery, history limit: Int) {
        (self.context, self.root, self.query, self.limit) = (context, root, query, limit)
    }

    /// Adds what was read of the log.
    mutating func add(_ entry: LogFollower.Entry) {
        switch entry {
        case .record(let record):
            guard query.matches(record) else { return }
            guard var records = history else { return print(record) }
            history = nil
            records.append(record)
            // Cutting down at twice the limit makes the cost of a record constant.
            if records.count / 2 > limit { records.removeFirst(records.count - limit) }
            history = records
        case .problem(let line, let message):
            say(":\(line): this line is no record: \(Printable.escape(message)).")
        case .replaced:
            break
        case .cut:
            say(" is shorter than it was; mdefaults audit verify says what of it is proven.")
        }
    }

    /// Writes what was added; the first call prints the records to begin with.
    ///
    /// - Returns: whether it could be printed; if not, ``failure`` says why.
    mutating func flush() -> Bool {
        if let records = history {
            history = nil
            for record in records.suffix(limit) { print(record) }
        }
        do throws(Failure) {
            if failure == nil { try context.console.flush() }
        } catch {
            failure = error
        }
        return failure == nil
    }

    /// Prints a record; retains an error in ``failure``.
    private mutating func print(_ record: AuditRecord) {
        guard failure == nil else { return }
        do throws(Failure) {
            if context.options.json {
                try context.console.write(record.encoded() + [0x0a])
            } else {
                let text = AuditRecordText.line(record, in: root)
                for line in Layout.wrap(text, indent: 4, first: "") { try context.console.line(line) }
            }
        } catch {
            failure = error
        }
    }

    /// Prints a sentence about the log on standard error.
    private func say(_ rest: String) {
        context.console.say(Printable.escape(root.display(AuditLog.path)) + rest)
    }
}
