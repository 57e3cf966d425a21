import Platform
import PropertyList

/// Changes that wait for one reader: the newest of each key, in the order in which they happened.
final class ChangeBuffer: Sendable {
    /// What is waiting.
    private struct State {
        /// The changes by the number of their arrival; a newer one of a key takes the older one's away.
        var changes: [Int: ManagedDefaults.Change] = [:]
        /// The number of each key's change.
        var numbers: [Key: Int] = [:]
        /// The number of the change that is handed out next, or of one that was taken away.
        var first = 0
        /// The number of the next change.
        var next = 0
        /// The reader, while it waits.
        var reader: CheckedContinuation<ManagedDefaults.Change?, Never>?
        /// Whether the reader was cancelled.
        var isEnded = false
    }

    /// What is waiting.
    private let state = Guarded(State())

    /// Adds a change, or hands it to the reader.
    func add(_ change: ManagedDefaults.Change) {
        let reader = state.withLock { state -> CheckedContinuation<ManagedDefaults.Change?, Never>? in
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            if let old = state.numbers.updateValue(state.next, forKey: Key(change.key)) { state.changes[old] = nil }
            state.changes[state.next] = change
            state.next += 1
            return nil
        }
        reader?.resume(returning: change)
    }

    /// Waits for a change; `nil` once the buffer is ended.
    func next() async -> ManagedDefaults.Change? {
        await withCheckedContinuation { reader in
            let answer = state.withLock { state -> ManagedDefaults.Change?? in
                if state.isEnded { return .some(nil) }
                while state.first < state.next {
                    let change = state.changes.removeValue(forKey: state.first)
                    state.first += 1
                    guard let change else { continue }
                    state.numbers[Key(change.key)] = nil
                    return .some(change)
                }
                state.reader = reader
                return nil
            }
            if let answer { reader.resume(returning: answer) }
        }
    }

    /// Ends the sequence for its reader.
    func end() {
        let reader = state.withLock { state in
            state.isEnded = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }
}
