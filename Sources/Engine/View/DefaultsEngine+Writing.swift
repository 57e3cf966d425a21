import Audit
import Platform
package import Policy
package import Preferences
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
        /// The value is outside of a constraint, and the one that the constraint leaves is stored in its place; recorded.
        case clamped(Value, ResolvedConstraint)
        /// The value is outside of a constraint, and nothing was stored; recorded.
        case outside(ResolvedConstraint)
        /// Nothing was stored, and a sentence says why.
        case impossible(String)
    }

    /// Writes a key of the engine's domain in memory and sends it on its way to the disk.
    ///
    /// - Parameters:
    ///   - value: the value; `nil` removes the key.
    ///   - key: the key.
    /// - Returns: what became of it.
    package func write(_ value: Value?, forKey key: Key) -> Outcome {
        let (decision, isChange, uncertainty) = store.change { state -> (WriteDecision, Bool, String?) in
            // While policy is unknown its entry says nothing; the state refuses the write.
            let forced = view.layers.forcedEntry(for: key).flatMap { $0.isUnknown ? nil : $0 }
            let decision = WriteDecision(of: value, under: forced, view.constraints[key])
            return state.write(value, key, to: view.written, decision, state.uncertainty(of: view.forcingDomains))
        }
        if isChange { store.scheduleSave() }
        return finish(decision, value, key, domain, isChange, uncertainty, via: value == nil ? .remove : .set)
    }

    /// Gives a stored domain exactly these values, but for keys that are forced in it.
    ///
    /// - Parameters:
    ///   - name: the domain.
    ///   - values: the new values; an empty dictionary removes the domain's.
    /// - Returns: what became of each key that was given, or that was stored.
    /// - Throws: `invalidDomain`.
    package func replaceDomain(
        _ name: Key, with values: [Key: Value]
    ) throws(PreferencesError) -> [Key: Outcome] {
        try DomainName.validate(name)
        load([name])
        // What others stored meanwhile is replaced too.
        _ = store.refresh(StoredPlace(domain: name, host: .anyHost))
        let place = StoredPlace(domain: name, host: .anyHost)
        let others = name == DomainName.global ? [name] : [name, DomainName.global]
        let results = store.change { state -> [(Key, Value?, WriteDecision, Bool, String?)] in
            // What a suite forces decides lookups of this application too.
            let domains = name == domain ? view.forcingDomains : others
            let stored = state.contents[place]?.values ?? [:]
            let uncertainty = state.uncertainty(of: domains)
            return Set(values.keys).union(stored.keys).sorted().map { key in
                let entry = state.resultant.decidingEntry(for: key, in: domains)
                let decision = WriteDecision(
                    of: values[key], under: entry, state.resultant.constraint(of: key, in: domains))
                let result = state.write(values[key], key, to: state.contents[place], decision, uncertainty)
                return (key, values[key], result.0, result.1, result.2)
            }
        }
        if results.contains(where: { $0.3 }) { store.scheduleSave() }
        var outcomes: [Key: Outcome] = [:]
        for (key, value, decision, isChange, uncertainty) in results {
            outcomes[key] = finish(decision, value, key, name, isChange, uncertainty, via: .domain)
        }
        return outcomes
    }

    /// Changes a key of the engine's domain depending on what is stored, while no other process writes the domain.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - body: takes the stored value, or `nil`, and gives the new one; `nil` removes the key. It must be short and
    ///     must not use this engine. It may run more than once.
    /// - Returns: what became of it; it is on disk.
    package func update(_ key: Key, _ body: (Value?) -> Value?) -> Outcome {
        store.lookWhileUnwatched()
        let place = StoredPlace(domain: domain, host: .anyHost)
        let (forced, constraint, uncertainty, content) = store.state.withLock { state in
            (
                view.layers.forcedEntry(for: key), view.constraints[key], state.uncertainty(of: view.forcingDomains),
                state.contents[place]
            )
        }
        if let entry = forced, !entry.isUnknown {
            let stored = content.flatMap { content in store.state.withLock { _ in content.values[key] } }
            return write(body(stored), forKey: entry.key)
        }
        if let uncertainty {
            let stored = content.flatMap { content in store.state.withLock { _ in content.values[key] } }
            return unstored(body(stored), key, domain, uncertainty)
        }
        if store.isInUpdate {
            return .impossible("\(key) was not stored: an exclusive update cannot be made within another.")
        }
        guard let content, store.storage != nil else {
            return .impossible("\(key) was not stored: there is nobody to store it for.")
        }
        var decision = WriteDecision.store
        var tried: Value?
        do {
            let isChange = try store.modify(content, key) { stored in
                tried = body(stored)
                decision = WriteDecision(of: tried, under: nil, constraint)
                return switch decision {
                case .clamp(let bound, _): bound
                case .outside: stored
                default: tried
                }
            }
            return finish(decision, tried, key, domain, isChange, nil, via: tried == nil ? .remove : .set)
        } catch {
            store.note(error.description)
            return .impossible(error.description)
        }
    }

    /// Records what a decision asks for, and says what became of the write.
    private func finish(
        _ decision: WriteDecision, _ value: Value?, _ key: Key, _ domain: Key, _ isChange: Bool, _ uncertainty: String?,
        via: WriteVia
    ) -> Outcome {
        /// Records an attempt.
        func record(_ entry: ResolvedEntry, _ tried: Value?, _ outcome: AttemptOutcome) {
            if entry.isUndecided {
                return store.record(UnstoredWrite(under: entry, domain: domain, tried: tried, via: via), of: identity)
            }
            store.record(
                OverrideAttempt(entry, domain: domain, tried: tried, via: via, outcome: outcome), of: identity)
        }
        if let uncertainty { return unstored(value, key, domain, uncertainty, via: via) }
        switch decision {
        case .store: return isChange ? .stored : .unchanged
        case .unchanged: return .unchanged
        case .refuse(let entry):
            record(entry, value, .refused)
            return .refused(entry)
        case .shadow(let entry):
            record(entry, value, .shadowed)
            return .shadowed(entry)
        case .clamp(let bound, let constraint):
            store.record(
                OverrideAttempt(constraint, kept: bound, domain: domain, tried: value, via: via, outcome: .clamped),
                of: identity)
            return .clamped(bound, constraint)
        case .outside(let constraint):
            store.record(
                OverrideAttempt(constraint, kept: nil, domain: domain, tried: value, via: via, outcome: .refused),
                of: identity)
            return .outside(constraint)
        case .removeHidden(let entry):
            if via != .domain || isChange { record(entry, nil, .hidden) }
            return .unchanged
        }
    }

    /// Records a write that is refused while policy cannot be read, and says why nothing is stored.
    private func unstored(
        _ value: Value?, _ key: Key, _ domain: Key, _ uncertainty: String, via: WriteVia? = nil
    ) -> Outcome {
        let via = via ?? (value == nil ? .remove : .set)
        store.record(
            UnstoredWrite(key, domain: domain, tried: value, via: via, because: uncertainty), of: identity)
        return .impossible("\(key) was not stored, because it cannot be told whether it is forced: \(uncertainty).")
    }
}

extension DefaultsStore.State {
    /// Does in memory what was decided.
    ///
    /// - Parameters:
    ///   - value: the value; `nil` removes the key.
    ///   - key: the key.
    ///   - content: the domain that is written.
    ///   - decision: what was decided.
    ///   - uncertainty: why it cannot be told what is forced; `nil` where it can.
    /// - Returns: the decision, whether something is to be saved, and `uncertainty` if nothing could be done because of it.
    mutating func write(
        _ value: Value?, _ key: Key, to content: DomainContent?, _ decision: WriteDecision,
        _ uncertainty: String?
    ) -> (WriteDecision, Bool, String?) {
        var (value, isUsers) = (value, false)
        switch decision {
        case .unchanged, .refuse, .outside: return (decision, false, nil)
        case .clamp(let bound, _): (value, isUsers) = (bound, true)
        case .store: isUsers = true
        case .shadow, .removeHidden: break
        }
        if isUsers, let uncertainty {
            return (decision, false, uncertainty)
        }
        guard let content else { return (decision, false, nil) }
        let stored = content.values[key]
        let isSame: Bool
        switch (stored, value) {
        case (nil, nil): isSame = true
        case (let one?, let other?): isSame = one.isIdentical(to: other)
        default: isSame = false
        }
        if isSame { return (decision, false, nil) }
        noticeFork()
        change(content, key, value)
        return (decision, true, nil)
    }
}
