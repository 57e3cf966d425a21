import PropertyList

/// Tells places of offsets that mostly ascend, without walking each line from its start again.
///
/// A file of one long line with many entries would otherwise take time that grows with the square of its size.
struct PositionCursor {
    /// The document whose places are told.
    private let document: Document
    /// The place that was told last.
    private var last = Position.start

    /// Makes a cursor at the start of a document.
    init(_ document: Document) {
        self.document = document
    }

    /// The place of an offset.
    ///
    /// Complexity: O(lines since the offset before + distance in the line); O(log lines + line length) where the offset lies before that.
    mutating func position(of offset: Int) -> Position {
        guard document.format != .binary, offset >= last.offset, offset <= document.source.utf8.count else {
            return document.position(of: offset)
        }
        last = document.source.position(at: offset, behind: last)
        return last
    }
}
