import MDAuditClient
import MDPlatform
import MDPolicyCore
import MDPreferences
import MDPropertyList

/// What became of the entries of a domain that are set once.
enum SetOnceResult {
    /// There was nothing to do.
    case nothing
    /// These were written.
    case written([Key: Value])
    /// These count all the same, but could not be written or remembered, for this reason.
    case failed([Key: Value], String)

    /// The reason for entries that wait because the audit service may remember them.
    fileprivate static let silence = "the audit service, which remembers what was set, does not answer."

    /// A sentence that says why something that is to be set once is not stored.
    static func sentence(about domain: Key, _ reason: String) -> String {
        "What policy sets once in \(Printable.escape(domain.string)) was not stored and comes again: \(reason)"
    }
}

/// The entries of a domain that are to be set once and were not yet.
struct PendingSetOnce {
    /// The entries.
    fileprivate(set) var entries: [Key: ResolvedEntry]
    /// Whether others wait, because the audit service does not answer and may remember them.
    fileprivate(set) var isWaiting = false
}

extension SetOnceBook {
    /// Finds the entries of a domain that are to be set once and were not yet.
    ///
    /// - Parameters:
    ///   - domain: the domain.
    ///   - resultant: what policy says.
    ///   - own: the marks of the user's own file.
    ///   - adopts: whether the audit service adopts those of them that it does not remember.
    /// - Returns: the entries, and whether others wait.
    func pending(
        of domain: Key, _ resultant: ResultantSet, own: [SetOnceMark], adopts: Bool
    ) -> PendingSetOnce {
        var pending = PendingSetOnce(entries: resultant.setOnceEntries(of: domain))
        let lasting = pending.entries.values.map { SetOnceMark($0) }.filter(\.isLasting)
        let memory = lasting.isEmpty ? .noService : service(lasting, .ask)
        let own = Set(own)
        if adopts, case .marks(let known) = memory {
            let new = lasting.filter { own.contains($0) && !known.contains($0) }
            if !new.isEmpty { _ = service(new, .adopt) }
        }
        pending.entries = pending.entries.filter { _, entry in
            let mark = SetOnceMark(entry)
            if own.contains(mark) { return false }
            switch memory {
            case .marks(let known): return !known.contains(mark)
            case .noService: return true
            case .unknown:
                if mark.isLasting { pending.isWaiting = true }
                return !mark.isLasting
            }
        }
        return pending
    }

    /// Writes what is to be set once in a domain.
    ///
    /// The order makes it safe: values on disk, then the audit records, then the marks. A process that is killed in
    /// between has set a value that is set once more later; nothing is lost.
    ///
    /// - Parameters:
    ///   - domain: the domain.
    ///   - resultant: what policy says.
    ///   - save: writes values of the domain durably.
    ///   - record: records an entry that was written, if the audit service did not.
    /// - Returns: what was done.
    func apply(
        _ domain: Key, _ resultant: ResultantSet, save: ([Key: Value]) throws(PreferencesError) -> Void,
        record: (ResolvedEntry, SetOnceMark) -> Void
    ) -> SetOnceResult {
        guard resultant.setOnce[domain]?.isEmpty == false else { return .nothing }
        // Usually everything was set long ago, and the lock is not needed.
        let first = pending(of: domain, resultant, own: (try? marks()) ?? [], adopts: true)
        var isWaiting = first.isWaiting
        if first.entries.isEmpty { return isWaiting ? .failed([:], SetOnceResult.silence) : .nothing }
        var result = SetOnceResult.nothing
        do {
            try update { own in
                // Another process may have set them meanwhile.
                let rest = pending(of: domain, resultant, own: own, adopts: false)
                isWaiting = isWaiting || rest.isWaiting
                let entries = rest.entries
                if entries.isEmpty { return nil }
                let values = entries.compactMapValues { resultant.setOnceValue(of: $0) }
                do throws(PreferencesError) {
                    try save(values)
                } catch {
                    result = .failed(values, error.description)
                    return nil
                }
                result = .written(values)
                return remember(entries.values.sorted { $0.key < $1.key }, beside: own, record)
            }
        } catch {
            if case .written(let values) = result { return .failed(values, "\(error).") }
            return .failed(first.entries.compactMapValues { resultant.setOnceValue(of: $0) }, "\(error).")
        }
        switch result {
        case .nothing where isWaiting: return .failed([:], SetOnceResult.silence)
        case .written(let values) where isWaiting: return .failed(values, SetOnceResult.silence)
        default: return result
        }
    }

    /// Records entries that were written, and remembers them.
    ///
    /// - Returns: the new marks of the user's own file; `nil` if it needs no change.
    private func remember(
        _ entries: [ResolvedEntry], beside own: [SetOnceMark], _ record: (ResolvedEntry, SetOnceMark) -> Void
    ) -> [SetOnceMark]? {
        var new = entries.map { ($0, SetOnceMark($0)) }
        let lasting = new.map(\.1).filter(\.isLasting)
        if !lasting.isEmpty, case .marks = service(lasting, .remember) { new = new.filter { !$0.1.isLasting } }
        if new.isEmpty { return nil }
        for (entry, mark) in new { record(entry, mark) }
        let places = Set(new.compactMap(\.1.sessionPlace))
        return own.filter { $0.sessionPlace.map { !places.contains($0) } ?? true } + new.map(\.1)
    }
}
