/// What became of a record that was handed to the reporter.
package enum Delivery: Hashable, Sendable {
    /// It is in the log, durably, at this place.
    case stored(Int)
    /// It equals one that is stored already, and is counted; the count is stored when the window ends or at a flush.
    case counted
    /// It waits in the user's own spool, at this path.
    case spooled(String)
    /// It is nowhere but in this answer, and counted where anything could be written; the reason is a sentence.
    case lost(String)
}
