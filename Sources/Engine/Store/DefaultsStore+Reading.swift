import Platform
import Policy
import Preferences
import PropertyList

extension DefaultsStore {
    /// Runs under the lock of the files, which the body of an exclusive update holds already.
    private func withFiles(_ body: () -> Void) {
        if isInUpdate { body() } else { files.withLock { _ in body() } }
    }

    /// Reads stored domains that are not in memory yet.
    func load(_ places: [StoredPlace]) {
        withFiles {
            for place in places where state.withLock({ $0.contents[place] == nil }) {
                let content = DomainContent(place, exists: false)
                do throws(PreferencesError) {
                    if case .values(let values, _)? = try storage?.read(place) {
                        content.values = values
                        content.exists = true
                    }
                } catch {
                    note(error.description)
                }
                loadSetOnce(content, at: place)
                state.withLock { $0.contents[place] = content }
            }
        }
    }

    /// Writes what is to be set once in a domain that was just read, and takes it over.
    private func loadSetOnce(_ content: DomainContent, at place: StoredPlace) {
        guard let setOnce = storeSetOnce(at: place) else { return }
        for (key, value) in setOnce.foreign { content.values[key] = value }
        content.values.merge(setOnce.values) { _, new in new }
        content.exists = content.exists || !setOnce.values.isEmpty
        guard setOnce.isStored else { return }
        // Another process may have set it after the domain was read here and before the marks were.
        if case .values(let values, _)? = try? storage?.read(place) {
            content.values = values
            content.exists = true
        }
    }

    /// Reads the domains of all users that are not in memory yet.
    func loadShared(_ domains: [Key]) {
        guard let sharedDefaults else { return }
        withFiles {
            for domain in domains where state.withLock({ $0.shared[domain] == nil }) {
                let content = DomainContent(nil)
                do throws(PreferencesError) {
                    content.values = try sharedDefaults.read(domain)?.values ?? [:]
                } catch {
                    note(error.description)
                }
                state.withLock { $0.shared[domain] = content }
            }
        }
    }

    /// Reads a stored domain anew, where somebody uses it.
    ///
    /// - Returns: whether it could be read; what was known before stays where it could not.
    func refresh(_ place: StoredPlace) -> Bool {
        if isInUpdate { return false }
        let isRead = files.withLock { _ in
            guard let content = state.withLock({ $0.contents[place] }) else { return true }
            do throws(PreferencesError) {
                guard let reading = try storage?.read(place) else { return true }
                state.withLock { $0.take(reading, into: content) }
                return true
            } catch {
                note(error.description)
                return false
            }
        }
        tell()
        return isRead
    }

    /// Reads the domains of all users anew.
    func refreshShared() -> Bool {
        guard let sharedDefaults else { return true }
        if isInUpdate { return false }
        let isRead = files.withLock { _ in
            var isRead = true
            for domain in state.withLock({ Array($0.shared.keys) }) {
                do throws(PreferencesError) {
                    let values = try sharedDefaults.read(domain)?.values ?? [:]
                    state.withLock { state in
                        guard let content = state.shared[domain] else { return }
                        state.adopt(content.difference(to: values), into: content)
                    }
                } catch {
                    note(error.description)
                    isRead = false
                }
            }
            return isRead
        }
        tell()
        return isRead
    }

    /// Has policy speak of some domains, of which it may never have been asked before.
    ///
    /// Policy is then read anew for every domain that was asked about, so that all that this process knows of it is of one
    /// moment. What cannot be read now counts as unknown, and is tried again by whoever asks next.
    func cover(_ domains: [Key]) {
        lookWhileUnwatched()
        if state.withLock({ $0.want(domains) }) { _ = readPolicy(covering: domains) }
    }

    /// Reads policy anew; if what is forced is unknown, a process that knew it keeps what it had, and readers look again.
    ///
    /// - Parameter needed: domains that are the only reason to read it, which is done already if another thread just did;
    ///   empty if it may have changed.
    /// - Returns: whether it could be read.
    func readPolicy(covering needed: [Key] = []) -> Bool {
        let isRead = policyReading.withLock { _ in
            let isDone = state.withLock { state in !needed.isEmpty && needed.allSatisfy { state.resultant.covers($0) } }
            if isDone { return true }
            do throws(SessionError) {
                while true {
                    let reading = try policy.read(state.withLock { $0.wanted })
                    // Another thread may have asked about another domain meanwhile.
                    guard let isKnown = state.withLock({ state in state.take(reading) }) else { continue }
                    if isKnown { setAlarm(reading.nextChange) }
                    lookAgain(isKnown: isKnown)
                    return isKnown
                }
            } catch {
                note(error.description)
                lookAgain(isKnown: false)
                return false
            }
        }
        storeSetOnceOfNewPolicy()
        tell()
        return isRead
    }

    /// Saves, then reads policy and files anew.
    ///
    /// - Returns: whether everything is on disk and could be read.
    package func synchronize() -> Bool {
        // A forked child has nobody who watches until it begins anew.
        if watch.withLock({ $0.map { !$0.isOfThisProcess } }) == true { beginWatching() }
        var isDone = save()
        flushAttempts()
        if !readPolicy() { isDone = false }
        for place in state.withLock({ Array($0.contents.keys) }) where !refresh(place) { isDone = false }
        if !refreshShared() { isDone = false }
        return isDone && storage != nil
    }
}

extension DefaultsStore.State {
    /// Takes over what was read of a domain, but for keys that are about to be saved.
    mutating func take(_ reading: StorageReading, into content: DomainContent) {
        switch reading {
        case .unchanged: return
        case .missing:
            content.exists = !content.pending.isEmpty
            adopt(content.difference(to: [:]), into: content)
        case .values(let values, _):
            content.exists = true
            adopt(content.difference(to: values), into: content)
        }
    }

    /// Takes over policy as it was read.
    ///
    /// - Returns: whether it is known what is forced; `nil` if the reading says nothing of a domain that is asked about, so
    ///   that another one is needed.
    mutating func take(_ reading: PolicyReading) -> Bool? {
        guard reading.resultant.domains.map({ wanted?.isSubset(of: $0) ?? false }) ?? true else { return nil }
        let before = uncertainty
        if let reason = reading.uncertainty {
            note(
                isPolicyKnown
                    ? "Policy could not be read, so what was in force before stays: \(reason)."
                    : "What is forced is unknown, because policy could not be read: \(reason).")
            // A process that has a snapshot keeps it. One that has none takes every key for forced, and stores nothing.
            if isPolicyKnown { return false }
            uncertainty = reason
        } else {
            uncertainty = nil
            isPolicyKnown = true
        }
        let new = reading.resultant
        links = reading.linkFolders
        let isKnown = uncertainty == nil
        // A view that searches a domain that was not read before finds out now.
        let isSame =
            before == uncertainty && resultant.isSame(as: new, in: known)
            && views.values.allSatisfy { $0.forcingDomains.allSatisfy { resultant.covers($0) } }
        guard !isSame else {
            resultant = new
            return isKnown
        }
        rearrange(Array(views.values), cause: .policy) { $0.resultant = new }
        isSetOnceNew = !new.setOnce.isEmpty
        return isKnown
    }

    /// The most domains that are read one by one; who asks about more has all of them read.
    private static let wantedLimit = 32

    /// The domains of which it is known what is in force; `nil` for all.
    var known: Set<Key>? { resultant.domains ?? wanted }

    /// Notes that somebody asks about domains; whether nothing is known of one of them.
    mutating func want(_ domains: [Key]) -> Bool {
        wanted?.formUnion(domains)
        if let count = wanted?.count, count > Self.wantedLimit { wanted = nil }
        return !domains.allSatisfy { resultant.covers($0) }
    }

    /// Why it cannot be told what is forced in some domains; `nil` where it can.
    func uncertainty(of domains: [Key]) -> String? {
        uncertainty ?? (domains.allSatisfy { resultant.covers($0) } ? nil : "policy could not be read for it yet")
    }
}

extension DomainContent {
    /// The changes that make the values these.
    ///
    /// Complexity: O(values).
    func difference(to new: [Key: Value]) -> [Key: Value?] {
        var changes: [Key: Value?] = [:]
        for (key, value) in new where values[key].map({ value.isIdentical(to: $0) }) != true {
            changes[key] = .some(value)
        }
        for key in values.keys where new[key] == nil { changes[key] = .some(nil) }
        return changes
    }
}
