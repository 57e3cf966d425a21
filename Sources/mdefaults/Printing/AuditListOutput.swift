import Audit
import Platform

/// Prints audit records one by one, as lines or as the elements of one JSON array.
struct AuditListOutput {
    /// Where it is printed, and how.
    private let context: Context
    /// The root that paths are shown for.
    private let root: Root
    /// Whether nothing was printed yet.
    private var isEmpty = true
    /// Why printing ended; nothing is printed after it.
    private var failure: Failure?

    /// Prints nothing yet.
    init(_ context: Context, _ root: Root) {
        self.context = context
        self.root = root
    }

    /// Prints a record; a failure is kept for ``end()``, because readers of the log hand records on without errors.
    mutating func add(_ record: AuditRecord) {
        guard failure == nil else { return }
        do throws(Failure) {
            if context.options.json {
                try context.console.write(Array((isEmpty ? "[\n  " : ",\n  ").utf8) + record.encoded())
            } else {
                let text = AuditRecordText.line(record, in: root)
                for line in Layout.wrap(text, indent: 4, first: "") { try context.console.line(line) }
            }
            isEmpty = false
        } catch {
            failure = error
        }
    }

    /// Ends the output.
    ///
    /// - Throws: the failure that ended printing earlier, or does now.
    mutating func end() throws(Failure) {
        if let failure { throw failure }
        if context.options.json { try context.console.line(isEmpty ? "[]" : "\n]") }
    }
}
