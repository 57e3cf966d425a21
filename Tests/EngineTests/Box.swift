import Platform
import PropertyList

@testable import Engine

/// A counter that tables are built of.
final class Box: Sendable {
    /// The number.
    private let counter = Guarded(0)

    /// Counts, and has a cell's readers ask anew.
    func increment(_ cell: SnapshotCell) {
        counter.withLock { counter in
            counter += 1
            cell.invalidate()
        }
    }

    /// A cell of tables with the number.
    func cell() -> SnapshotCell {
        SnapshotCell { generation in
            self.counter.withLock { counter in
                let layer = SearchLayer(.application, domain: "app", values: ["Counter": .integer(counter)])
                return (LookupTable([layer]), generation())
            }
        }
    }
}
