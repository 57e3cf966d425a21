import Platform
import PropertyList

@testable import Engine

/// A counter that tables are built of.
final class Box: Sendable {
    /// The number.
    private let counter = Guarded(0)

    /// Counts.
    func increment() { counter.withLock { $0 += 1 } }

    /// A table with the number.
    func table() -> LookupTable {
        let value = counter.withLock { $0 }
        return LookupTable(
            SearchList(layers: [SearchLayer(.application, domain: "app", values: ["Counter": .integer(value)])]))
    }
}
