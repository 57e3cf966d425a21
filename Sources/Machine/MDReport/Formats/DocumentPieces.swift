/// A document in pieces that are made one after the other, so that a large one is never in memory as a whole.
package struct DocumentPieces: Sequence {
    private let pieces: AnySequence<[UInt8]>

    /// Makes a document of one piece.
    package init(whole bytes: [UInt8]) {
        pieces = AnySequence(CollectionOfOne(bytes))
    }

    /// Makes a document of pieces that a sequence makes when they are asked for.
    init(_ pieces: some Sequence<[UInt8]>) {
        self.pieces = AnySequence(pieces)
    }

    /// Makes a document of pieces that follow those of another one.
    init(_ first: some Sequence<[UInt8]>, _ second: some Sequence<[UInt8]>) {
        pieces = AnySequence([AnySequence(first), AnySequence(second)].lazy.joined())
    }

    package func makeIterator() -> AnySequence<[UInt8]>.Iterator { pieces.makeIterator() }

    /// The whole document.
    package var bytes: [UInt8] { reduce(into: []) { $0 += $1 } }
}
