import MDAuditClient
import MDAuditRecord
import MDPlatform
package import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
package import MDPreferences
package import MDPropertyList

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
        /// The value is outside of a constraint, and the one that the constraint leaves is stored in its place;
        /// recorded.
        case clamped(Value, ResolvedConstraint)
        /// The value is outside of a constraint, and nothing was stored; recorded.
        case outside(ResolvedConstraint)
        /// Nothing was stored; the sentence gives the reason.
        case impossible(WriteObstacle, String)
    }

    /// What becomes of a key that is changed depending on what is stored.
    package enum Update {
        /// It stays as it is: nothing is tried, and nothing recorded.
        case keep
        /// It gets a value; `nil` removes it.
        case set(Value?)
    }

    /// Writes a key of the engine's domain in memory and sends it on its way to the disk.
    ///
    /// - Parameters:
    ///   - value: the value; `nil` removes the key.
    ///   - key: the key.
    /// - Returns: what became of it.
    package func write(_ value: Value?, forKey key: Key) -> Outcome {
        if let value, let refusal = refuse(value, forKey: key) { return .refused(refusal.entry) }
        return writeUnderLock(value, forKey: key)
    }

    /// Refuses to set a key that is forced, unless its policy says otherwise; records the attempt.
    ///
    /// Takes no lock that is held for longer than a few microseconds, and makes at most one system call, which never
    /// waits.
    ///
    /// - Returns: the refusal; `nil` if ``writeUnderLock(_:forKey:)`` decides.
    package func refuse(_ value: Value, forKey key: Key) -> Refusal? {
        guard let channel = store.channel, !cell.isKnownFree(key.string), !store.isUnwatched,
            let table = view.refusals.tryWithLock({ $0 }) ?? nil,
            let refusal = table.refusal(of: key, value)
        else { return nil }
        channel.record(refusal.attempt, value)
        return refusal
    }

    /// Writes a key that ``refuse(_:forKey:)`` does not decide.
    package func writeUnderLock(_ value: Value?, forKey key: Key) -> Outcome {
        let (write, isChange) = store.change { state -> (KeyWrite, Bool) in
            let write = KeyWrite(
                key, value, under: view.rule(of: key), failure: state.resultant.failure(in: view.forcingDomains))
            return (write, state.apply(write, to: view.written))
        }
        if isChange { store.scheduleSave() }
        return finish(write, in: domain, isChange, via: value == nil ? .remove : .set)
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
        let others = SearchOrder(ofOther: name).forcingDomains
        let results = store.change { state -> [(write: KeyWrite, isChange: Bool)] in
            // What a suite forces decides lookups of this application too.
            let domains = name == domain ? view.forcingDomains : others
            let stored = state.contents[place]?.values ?? [:]
            let failure = state.resultant.failure(in: domains)
            return Set(values.keys).union(stored.keys).sorted().map { key in
                let write = KeyWrite(
                    key, values[key], under: state.resultant.rule(of: key, in: domains), failure: failure)
                return (write, state.apply(write, to: state.contents[place]))
            }
        }
        if results.contains(where: \.isChange) { store.scheduleSave() }
        var outcomes: [Key: Outcome] = [:]
        for (write, isChange) in results { outcomes[write.key] = finish(write, in: name, isChange, via: .domain) }
        return outcomes
    }

    /// Changes a key of the engine's domain depending on what is stored, while no other process writes the domain.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - body: gets the stored value, or `nil`, and says what becomes of it. It must be short and must not use this
    ///     engine. It may run more than once.
    /// - Returns: what became of it; it is on disk.
    package func update(_ key: Key, _ body: (Value?) -> Update) -> Outcome {
        store.refreshIfUnwatched()
        let place = StoredPlace(domain: domain, host: .anyHost)
        let (rule, failure, content, stored) = store.state.withLock { state in
            let content = state.contents[place]
            return (view.rule(of: key), state.resultant.failure(in: view.forcingDomains), content, content?.values[key])
        }
        switch rule {
        case .forced, .absent, .sealed, .unknownUser:
            guard case .set(let value) = body(stored) else { return .unchanged }
            return write(value, forKey: key)
        case .free, .constrained, .unknownPolicy:
            guard let failure else { break }
            guard case .set(let value) = body(stored) else { return .unchanged }
            return finish(
                KeyWrite(key, value, under: rule, failure: failure), in: domain, false,
                via: value == nil ? .remove : .set)
        }
        if store.isInUpdate {
            return .impossible(
                .nestedUpdate, "\(key) was not stored: an exclusive update cannot be made within another.")
        }
        guard let content, store.storage != nil else {
            return .impossible(.noAccount, "\(key) was not stored: the caller has no account.")
        }
        var write: KeyWrite?
        do {
            let isChange = try store.modify(content, key) { stored in
                write = if case .set(let value) = body(stored) { KeyWrite(key, value, under: rule) } else { nil }
                return if let change = write?.change { change } else { stored }
            }
            guard let write else { return .unchanged }
            return finish(write, in: domain, isChange, via: write.tried == nil ? .remove : .set)
        } catch {
            store.note(error.description)
            return .impossible(.file, error.description)
        }
    }

    /// Records a write, and says what became of it.
    private func finish(_ write: KeyWrite, in domain: Key, _ isChange: Bool, via: WriteVia) -> Outcome {
        // Of a domain that is replaced, forced keys that had nothing beneath are not removed.
        if case .removeHidden = write.decision, via == .domain, !isChange { return .unchanged }
        if let recorded = write.recorded(in: domain, via: via) { store.record(recorded, of: identity) }
        return switch write.decision {
        case .store: isChange ? .stored : .unchanged
        case .unchanged, .removeHidden: .unchanged
        case .refuse(let entry): .refused(entry)
        case .shadow(let entry): .shadowed(entry)
        case .clamp(let bound, let constraint): .clamped(bound, constraint)
        case .outside(let constraint): .outside(constraint)
        case .unknown(let reason):
            .impossible(
                .unknownPolicy, "\(write.key) was not stored, because it is unknown whether it is forced: \(reason).")
        }
    }
}

extension DefaultsStore.State {
    /// Carries out a write in memory.
    ///
    /// - Parameters:
    ///   - write: the write with what was decided.
    ///   - content: the domain that is written; `nil` if there is nothing to write to.
    /// - Returns: whether something is to be saved.
    mutating func apply(_ write: KeyWrite, to content: DomainContent?) -> Bool {
        guard let value = write.change, let content, !content.values[write.key].isIdentical(to: value) else {
            return false
        }
        change(content, write.key, value)
        return true
    }
}
