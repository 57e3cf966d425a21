import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPreferences
import MDPropertyList
import Synchronization

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

    /// Writes what is to be set once in a domain that was just read, and merges it into memory.
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
            let new = state.withLock { state in domains.filter { state.shared[$0] == nil } }
            for (domain, values) in sharedDefaults.read(new) {
                let content = DomainContent(nil)
                do throws(PreferencesError) {
                    content.values = try values.get()
                } catch {
                    note(error.description)
                }
                state.withLock { $0.shared[domain] = content }
            }
        }
    }

    /// Reads a stored domain again, if it is in use.
    ///
    /// - Returns: whether it could be read; if not, memory stays as it was.
    func refresh(_ place: StoredPlace) -> Bool {
        if isInUpdate { return false }
        let isRead = files.withLock { _ in
            guard let content = state.withLock({ $0.contents[place] }) else { return true }
            do throws(PreferencesError) {
                guard let reading = try storage?.read(place) else { return true }
                state.withLock { $0.merge(reading, into: content) }
                return true
            } catch {
                note(error.description)
                return false
            }
        }
        notifyObservers()
        return isRead
    }

    /// Reads the domains of all users again.
    func refreshShared() -> Bool {
        guard let sharedDefaults else { return true }
        if isInUpdate { return false }
        let isRead = files.withLock { _ in
            var isRead = true
            for (domain, values) in sharedDefaults.read(state.withLock { Array($0.shared.keys) }) {
                do throws(PreferencesError) {
                    let values = try values.get()
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
        notifyObservers()
        return isRead
    }

    /// Reads policy if it was never read for one of some domains.
    ///
    /// Policy is then read again for every requested domain, so that all of it is of one moment. If it cannot be read,
    /// it counts as unknown, and the next request tries again.
    func ensurePolicy(for domains: [Key]) {
        refreshIfUnwatched()
        if state.withLock({ $0.request(domains) }) { _ = readPolicy(covering: domains) }
    }

    /// Reads policy again; if that fails, earlier policy stays in force, and readers poll.
    ///
    /// - Parameter needed: domains that are the only reason to read it, which is done already if another thread just
    ///   did; empty if it may have changed.
    /// - Returns: whether it could be read.
    func readPolicy(covering needed: [Key] = []) -> Bool {
        let isRead = policyReading.withLock { _ in
            let isDone = state.withLock { state in !needed.isEmpty && needed.allSatisfy { state.resultant.covers($0) } }
            if isDone { return true }
            noticeManifests()
            var knowledge = PolicyKnowledge.unread
            do throws(SessionError) {
                // Another thread may ask about another domain meanwhile.
                while knowledge == .unread {
                    let reading = try policy.read(state.withLock { $0.requestedDomains })
                    knowledge = state.withLock { $0.merge(reading) }
                    if knowledge.isCurrent { setAlarm(reading.nextChange) }
                }
            } catch {
                note(error.description, .policy)
                knowledge = state.withLock { $0.fail(because: error.description) }
            }
            poll(knowledge)
            return knowledge.isCurrent
        }
        storeSetOnceOfNewPolicy()
        wakeProblemReaders()
        notifyObservers()
        return isRead
    }

    /// Prepares refusals again if manifests have changed, because manifests say what is sensitive.
    private func noticeManifests() {
        guard channel != nil else { return }
        // An unmanaged machine has none, and nothing of it is asked.
        let directories = policy.folders.isEmpty ? .missing : ManifestSecrecy.Directories(of: root)
        let isNew = manifests.withLock { manifests in
            defer { manifests = directories }
            return manifests != directories
        }
        guard isNew else { return }
        hasManifests.store(directories != .missing, ordering: .relaxed)
        state.withLock { state in
            for view in state.views.values { view.publishRefusals(state.resultant) }
        }
    }

    /// Saves, then reads policy and files again.
    ///
    /// - Returns: whether everything is on disk and could be read.
    package func synchronize() -> Bool {
        // A forked child has no watching thread until it starts one again.
        if watch.status == .lost { beginWatching() }
        var isDone = save()
        flushAttempts()
        if !readPolicy() { isDone = false }
        for place in state.withLock({ Array($0.contents.keys) }) where !refresh(place) { isDone = false }
        if !refreshShared() { isDone = false }
        return isDone && storage != nil
    }
}

extension DefaultsStore.State {
    /// Merges the values that were read of a domain, except for keys that are about to be saved.
    mutating func merge(_ reading: StorageReading, into content: DomainContent) {
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
    /// - Parameter reading: what was read.
    /// - Returns: what is known from then on; `unread` if the reading says nothing of a domain that is asked about, so
    ///   that another one is needed.
    mutating func merge(_ reading: ResultantSet) -> PolicyKnowledge {
        guard reading.domains.map({ requestedDomains?.isSubset(of: $0) ?? false }) ?? true else { return .unread }
        let before = resultant.knowledge.failure
        let knowledge = resultant.knowledge.followed(by: reading.knowledge)
        switch knowledge {
        case .unread, .known: break
        case .incomplete(let domains):
            let noted = resultant.knowledge.unknownDomains
            for (domain, reason) in domains where reading.covers(domain) {
                if resultant.covers(domain), noted[domain] == reason { continue }
                note(DefaultsProblem(.policy, "What is forced in \(domain.string) is unknown: \(reason)."))
            }
        case .stale(let reason):
            note(DefaultsProblem(.policy, "Policy could not be read, so what was in force before stays: \(reason)."))
            resultant.knowledge = knowledge
            return knowledge
        case .unknown(let reason):
            note(
                DefaultsProblem(
                    .policy, "What is forced is unknown, because policy could not be read: \(reason)."))
        }
        // A view that searches a domain that was not read before finds out now.
        let isSame =
            before == knowledge.failure && resultant.isSame(as: reading, in: coveredDomains)
            && views.values.allSatisfy { $0.forcingDomains.allSatisfy { resultant.covers($0) } }
        guard !isSame else {
            resultant = reading
            return knowledge
        }
        rearrange(Array(views.values), cause: .policy) { $0.resultant = reading }
        isSetOnceNew = !reading.setOnce.isEmpty
        return knowledge
    }

    /// Notes that policy could not be read.
    ///
    /// - Parameter reason: why, as a clause.
    /// - Returns: what is known from then on.
    mutating func fail(because reason: String) -> PolicyKnowledge {
        resultant.knowledge = resultant.knowledge.followed(by: .unknown(because: reason))
        return resultant.knowledge
    }

    /// The most domains that are read one by one; for a process that asks about more, all domains are read.
    private static let requestLimit = 32

    /// The domains for which policy was read; `nil` for all.
    var coveredDomains: Set<Key>? { resultant.domains ?? requestedDomains }

    /// Adds domains to those that policy is read for; returns whether policy is unknown for one of them.
    mutating func request(_ domains: [Key]) -> Bool {
        requestedDomains?.formUnion(domains)
        if let count = requestedDomains?.count, count > Self.requestLimit { requestedDomains = nil }
        return !domains.allSatisfy { resultant.covers($0) }
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
