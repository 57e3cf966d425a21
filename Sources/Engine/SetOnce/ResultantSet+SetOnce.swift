package import Policy
import Preferences
package import PropertyList

extension ResultantSet {
    /// The entries of a domain that are to be set once and were not yet.
    ///
    /// Those of keys that are forced wait until they are not, and one that a constraint leaves nothing of is none.
    ///
    /// - Parameters:
    ///   - domain: the domain.
    ///   - marks: what was set before.
    /// - Returns: the entries by key.
    package func pendingSetOnce(of domain: Key, marks: [SetOnceMark]) -> [Key: ResolvedEntry] {
        guard let entries = setOnce[domain], !entries.isEmpty else { return [:] }
        let known = Set(marks.map(\.plain))
        let domains = domain == DomainName.global ? [domain] : [domain, DomainName.global]
        return entries.filter { key, entry in
            !known.contains(SetOnceMark(entry)) && decidingEntry(for: key, in: domains) == nil
                && setOnceValue(of: entry) != nil
        }
    }

    /// The value that an entry writes: its own, or what a constraint leaves of it.
    package func setOnceValue(of entry: ResolvedEntry) -> Value? {
        guard let value = entry.value else { return nil }
        guard let constraint = constraint(of: entry.key, in: [entry.domain, DomainName.global]) else { return value }
        return constraint.obeyed(value)
    }
}

/// What became of the entries of a domain that are set once.
enum SetOnceResult {
    /// There was nothing to do.
    case nothing
    /// These were written.
    case written([Key: Value])
    /// These count all the same, but could not be written or remembered, for this reason.
    case failed([Key: Value], String)
}

extension SetOnceBook {
    /// Writes what is to be set once in a domain.
    ///
    /// The order makes it safe: values on disk, then the records, then the marks. Whoever is killed in between has set a
    /// value that is set once more later; nothing is lost.
    ///
    /// - Parameters:
    ///   - domain: the domain.
    ///   - resultant: what policy says.
    ///   - save: writes values of the domain durably.
    ///   - record: records an entry that was written.
    /// - Returns: what was done.
    func apply(
        _ domain: Key, _ resultant: ResultantSet, save: ([Key: Value]) throws(PreferencesError) -> Void,
        record: (ResolvedEntry, SetOnceMark) -> Void
    ) -> SetOnceResult {
        guard resultant.setOnce[domain]?.isEmpty == false else { return .nothing }
        // Usually everything was set long ago, and nobody needs the lock.
        if let marks = try? marks(), resultant.pendingSetOnce(of: domain, marks: marks).isEmpty { return .nothing }
        var result = SetOnceResult.nothing
        do {
            try update { marks in
                let pending = resultant.pendingSetOnce(of: domain, marks: marks)
                guard !pending.isEmpty else { return nil }
                let values = pending.compactMapValues { resultant.setOnceValue(of: $0) }
                do throws(PreferencesError) {
                    try save(values)
                } catch {
                    result = .failed(values, error.description)
                    return nil
                }
                result = .written(values)
                let new = pending.values.sorted { $0.key < $1.key }.map { ($0, SetOnceMark($0)) }
                for (entry, mark) in new { record(entry, mark) }
                let places = Set(new.compactMap(\.1.sessionPlace))
                return marks.filter { $0.sessionPlace.map { !places.contains($0) } ?? true } + new.map(\.1.coined)
            }
        } catch {
            if case .written(let values) = result { return .failed(values, "\(error).") }
            let pending = resultant.pendingSetOnce(of: domain, marks: (try? marks()) ?? [])
            return .failed(pending.compactMapValues { resultant.setOnceValue(of: $0) }, "\(error).")
        }
        return result
    }
}

extension ResultantSet {
    /// The marks, without words, that applications leave when they set what policy says now, those of sessions left out: they come and go
    /// by themselves.
    package var lastingMarks: [SetOnceMark] {
        let entries = setOnce.values.flatMap(\.values).filter { $0.rule != .eachSession }
        return entries.map { SetOnceMark($0) }.sorted {
            ($0.domain, $0.key, $0.policy) < ($1.domain, $1.key, $1.policy)
        }
    }
}
