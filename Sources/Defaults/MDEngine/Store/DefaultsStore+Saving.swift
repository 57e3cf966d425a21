import MDAuditClient
import MDAuditRecord
import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPreferences
import MDPropertyList
import Synchronization

extension DefaultsStore {
    /// Schedules a save, or saves now if there is no thread for it.
    func scheduleSave() {
        let isScheduled = workers.withLock { $0.save }?.ask() ?? false
        if !isScheduled { _ = save() }
    }

    /// Writes pending changes to the user's files.
    ///
    /// What fails stays pending, is noted, and is tried again after ``retryDelay``, with the next change, and at the
    /// end.
    ///
    /// - Returns: whether everything is on disk.
    func save() -> Bool {
        // The body of an exclusive update would wait for itself.
        if isInUpdate { return false }
        let isSaved = files.withLock { _ in
            let work = state.withLock { state in
                state.contents.values.filter { !$0.pending.isEmpty }
            }
            var isSaved = true
            for content in work {
                guard let storage, let place = content.place else { return false }
                do throws(PreferencesError) {
                    try save(content, at: place, in: storage)
                } catch {
                    note(error.description)
                    isSaved = false
                }
            }
            return isSaved
        }
        notifyObservers()
        if !isSaved, storage != nil { _ = workers.withLock { $0.retry }?.ask() }
        return isSaved
    }

    /// Whether the calling thread runs the body of an exclusive update of this store.
    var isInUpdate: Bool { updater.load(ordering: .relaxed) == CurrentThread.id }

    /// Writes the pending changes of one domain; the caller holds the lock of the files.
    ///
    /// Changes that no file can hold together with the others stay behind; they hold up nothing else.
    ///
    /// - Throws: why something is not on disk; it stays pending.
    private func save(
        _ content: DomainContent, at place: StoredPlace, in storage: any DomainStorage
    ) throws(PreferencesError) {
        let unsaved = state.withLock { _ in content.unsaved }
        guard !unsaved.changes.isEmpty else { return }
        do throws(PreferencesError) {
            try save(content, unsaved.changes, upTo: unsaved.serial, at: place, in: storage)
            // What was known of a file that was set aside.
            let rest = state.withLock { _ in content.unsaved }
            if !rest.changes.isEmpty { try save(content, rest.changes, upTo: rest.serial, at: place, in: storage) }
            return
        } catch {
            guard case .notStorable = error, unsaved.changes.count > 1 else { throw error }
        }
        var failure: PreferencesError?
        for (key, value) in unsaved.changes {
            do throws(PreferencesError) {
                try save(content, [key: value], upTo: unsaved.serial, at: place, in: storage)
            } catch {
                guard case .notStorable = error else { throw error }
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Writes some changes of one domain.
    private func save(
        _ content: DomainContent, _ changes: [Key: Value?], upTo serial: UInt64, at place: StoredPlace,
        in storage: any DomainStorage
    ) throws(PreferencesError) {
        let result = try storage.save(place, changes, replacing: false)
        state.withLock { state in
            content.didSave(changes, upTo: serial)
            state.adopt(result, into: content)
        }
        report(result.damaged, in: place.domain)
    }

    /// Changes one key depending on what is stored, while no other process writes the domain.
    ///
    /// What this process changed in the domain before is saved first, so that the body sees it.
    ///
    /// - Parameters:
    ///   - content: the domain.
    ///   - key: the key.
    ///   - body: gets the stored value and returns the new one; `nil` removes the key. May run more than once.
    /// - Returns: whether something changed.
    /// - Throws: why nothing was stored.
    func modify(
        _ content: DomainContent, _ key: Key, _ body: (Value?) -> Value?
    ) throws(PreferencesError) -> Bool {
        guard let storage, let place = content.place else { return false }
        // Other domains are not in the way.
        try files.withLock { _ throws(PreferencesError) in try save(content, at: place, in: storage) }
        var stored: Value?
        var changed: Value?
        let result = try files.withLock { _ throws(PreferencesError) in
            updater.store(CurrentThread.id, ordering: .relaxed)
            defer { updater.store(0, ordering: .relaxed) }
            let result = try storage.modify(place) { values in
                stored = values[key]
                changed = body(stored)
                return [key: changed]
            }
            let changed = changed
            state.withLock { state in
                state.adopt(result, into: content)
                // What another thread set meanwhile comes later, on the disk too.
                if content.pending[key] == nil {
                    state.change(content, [key: changed], isPending: false, cause: .application)
                }
                if result.isWritten { content.exists = true }
            }
            return result
        }
        report(result.damaged, in: place.domain)
        if !result.damaged.isEmpty { scheduleSave() }
        notifyObservers()
        return result.isWritten
    }

    /// Records files that were set aside because they could not be read.
    func report(_ damaged: [DamagedFile], in domain: Key) {
        for file in damaged {
            var record = AuditRecord(kind: .damaged, src: .client, note: file.description)
            record.stamp(with: account)
            record.domain = domain
            deliver(sink?.report(record))
            note(file.description)
        }
    }

    /// Records a write; the first of equal ones at once, further ones as a count.
    func record(_ write: RecordedWrite, of identity: ApplicationIdentity) {
        guard let account else {
            return note(
                write.isAttempt
                    ? "An override attempt was not recorded: its user is not known."
                    : "A refused write was not recorded: its user is not known.", .audit)
        }
        var write = write
        let domains = [identity.domain, write.domain, DomainName.global]
        if let key = write.key, state.withLock({ $0.resultant.isSensitive(key, in: domains) }) {
            write.isSensitive = true
        }
        deliver(sink?.report(write, as: write.record(of: account, root: root, identity: identity)))
    }

    /// Stores the counts of equal attempts.
    func flushAttempts() {
        for delivery in sink?.flush() ?? [] { deliver(delivery) }
    }

    /// Remembers what could not be recorded.
    func deliver(_ delivery: Delivery?) {
        if let reason = delivery?.problem { note(reason, .audit) }
    }
}

extension DefaultsStore.State {
    /// Merges the values that a write found.
    ///
    /// A file that was damaged and set aside does not show what others stored: what this process has of the domain
    /// is to be saved again.
    mutating func adopt(_ save: SaveResult, into content: DomainContent) {
        if save.damaged.isEmpty { return adopt(save.foreign, into: content) }
        for (key, value) in content.values where content.pending[key] == nil {
            content.apply(key, value, isPending: true)
        }
    }

    /// Merges the values that others stored, except for keys that this process is about to save.
    mutating func adopt(_ foreign: [Key: Value?], into content: DomainContent) {
        let changes = foreign.filter { key, value in
            content.pending[key] == nil && !content.values[key].isIdentical(to: value)
        }
        if !changes.isEmpty { change(content, changes, isPending: false, cause: .otherProcess) }
    }
}

extension DefaultsStore {
    /// Writes what is to be set once in a domain that was read; the caller holds the lock of the files.
    ///
    /// - Returns: what is to be merged into memory: the values, even if they could not be written, what others had
    ///   changed meanwhile, and whether everything is in the file; `nil` if nothing is set once.
    func storeSetOnce(at place: StoredPlace) -> (values: [Key: Value], foreign: [Key: Value?], isStored: Bool)? {
        guard place.host == .anyHost, !isInUpdate, let storage, let setOnceBook else { return nil }
        let (resultant, isKnown) = state.withLock { state in
            (state.resultant, state.resultant.failure(in: [place.domain, DomainName.global]) == nil)
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
            note(SetOnceResult.sentence(about: place.domain, reason), .setOnce)
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
}
