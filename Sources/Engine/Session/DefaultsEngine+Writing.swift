import Audit
import Platform
package import Policy
import Preferences
package import PropertyList

extension DefaultsEngine {
    /// What became of a write.
    package enum Outcome: Sendable {
        /// The user's domain has it.
        case stored
        /// Nothing changed.
        case unchanged
        /// The key is forced; recorded.
        case refused(ResolvedEntry)
        /// The key is forced; stored underneath, and recorded.
        case shadowed(ResolvedEntry)
        /// Whether the key is forced cannot be told, for this reason: nothing was stored.
        case uncertain(String)
    }

    /// Writes a key of the engine's domain in memory and sends it on its way to the disk.
    ///
    /// - Parameters:
    ///   - value: the value; `nil` removes the key.
    ///   - key: the key.
    /// - Returns: what became of it.
    package func write(_ value: Value?, forKey key: Key) -> Outcome {
        let (decision, isChange, uncertainty) = state.withLock { state in
            let entry = state.list.answer(for: key).forced
            let decision = WriteDecision(of: value, under: entry)
            switch decision {
            case .unchanged, .refuse: return (decision, false, String?.none)
            case .store where state.uncertainty != nil: return (decision, false, state.uncertainty)
            case .store, .shadow, .removeHidden:
                let isChange = state.put(value, forKey: key, domain: domain)
                return (decision, isChange, nil)
            }
        }
        if let uncertainty { return .uncertain(uncertainty) }
        if isChange {
            cell.invalidate()
            scheduleSave()
        }
        switch decision {
        case .store: return isChange ? .stored : .unchanged
        case .unchanged: return .unchanged
        case .refuse(let entry):
            record(entry, tried: value, outcome: .refused)
            return .refused(entry)
        case .shadow(let entry):
            record(entry, tried: value, outcome: .shadowed)
            return .shadowed(entry)
        case .removeHidden(let entry):
            record(entry, tried: nil, outcome: .hidden)
            return .unchanged
        }
    }

    /// Writes pending changes to the user's file.
    ///
    /// - Returns: whether everything is on disk; what failed stays pending.
    package func save() -> Bool {
        let (session, changes) = state.withLock { ($0.session, $0.pending) }
        guard !changes.isEmpty else { return true }
        guard let session else { return false }
        do {
            let result = try session.preferences.update(domain, host: .anyHost, changes)
            state.withLock { state in
                // What was written meanwhile stays pending.
                for (key, value) in changes where state.pending[key] == .some(value) {
                    state.pending[key] = nil
                }
                state.adopt(result.after, domain: domain, path: session.machine.root.display(result.path))
            }
            report(result, session)
            cell.invalidate()
            return true
        } catch {
            state.withLock { $0.problems.append(error.description) }
            return false
        }
    }

    /// Saves, then reads policy and files anew.
    ///
    /// - Returns: whether everything is on disk and could be read.
    package func synchronize() -> Bool {
        let isSaved = save()
        flushAttempts()
        guard let account = state.withLock({ $0.session?.account }) else { return false }
        do {
            let machine = try PolicyMachine(folder: folder, mayRenew: folder != nil || CurrentProcess.uid == 0)
            let session = UserSession(machine: machine, account: account)
            let uncertainty = machine.uncertainty
            let isRead = state.withLock { state in
                let before = state.problems.count
                if let uncertainty {
                    // A running process keeps the policy that it last had.
                    state.problems.append(
                        "Policy could not be read, so what was in force before stays: \(uncertainty).")
                } else {
                    state.session = session
                }
                state.read(domain: domain, suites: suites, arguments: arguments)
                return state.problems.count == before
            }
            cell.invalidate()
            return isSaved && isRead
        } catch {
            state.withLock { $0.problems.append(error.description) }
            return false
        }
    }
}

extension DefaultsEngine.State {
    /// Puts a change into memory; whether it is one.
    mutating func put(_ value: Value?, forKey key: Key, domain: Key) -> Bool {
        let stored: Value?
        if let change = pending[key] {
            stored = change
        } else {
            let kind: LayerKind = domain == DomainName.global ? .global : .application
            stored = list.layers.first { $0.kind == kind && $0.domain == domain }?.values[key]
        }
        // A number and a truth value that count the same are told apart in files.
        if stored == value, stored?.typeName == value?.typeName { return false }
        pending[key] = .some(value)
        return true
    }

    /// Takes over what the user's file holds now.
    mutating func adopt(_ values: [Key: Value], domain: Key, path: String) {
        let kind: LayerKind = domain == DomainName.global ? .global : .application
        let layer = SearchLayer(kind, domain: domain, values: values, path: path)
        var layers = list.layers
        if let index = layers.firstIndex(where: { $0.kind == kind && $0.domain == domain }) {
            layers[index] = layer
        } else {
            layers.insert(layer, at: layers.firstIndex { $0.kind.isBehind(kind) } ?? layers.endIndex)
        }
        list = SearchList(layers: layers)
    }
}
