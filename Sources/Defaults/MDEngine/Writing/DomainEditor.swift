package import MDAuditClient
package import MDAuditRecord
import MDPlatform
package import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
package import MDPreferences
package import MDPropertyList

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

    /// Decides about every key that an edit names and, if policy refuses none, writes them.
    ///
    /// Policy is asked before the file: an edit that policy refuses is refused and recorded also if the file cannot be
    /// opened. When this returns, attempts are in the log, or the result says what became of them.
    ///
    /// - Parameter edit: the change.
    /// - Returns: what stood against it, and what was done.
    /// - Throws: why nothing was changed for another reason than policy.
    package func apply(_ edit: DomainEdit) throws(DomainEditError) -> DomainEditResult {
        var result = DomainEditResult()
        if let reason = session.machine.knowledge.failure(in: SearchOrder(ofOther: domain).forcingDomains) {
            refuse(edit, because: reason, &result)
            throw .unknownPolicy(reason, result.deliveries)
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
    /// - Throws: why the file cannot be read, if policy does not refuse the edit or that depends on what is stored.
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

    /// Records what a plan decided, and adds it to the result.
    private func record(_ plan: WritePlan, into result: inout DomainEditResult) {
        if plan.isRefused {
            for write in plan.refused + plan.shadowed { record(write, isStored: false, into: &result) }
            result.refused = (plan.refused + plan.shadowed).compactMap(\.entry).sorted { $0.key < $1.key }
        } else {
            for write in plan.shadowed + plan.hidden { record(write, isStored: true, into: &result) }
            result.shadowed = plan.shadowed.compactMap(\.entry)
            result.hidden = plan.hidden.compactMap(\.entry)
        }
        for write in plan.excesses { record(write, isStored: !plan.isRefused, into: &result) }
        finish(&result)
    }

    /// Records the attempts of an edit that failed because of the file: they were made.
    private func recordUnstored(_ plan: WritePlan, into result: inout DomainEditResult) {
        for write in plan.shadowed + plan.hidden + plan.excesses { record(write, isStored: false, into: &result) }
        finish(&result)
    }

    /// The user's stored values; `nil` without a file.
    ///
    /// A damaged file counts as having none, because writing sets it aside. What needs a stored value cannot be done
    /// then.
    private func stored(for edit: DomainEdit) throws(DomainEditError) -> [Key: Value]? {
        do {
            return try session.preferences.read(domain, host: host)?.values
        } catch {
            switch (error, edit) {
            case (.damaged, .rename): throw .storage(error)
            case (.damaged, .remove(let key)) where !rule(of: key).isForced:
                throw .storage(error)
            case (.damaged, _): return [:]
            default: throw .storage(error)
            }
        }
    }

    /// What policy says of a key of the domain.
    private func rule(of key: Key) -> KeyRule { session.rule(of: key, application: domain) }

    /// Decides about each key that an edit names.
    private func plan(_ edit: DomainEdit, before: [Key: Value]) throws(DomainEditError) -> WritePlan {
        // A forced key can be removed whether something is stored beneath or not; the removal is recorded either way.
        if case .remove(let key) = edit, case let rule = rule(of: key), rule.isForced {
            return WritePlan(writes: [KeyWrite(key, nil, under: rule)])
        }
        let changes = try edit.changes(of: before).sorted { $0.key < $1.key }
        return WritePlan(writes: changes.map { key, value in KeyWrite(key, value, under: rule(of: key)) })
    }

    /// Writes what the plan stores; under the lock the plan is made again from the values stored then.
    private func write(
        _ edit: DomainEdit, _ plan: inout WritePlan, isStored: Bool, into result: inout DomainEditResult
    ) throws(DomainEditError) {
        if !isStored {
            if case .removeAll = edit { throw .missingDomain }
            if plan.changes.values.allSatisfy({ $0 == nil }) { return }
        }
        // If nothing is to be stored, the file stays as it is, even if it is damaged.
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
    private func refuse(_ edit: DomainEdit, because reason: String, _ result: inout DomainEditResult) {
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
            record(RecordedWrite(key, domain: domain, tried: tried, via: via, because: reason), &result)
        }
        finish(&result)
    }

    /// Records a write; a value outside of a constraint is added to the result, too.
    private func record(_ write: KeyWrite, isStored: Bool, into result: inout DomainEditResult) {
        if let constraint = write.constraint, let tried = write.tried {
            let kept: Value? = if isStored, case .clamp(let bound, _) = write.decision { bound } else { nil }
            result.excesses.append(DomainEditResult.Excess(constraint: constraint, tried: tried, kept: kept))
        }
        if let recorded = write.recorded(in: domain, via: via, isStored: isStored) { record(recorded, &result) }
    }

    /// Hands a write to the log.
    private func record(_ write: RecordedWrite, _ result: inout DomainEditResult) {
        var write = write
        if let key = write.key, session.resultant.isSensitive(key, in: [domain, DomainName.global]) {
            write.isSensitive = true
        }
        let record = write.record(of: session.account, root: session.machine.root, identity: nil)
        result.deliveries.append(session.reporter.report(record))
    }

    /// Records a damaged file that was set aside.
    private func record(_ file: DamagedFile, into result: inout DomainEditResult) {
        var record = AuditRecord(kind: .damaged, src: .client, note: file.description)
        record.stamp(with: session.account)
        record.domain = domain
        result.damaged.append(file)
        result.damageDeliveries.append(session.reporter.report(record))
    }

    /// Stores what was only counted.
    private func finish(_ result: inout DomainEditResult) {
        result.deliveries.append(contentsOf: session.reporter.flush())
    }
}

/// What became of an edit of a domain.
package struct DomainEditResult: Sendable {
    /// A value outside of a constraint.
    package struct Excess: Sendable {
        /// The constraint.
        package let constraint: ResolvedConstraint
        /// The value that was tried.
        package let tried: Value
        /// The value that was stored in its place; `nil` if none was.
        package let kept: Value?
    }

    /// The forced entries that refuse the edit; if there are any, nothing was changed.
    package var refused: [ResolvedEntry] = []
    /// The values outside of constraints; if nothing was stored of one, nothing was changed.
    package var excesses: [Excess] = []
    /// The forced entries under which a value is stored now, without effect.
    package var shadowed: [ResolvedEntry] = []
    /// The forced entries whose keys were removed beneath, without effect.
    package var hidden: [ResolvedEntry] = []
    /// A sentence for each thing that went wrong beside the edit.
    package var problems: [String] = []
    /// The damaged files that were set aside.
    package var damaged: [DamagedFile] = []
    /// What became of the audit record of each attempt.
    package var deliveries: [Delivery] = []
    /// What became of the audit record of each damaged file.
    package var damageDeliveries: [Delivery] = []

    /// Makes the result of an edit that did nothing yet.
    package init() {}
}

/// The decisions about every key of an edit, in byte order of the keys; all of it is stored, or nothing.
private struct WritePlan {
    /// The writes.
    let writes: [KeyWrite]

    /// What is to be stored; `nil` removes.
    var changes: [Key: Value?] {
        var changes: [Key: Value?] = [:]
        for write in writes {
            if let change = write.change { changes.updateValue(change, forKey: write.key) }
        }
        return changes
    }

    /// Whether policy refuses the edit.
    var isRefused: Bool { writes.contains(where: \.isRefused) }

    /// The writes to forced keys that are refused.
    var refused: [KeyWrite] {
        writes.filter { if case .refuse = $0.decision { true } else { false } }
    }

    /// The writes to forced keys that are stored without effect.
    var shadowed: [KeyWrite] {
        writes.filter { if case .shadow = $0.decision { true } else { false } }
    }

    /// The removals of values beneath forced ones.
    var hidden: [KeyWrite] {
        writes.filter { if case .removeHidden = $0.decision { true } else { false } }
    }

    /// The values outside of constraints.
    var excesses: [KeyWrite] { writes.filter { $0.constraint != nil } }
}

extension KeyWrite {
    /// The entry that refuses the write, or that hides what it changes.
    fileprivate var entry: ResolvedEntry? {
        switch decision {
        case .refuse(let entry), .shadow(let entry), .removeHidden(let entry): entry
        case .store, .unchanged, .clamp, .outside, .unknown: nil
        }
    }

    /// The constraint that the value is outside of.
    fileprivate var constraint: ResolvedConstraint? {
        switch decision {
        case .clamp(_, let constraint), .outside(let constraint): constraint
        case .store, .unchanged, .refuse, .shadow, .removeHidden, .unknown: nil
        }
    }
}
