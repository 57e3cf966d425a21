/// What became of records that were appended.
package struct AppendResult: Hashable, Sendable {
    /// The places of the records in the log, in their order; `nil` where there were none.
    package let sequences: ClosedRange<Int>?
    /// A sentence for people where something was wrong with the log; `nil` in the usual case.
    package let alarm: String?

    /// Makes a result.
    package init(sequences: ClosedRange<Int>?, alarm: String?) {
        self.sequences = sequences
        self.alarm = alarm
    }
}
