import MDPlatform
import MDPolicyCore
package import MDPropertyList

/// What every lookup of an engine finds at one moment; later changes do not reach it.
package struct EngineSnapshot: Sendable {
    /// The values, in an index that nothing changes any more.
    package let cell: SnapshotCell
    /// The same index.
    private let index: LookupIndex
    /// The forced layers.
    private let forced: [ViewLayer]
    /// What values that the user controls must be like, by key.
    private let constraints: [Key: ResolvedConstraint]

    /// Takes over what a view has now; called under the store's lock.
    init(_ view: DefaultsView) {
        let index = view.currentIndex()
        view.isIndexShared = true
        self.index = index
        cell = SnapshotCell { revision in (index, revision()) }
        forced = view.layers.filter { $0.kind == .forced }
        constraints = view.constraints
    }

    /// What policy said of a key.
    package func rule(of key: Key) -> KeyRule { forced.rule(of: key, under: constraints) }

    /// Every key that has a value, in byte order.
    ///
    /// Complexity: O(keys), and their sorting.
    package var keys: [Key] { index.keys.sorted() }
}

extension DefaultsEngine {
    /// What every lookup finds now.
    ///
    /// Complexity: O(1) after a read; the first write after it makes the next read build another index.
    package func snapshot() -> EngineSnapshot {
        store.refreshIfUnwatched()
        let view = view
        return store.state.withLock { _ in EngineSnapshot(view) }
    }

    /// Calls a reader after each new problem.
    package func add(_ reader: ProblemReader) { store.add(reader) }

    /// Ends the calls of a reader.
    package func remove(_ reader: ProblemReader) { store.remove(reader) }
}
