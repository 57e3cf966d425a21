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
    /// Complexity: O(distance from the offset before); O(log lines + line length) where the offset lies before that.
    mutating func position(of offset: Int) -> Position {
        let utf8 = document.source.utf8
        guard document.format != .binary, offset >= last.offset, offset <= utf8.count else {
            return document.position(of: offset)
        }
        var (line, column) = (last.line, last.column)
        for index in last.offset..<offset {
            let byte = utf8[index]
            let isReturn = byte == 0x0d && !(index + 1 < utf8.count && utf8[index + 1] == 0x0a)
            if byte == 0x0a || isReturn {
                (line, column) = (line + 1, 1)
            } else if byte & 0xc0 != 0x80 {
                column += 1
            }
        }
        last = Position(line: line, column: column, offset: offset)
        return last
    }
}
