/// What a run of a row came to.
package enum Verdict: Sendable, Equatable {
    /// Everything was seen as the sentence says.
    case passed
    /// Something else was seen; the text says at which line and what.
    case failed(String)
    /// The subject has no member that the row needs.
    case missing(String)
}
