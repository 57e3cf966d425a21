import Audit
import Platform
import Policy
import Preferences
import PropertyList

extension DefaultsStore {
    /// Writes what is to be set once in a domain that was read; the caller holds the lock of the files.
    ///
    /// - Returns: what memory has to take over: the values, also where they could not be written, what others had changed
    ///   meanwhile, and whether everything is in the file; `nil` where nothing is set once.
    func storeSetOnce(at place: StoredPlace) -> (values: [Key: Value], foreign: [Key: Value?], isStored: Bool)? {
        guard place.host == .anyHost, !isInUpdate, let storage, let setOnceBook else { return nil }
        let (resultant, isKnown) = state.withLock { state in
            (state.resultant, state.uncertainty(of: [place.domain, DomainName.global]) == nil)
        }
        guard isKnown, resultant.setOnce[place.domain]?.isEmpty == false else { return nil }
        var foreign: [Key: Value?] = [:]
        let result = setOnceBook.apply(place.domain, resultant) { (values) throws(PreferencesError) in
            let save = try storage.save(place, values.mapValues(Optional.some), replacing: false)
            foreign = save.foreign
            report(save.damaged, in: place.domain)
        } record: { entry, mark in
            var record = AuditRecord(setOnce: entry, mark)
            record.stamp(with: account)
            deliver(sink?.report(record))
        }
        switch result {
        case .nothing: return ([:], foreign, true)
        case .written(let values): return (values, foreign, true)
        case .failed(let values, let reason):
            note(DefaultsStore.setOnceSentence(place.domain, reason))
            return (values, foreign, false)
        }
    }

    /// Writes what new policy sets once in the domains that are in use.
    func storeSetOnceOfNewPolicy() {
        if isInUpdate { return }
        let places = state.withLock { state -> [StoredPlace] in
            guard state.isSetOnceNew else { return [] }
            state.isSetOnceNew = false
            return state.contents.keys.filter { $0.host == .anyHost && state.resultant.setOnce[$0.domain] != nil }
        }
        for place in places {
            files.withLock { _ in
                guard let (values, foreign, _) = storeSetOnce(at: place), !values.isEmpty else { return }
                state.withLock { state in
                    guard let content = state.contents[place] else { return }
                    content.forgetPending(of: values.keys)
                    content.exists = true
                    state.change(content, values.mapValues(Optional.some), isPending: false, cause: .policy)
                    state.adopt(foreign, into: content)
                }
            }
        }
    }

    /// Why something that is to be set once is not stored.
    static func setOnceSentence(_ domain: Key, _ reason: String) -> String {
        "What policy sets once in \(Printable.escape(domain.string)) was not stored and comes again: \(reason)"
    }
}
