package import Audit
import Platform
import Policy
package import Preferences
package import PropertyList

/// Changes a domain of a user as a person asked for it: each key under policy, all or nothing, every attempt recorded.
package struct DomainEditor: Sendable {
    /// The user and what policy says for them.
    private let session: UserSession
    /// The domain.
    private let domain: Key
    /// Which of its files.
    private let host: HostScope
    /// The way that records name.
    private let via: WriteVia

    /// Makes an editor; nothing is opened yet.
    package init(_ session: UserSession, domain: Key, host: HostScope, via: WriteVia) {
        self.session = session
        self.domain = domain
        self.host = host
        self.via = via
    }

    /// Decides about every key that an edit names and, if no forced key stands against it, writes the others.
    ///
    /// Policy is asked before the file: an edit that policy refuses is refused and recorded also if the file cannot be
    /// opened. Attempts are in the log, or the result says where else, when this returns.
    ///
    /// - Parameter edit: the change.
    /// - Returns: what stood against it, and what was done.
    /// - Throws: why nothing was changed for another reason than policy.
    package func apply(_ edit: DomainEdit) throws(DomainEditError) -> DomainEditResult {
        var result = DomainEditResult()
        if let uncertainty = session.machine.uncertainty {
            refuse(edit, because: uncertainty, &result)
            throw .unknownPolicy(uncertainty, result.deliveries)
        }
        let setOnce = session.storeSetOnce(of: domain)
        if let problem = setOnce.problem { result.problems.append(problem) }
        for file in setOnce.damaged { record(file, into: &result) }
        let before: [Key: Value]?
        do {
            before = try stored(for: edit)
        } catch {
            return try decide(edit, without: error, result)
        }
        var plan = try plan(edit, before: before ?? [:])
        if !plan.isRefused {
            do {
                try write(edit, &plan, isStored: before != nil, into: &result)
            } catch {
                recordUnstored(plan, into: &result)
                throw error
            }
        }
        record(plan, into: &result)
        return result
    }

    /// Decides about an edit whose file cannot be read, as far as policy refuses it whatever is stored.
    ///
    /// - Throws: why the file cannot be read, where policy does not refuse the edit or that depends on what is stored.
    private func decide(
        _ edit: DomainEdit, without error: DomainEditError, _ result: DomainEditResult
    ) throws(DomainEditError) -> DomainEditResult {
        var result = result
        guard let plan = try? plan(edit, before: [:]) else { throw error }
        guard plan.isRefused else {
            recordUnstored(plan, into: &result)
            throw error
        }
        record(plan, into: &result)
        return result
    }

    /// Records what a plan decided, and says so.
    private func record(_ plan: DomainEditPlan, into result: inout DomainEditResult) {
        if plan.isRefused {
            for attempt in plan.refused + plan.shadowed { record(attempt, .refused, into: &result) }
            result.refused = (plan.refused + plan.shadowed).map(\.entry).sorted { $0.key < $1.key }
        } else {
            for attempt in plan.shadowed { record(attempt, .shadowed, into: &result) }
            for attempt in plan.hidden { record(attempt, .hidden, into: &result) }
            result.shadowed = plan.shadowed.map(\.entry)
            result.hidden = plan.hidden.map(\.entry)
        }
        for excess in plan.excesses { record(excess, isStored: !plan.isRefused, into: &result) }
        finish(&result)
    }

    /// Records the attempts of an edit that failed because of the file: they were made.
    private func recordUnstored(_ plan: DomainEditPlan, into result: inout DomainEditResult) {
        for attempt in plan.shadowed + plan.hidden { record(attempt, .refused, into: &result) }
        for excess in plan.excesses { record(excess, isStored: false, into: &result) }
        finish(&result)
    }

    /// The user's stored values; `nil` without a file.
    ///
    /// A damaged file counts as having none, because writing sets it aside. What needs a stored value cannot be done then.
    private func stored(for edit: DomainEdit) throws(DomainEditError) -> [Key: Value]? {
        do {
            return try session.preferences.read(domain, host: host)?.values
        } catch {
            switch (error, edit) {
            case (.damaged, .rename): throw .storage(error)
            case (.damaged, .remove(let key)) where session.decidingEntry(domain: domain, key: key) == nil:
                throw .storage(error)
            case (.damaged, _): return [:]
            default: throw .storage(error)
            }
        }
    }

    /// Decides about each key that an edit names.
    private func plan(_ edit: DomainEdit, before: [Key: Value]) throws(DomainEditError) -> DomainEditPlan {
        // A forced key can be removed whether something is stored beneath or not; the removal is recorded either way.
        if case .remove(let key) = edit, let entry = session.decidingEntry(domain: domain, key: key) {
            return DomainEditPlan([key: nil], under: { _ in entry }, { _ in nil })
        }
        let changes = try edit.changes(of: before)
        return DomainEditPlan(
            changes, under: { session.decidingEntry(domain: domain, key: $0) },
            { session.constraint(domain: domain, key: $0) })
    }

    /// Writes what the plan stores; under the lock the plan is made anew of what is stored then.
    private func write(
        _ edit: DomainEdit, _ plan: inout DomainEditPlan, isStored: Bool, into result: inout DomainEditResult
    ) throws(DomainEditError) {
        if !isStored {
            if case .removeAll = edit { throw .missingDomain }
            if plan.changes.values.allSatisfy({ $0 == nil }) { return }
        }
        // Where nothing is to be stored, the file is left alone, a damaged one too.
        if case .set = edit, plan.changes.isEmpty { return }
        var failure: DomainEditError?
        do {
            let update: UpdateResult
            if case .removeAll = edit {
                update = try session.preferences.remove(domain, host: host)
                plan = try self.plan(edit, before: update.before)
            } else {
                var latest = plan
                update = try session.preferences.modify(domain, host: host) { before in
                    do throws(DomainEditError) {
                        latest = try self.plan(edit, before: before)
                        failure = nil
                    } catch {
                        failure = error
                    }
                    return failure == nil && !latest.isRefused ? latest.changes : [:]
                }
                plan = latest
            }
            for file in update.damaged { record(file, into: &result) }
        } catch let error as PreferencesError {
            throw .storage(error)
        } catch let error as DomainEditError {
            throw error
        } catch {
            // Nothing above throws anything else.
            return
        }
        if let failure { throw failure }
    }

    /// Records an edit that is refused because policy could not be read.
    private func refuse(_ edit: DomainEdit, because uncertainty: String, _ result: inout DomainEditResult) {
        let writes: [(key: Key?, tried: Value?)] =
            switch edit {
            case .set(let values): values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            case .replace(let values): [(nil, .dictionary(values))]
            case .append(let elements, let key): [(key, .array(elements))]
            case .merge(let entries, let key): [(key, .dictionary(entries))]
            case .remove(let key), .rename(let key, _): [(key, nil)]
            case .removeAll: [(nil, nil)]
            }
        for (key, tried) in writes {
            record(UnstoredWrite(key, domain: domain, tried: tried, via: via, because: uncertainty), &result)
        }
        finish(&result)
    }

    /// Records an attempt, or a write that was refused because it is unknown what policy says.
    private func record(
        _ attempt: DomainEditPlan.Attempt, _ outcome: AttemptOutcome, into result: inout DomainEditResult
    ) {
        if attempt.entry.isUndecided {
            return record(UnstoredWrite(under: attempt.entry, domain: domain, tried: attempt.tried, via: via), &result)
        }
        record(
            OverrideAttempt(attempt.entry, domain: domain, tried: attempt.tried, via: via, outcome: outcome), &result)
    }

    /// Records a value outside of a constraint, and says what became of it.
    private func record(_ excess: DomainEditPlan.Excess, isStored: Bool, into result: inout DomainEditResult) {
        let kept = isStored ? excess.kept : nil
        let attempt = OverrideAttempt(
            excess.constraint, kept: kept, domain: domain, tried: excess.tried, via: via,
            outcome: kept == nil ? .refused : .clamped)
        result.excesses.append(
            DomainEditResult.Excess(constraint: excess.constraint, tried: excess.tried, kept: kept))
        record(attempt, &result)
    }

    /// Hands a write that was refused because it is unknown what policy says to the log.
    private func record(_ write: UnstoredWrite, _ result: inout DomainEditResult) {
        var write = write
        if let key = write.key, session.resultant.isSensitive(key, in: [domain, DomainName.global]) {
            write.isSensitive = true
        }
        let record = write.record(of: session.account, root: session.machine.root, identity: nil)
        result.deliveries.append(session.reporter.report(record))
    }

    /// Hands an attempt to the log.
    private func record(_ attempt: OverrideAttempt, _ result: inout DomainEditResult) {
        var attempt = attempt
        attempt.isSensitive =
            attempt.isSensitive || session.resultant.isSensitive(attempt.key, in: [domain, DomainName.global])
        let record = attempt.record(of: session.account, root: session.machine.root, identity: nil)
        result.deliveries.append(session.reporter.report(record))
    }

    /// Records a damaged file that was set aside.
    private func record(_ file: DamagedFile, into result: inout DomainEditResult) {
        var record = AuditRecord(kind: .damaged, src: .client, note: file.description)
        record.stamp(with: session.account)
        record.domain = domain
        result.damaged.append(file)
        result.deliveries.append(session.reporter.report(record))
    }

    /// Stores what was only counted.
    private func finish(_ result: inout DomainEditResult) {
        result.deliveries.append(contentsOf: session.reporter.flush())
    }
}
