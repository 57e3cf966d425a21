import Audit
import Platform
import Policy
import Preferences
import PropertyList
import Synchronization

extension DefaultsStore {
    /// Asks for a save a moment later, or saves now where there is no thread to be had.
    func scheduleSave() {
        let isScheduled = workers.withLock { $0.save }?.ask() ?? false
        if !isScheduled { _ = save() }
    }

    /// Writes pending changes to the user's files.
    ///
    /// What fails stays pending, is noted, and is tried again after ``retryDelay``, with the next change, and at the end.
    ///
    /// - Returns: whether everything is on disk.
    func save() -> Bool {
        // The body of an exclusive update would wait for itself.
        if isInUpdate { return false }
        let isSaved = files.withLock { _ in
            let work = state.withLock { state in
                state.noticeFork()
                return state.contents.values.filter { !$0.pending.isEmpty }
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
        tell()
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
    ///   - body: takes the stored value and gives the new one; `nil` removes the key. May run more than once.
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
        tell()
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

    /// Records an attempt; the first of equal ones at once, further ones as a count.
    func record(_ attempt: OverrideAttempt, of identity: ApplicationIdentity) {
        guard let account else { return note("An override attempt was not recorded: its user is not known.") }
        var attempt = attempt
        let domains = [identity.domain, attempt.domain, DomainName.global]
        let isSensitive = state.withLock { $0.resultant.isSensitive(attempt.key, in: domains) }
        attempt.isSensitive = attempt.isSensitive || isSensitive
        deliver(sink?.report(attempt, as: attempt.record(of: account, root: root, identity: identity)))
    }

    /// Records a write that was refused because it is unknown what policy says; equal ones as attempts are.
    func record(_ write: UnstoredWrite, of identity: ApplicationIdentity) {
        guard let account else { return note("A refused write was not recorded: its user is not known.") }
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
        if case .lost(let reason)? = delivery { note(reason) }
    }
}

extension DefaultsStore.State {
    /// Leaves to the parent process what it had not saved when this one was forked off it: saved here, later, it would
    /// undo what the parent stores meanwhile.
    mutating func noticeFork() {
        guard process != CurrentProcess.pid else { return }
        process = CurrentProcess.pid
        for content in contents.values { content.forgetPending() }
        events = []
        isTelling = false
    }

    /// Takes over what a write found.
    ///
    /// A file that was damaged and set aside says nothing about what others want: what this process knows of the domain
    /// is to be saved again.
    mutating func adopt(_ save: StorageSave, into content: DomainContent) {
        if save.damaged.isEmpty { return adopt(save.foreign, into: content) }
        for (key, value) in content.values where content.pending[key] == nil {
            content.apply(key, value, isPending: true)
        }
    }

    /// Takes over what others stored, but for keys that this process is about to save.
    mutating func adopt(_ foreign: [Key: Value?], into content: DomainContent) {
        let changes = foreign.filter { key, value in
            guard content.pending[key] == nil else { return false }
            switch (content.values[key], value) {
            case (nil, nil): return false
            case (let one?, let other?): return !one.isIdentical(to: other)
            default: return true
            }
        }
        if !changes.isEmpty { change(content, changes, isPending: false, cause: .otherProcess) }
    }
}
