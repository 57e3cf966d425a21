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

    /// Reads policy anew; where it cannot be told what is forced, a running process keeps what it last had.
    ///
    /// - Parameter needed: domains for whose sake alone it is read, which is done already where somebody else just did;
    ///   empty where it may have changed.
    /// - Returns: whether it could be read.
    func readPolicy(covering needed: [Key] = []) -> Bool {
        let isRead = policyReading.withLock { _ in
            let isDone = state.withLock { state in !needed.isEmpty && needed.allSatisfy { state.resultant.covers($0) } }
            if isDone { return true }
            FolderWatch.makeRoom()
            do throws(SessionError) {
                while true {
                    let reading = try settledReading()
                    if needed.isEmpty, state.withLock({ $0.awaits(reading) }) {
                        setAlarm(.soon)
                        return true
                    }
                    // Somebody may have asked about another domain meanwhile.
                    guard let isKnown = state.withLock({ state in state.take(reading) }) else { continue }
                    setAlarm(reading.uncertainty == nil ? .at(reading.nextChange) : .soon)
                    return isKnown
                }
            } catch {
                note(error.description)
                if !CurrentProcess.hasDescriptors { state.withLock { _ = $0.starve(error.description) } }
                setAlarm(.soon)
                return false
            }
        }
        storeSetOnceOfNewPolicy()
        tell()
        return isRead
    }

    /// Reads policy for every domain that was asked about, a second time where something is missing that was forced.
    private func settledReading() throws(SessionError) -> PolicyReading {
        let wanted = state.withLock { $0.wanted }
        let reading = try read(wanted)
        // Some editors take a file away before they put the new one there. What is forced never blinks.
        guard state.withLock({ reading.resultant.lacksForced(of: $0.resultant, in: $0.known) }) else { return reading }
        Clock.pause(microseconds: DefaultsStore.settlingMicroseconds)
        return try read(wanted)
    }

    /// Reads policy where there is stack for it.
    private func read(_ wanted: Set<Key>?) throws(SessionError) -> PolicyReading {
        let policy = policy
        let result = DeepStack.run { Result { () throws(SessionError) in try policy.read(wanted) } }
        guard let result else {
            return PolicyReading(
                resultant: ResultantSet(),
                uncertainty: "the process has too little stack to read it with, and may not have another thread")
        }
        return try result.get()
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

    /// Whether what is in force stays for a moment, because root's commands may be about to record what somebody saved.
    mutating func awaits(_ reading: PolicyReading) -> Bool {
        guard reading.isInDoubt else {
            doubtSince = nil
            return false
        }
        let now = Clock.monotonicMicroseconds()
        let since = doubtSince ?? now
        doubtSince = since
        let isCovered = reading.resultant.domains.map { known?.isSubset(of: $0) ?? false } ?? true
        return isPolicyKnown && uncertainty == nil && isCovered && now - since < Self.longestDoubt
    }

    /// How long that may take, in microseconds.
    private static let longestDoubt: Int64 = 2_000_000

    /// Takes over policy as it was read.
    ///
    /// - Returns: whether it is known what is forced; `nil` where the reading says nothing of a domain that somebody asks
    ///   about, so that another one is needed.
    mutating func take(_ reading: PolicyReading) -> Bool? {
        guard reading.resultant.domains.map({ wanted?.isSubset(of: $0) ?? false }) ?? true else { return nil }
        let before = uncertainty
        if let reason = reading.uncertainty {
            if uncertainty != nil || !CurrentProcess.hasDescriptors, isPolicyKnown { return starve(reason) }
            let isFirst = uncertainty == nil && !isPolicyKnown
            note(
                isFirst
                    ? "It cannot be told what is forced, because policy could not be read: \(reason)."
                    : "Policy could not be read, so what was in force before stays: \(reason).")
            // A process that starts has nothing to keep, and stores nothing until policy can be read.
            guard isFirst || uncertainty != nil else { return false }
            uncertainty = reason
        } else {
            uncertainty = nil
        }
        isPolicyKnown = isPolicyKnown || uncertainty == nil
        let known = known
        let earlier = broken
        broken = Dictionary(reading.broken.map { ($0.path, earlier[$0.path] ?? $0) }) { first, _ in first }
        // A copy that was made since the file broke for this process is the newer version.
        let still = reading.broken.filter { broken[$0.path] == $0 }
        let kept = reading.resultant.keeping(resultant, of: still, in: known)
        if kept != nil || reading.hasUnrecorded {
            note(
                "A policy file cannot be used as it is, and what it forced here was not recorded; it stays in force here."
            )
        }
        let new = kept ?? reading.resultant
        links = reading.linkFolders
        let isKnown = uncertainty == nil && kept == nil
        // A view that searches a domain of which nothing was known finds out now.
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

    /// Keeps what was in force, and takes every other key for forced until policy can be read.
    ///
    /// Whoever may take the last descriptor of a process could else keep new policy out of it.
    fileprivate mutating func starve(_ reason: String) -> Bool {
        guard isPolicyKnown, uncertainty == nil else { return false }
        note(
            "Policy may have changed and could not be read: \(reason). What was in force before stays, and nothing else is free."
        )
        rearrange(Array(views.values), cause: .policy) { $0.uncertainty = reason }
        return false
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
