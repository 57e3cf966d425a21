@testable import PropertyList

/// A text in which `❶` marks the place of the finding that is expected.
struct MarkedText {
    /// The text without the mark.
    let bytes: [UInt8]
    /// The place of the mark, or `nil` where there is none.
    let position: Position?

    /// Takes the mark out of a text.
    init(_ text: String) {
        let parts = text.split(separator: "❶", maxSplits: 1, omittingEmptySubsequences: false)
        bytes = Array(parts.joined().utf8)
        position = parts.count == 2 ? SourceText(unchecked: bytes).position(at: parts[0].utf8.count) : nil
    }

    /// The mistake that a reader finds, or `nil`.
    func mistake(_ read: ([UInt8]) throws(PropertyListError) -> Document) -> PropertyListError? {
        do throws(PropertyListError) {
            _ = try read(bytes)
            return nil
        } catch {
            return error
        }
    }
}
