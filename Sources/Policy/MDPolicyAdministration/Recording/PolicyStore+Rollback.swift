import MDPlatform
package import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTools

extension PolicyStore {
    /// Gathers the policy files; under the lock.
    ///
    /// - Parameters:
    ///   - scan: a scan under the same lock.
    ///   - mayLackDirectory: whether a missing directory counts as empty, although its files are in force.
    /// - Returns: the draft.
    /// - Throws: if the directory cannot be listed or has changed since the scan.
    func draft(of scan: PolicyScan, mayLackDirectory: Bool = false) throws(OperationError) -> GenerationDraft {
        do throws(TrustError) {
            return try GenerationDraft(scan, mayLackDirectory: mayLackDirectory)
        } catch {
            throw OperationError(error)
        }
    }

    /// Stores a draft as a generation, unless the newest one is equal; under the lock.
    ///
    /// - Parameters:
    ///   - draft: the policy files.
    ///   - note: the reason in words.
    ///   - evenIfSame: whether to store an equal generation too.
    /// - Returns: the generation, or `nil` if nothing changed.
    /// - Throws: why it could not be stored.
    func save(
        _ draft: GenerationDraft, note: String, evenIfSame: Bool = false
    ) throws(OperationError) -> Generation? {
        let store = GenerationStore(root: root)
        if let failure = store.failure { throw OperationError(failure) }
        let newest = store.newest
        if !evenIfSame, draft.entries == newest?.entries ?? [:] { return nil }
        let (number, overflow) = (store.numbers.last ?? 0).addingReportingOverflow(1)
        guard !overflow else { throw OperationError("there are no numbers left for a generation") }
        var generation = Generation(
            number: number, time: Clock.now(), uid: CurrentProcess.uid, loginUID: CurrentProcess.loginUID, note: note,
            entries: draft.entries, changes: [])
        generation.changes = generation.changes(since: newest)
        let bytes: [Digest: [UInt8]]
        do throws(TrustError) {
            bytes = try draft.bytes(without: store.whole(draft.digests))
        } catch {
            throw OperationError(error)
        }
        do throws(SystemError) {
            try store.store(generation, bytes)
            try renewIntroductions(GenerationStore(root: root))
        } catch {
            throw OperationError(error)
        }
        return generation
    }

    /// Removes the oldest generations; under the lock.
    func prune(retaining limit: Int) throws(OperationError) {
        do throws(SystemError) {
            try GenerationStore(root: root).prune(retaining: limit)
        } catch {
            throw OperationError(error)
        }
    }
}

/// The result of a rollback.
package struct RollbackResult: Sendable {
    /// The restored generation.
    package let target: Generation
    /// The generation of the replaced files.
    package let origin: Generation
    /// The generation of the replaced files, if it was stored by this rollback.
    package let saved: Generation?
    /// The new generation of the rollback itself; `nil` if it could not be stored.
    package let made: Generation?
    /// The effective policy files afterwards.
    package let set: PolicySet
    /// The files that were removed while the policy record still has them.
    package let unrecordedRemovals: [String]
    /// The failures after the exchange, as clauses.
    package let failures: [String]
}

extension PolicyStore {
    /// Restores the files of a generation.
    ///
    /// The new directory is built beside the old one, which is stored as a generation if needed. One exchange then
    /// replaces it for every reader at once, and policy is recorded. A process that is killed before the exchange has
    /// changed nothing; after it, the next apply records the new files.
    ///
    /// - Parameters:
    ///   - number: the generation; `nil` for the one before the current one, or, if the directory is missing, the last
    ///       one.
    ///   - limit: the number of generations to retain.
    ///   - announce: records that a rollback to a generation begins; if it returns false, nothing is done.
    ///   - report: gets the changes before they are recorded, as in `load`.
    /// - Returns: the result, with failures after the exchange.
    /// - Throws: why nothing was done.
    package func rollBack(
        to number: Int?, retaining limit: Int = GenerationStore.standardLimit, announce: (Generation) -> Bool,
        report: ([PolicyChange]) -> Bool
    ) throws(OperationError) -> RollbackResult {
        try exclusively { () throws(OperationError) in try rollBackLocked(to: number, limit, announce, report) }
    }

    /// The generation that a rollback would restore; writes nothing.
    ///
    /// - Parameter number: the generation; `nil` for the one before the current one.
    /// - Returns: the generation.
    /// - Throws: why there is none.
    package func rollbackTarget(_ number: Int?) throws(OperationError) -> Generation {
        let store = GenerationStore(root: root)
        if let failure = store.failure { throw OperationError(failure) }
        return try target(number, store, now: try draft(of: scan(.reading), mayLackDirectory: true))
    }

    /// Rolls back under the lock.
    private func rollBackLocked(
        to number: Int?, _ limit: Int, _ announce: (Generation) -> Bool, _ report: ([PolicyChange]) -> Bool
    ) throws(OperationError) -> RollbackResult {
        // This precedes the scan, so that later writes, which would be lost, are noticed.
        let exchange = try DirectoryExchange(root: root)
        let scan = scan(.recording(verifications, PolicyRecordEdit()))
        if let reason = scan.obstacle {
            throw OperationError("not all of policy is known, so nothing was changed: \(reason)")
        }
        let draft = try draft(of: scan, mayLackDirectory: true)
        let store = GenerationStore(root: root)
        if let failure = store.failure { throw OperationError(failure) }
        let target = try target(number, store, now: draft)
        try exchange.build(try wanted(of: target, store))
        // Files that are not stored yet could not be restored later.
        let saved = try save(draft, note: Generation.foundNote + "the rollback to generation \(target.number)")
        guard let origin = saved ?? store.newest else {
            throw OperationError("what lies there now is not kept as a generation")
        }
        guard announce(target) else {
            throw OperationError("the rollback could not be recorded in the audit log, so nothing was changed")
        }
        let (removed, inForce) = removals(origin, target)
        let copies = try standIns(of: target, store)
        var failures = try exchange.commit()
        // From here on the generation is in place: failures are collected, and the remaining steps are still done.
        var edit = PolicyRecordEdit(removed: removed)
        // Not the files that were refused then, which lie there again, too.
        edit.released = Set(target.entries.values.compactMap(\.inForce))
        PolicyStore.collect(&failures) { () throws(OperationError) in
            do throws(SystemError) { try RecordedCopies(root: root).store(copies.bytes) } catch {
                throw OperationError(error)
            }
            edit.restored = copies.entries
        }
        let recorded = recordLocked(edit, report: report)
        var made: Generation?
        PolicyStore.collect(&failures) { () throws(OperationError) in
            made = try save(
                GenerationDraft(of: target), note: Generation.rollbackNote + "\(target.number)", evenIfSame: true)
            try prune(retaining: limit)
        }
        return RollbackResult(
            target: target, origin: origin, saved: saved, made: made, set: recorded.set,
            unrecordedRemovals: recorded.isRecorded ? [] : inForce, failures: failures)
    }

    /// Runs one step and collects its failure, so that the next step still runs.
    static func collect(_ failures: inout [String], _ work: () throws(OperationError) -> Void) {
        do {
            try work()
        } catch {
            failures.append(error.description)
        }
    }

    /// The wanted content of the directory for a generation.
    ///
    /// Of an untrusted file only its effective content is written, if any. A link stays a link if its target has the
    /// right content.
    private func wanted(
        of target: Generation, _ store: GenerationStore
    ) throws(OperationError) -> [Key: DirectoryExchange.Item] {
        var bytes: [Digest: [UInt8]] = [:]
        for digest in target.objects.sorted(by: { $0.hex < $1.hex }) {
            do throws(StoredFileError) { bytes[digest] = try store.object(digest) } catch {
                throw OperationError(error)
            }
        }
        let directory = try? root.trustedDirectory(PolicyDirectory.etc.directory)
        return target.entries.compactMapValues { entry in entry.isMask ? .link("/dev/null") : nil }.merging(
            target.entries.compactMap { name, entry in
                guard !entry.isMask, let digest = entry.restored, let content = bytes[digest] else { return nil }
                let text = (try? directory?.linkTarget(name.string)) ?? nil
                if let text, let own = try? directory?.read(name.string, limit: PolicyFile.limits.bytes).bytes,
                    own == content
                {
                    return (name, .link(text))
                }
                return (name, .file(content))
            }
        ) { $1 }
    }

    /// The policy files that a rollback removes, and the paths of those that are in force by the policy record.
    private func removals(
        _ origin: Generation, _ target: Generation
    ) -> (names: Set<PolicyRecord.FileName>, inForce: [String]) {
        let recorded = PolicyRecordInspection(root: root).record.files.filter { $0.key.place == .etc }
        let known = origin.entries.keys.filter { PolicyFileName.signed($0.string) == nil }
            .map { PolicyRecord.FileName(place: .etc, name: $0) }
        let names = Set(known).union(recorded.keys).filter { name in
            guard let entry = target.entries[name.name] else { return true }
            return !entry.isMask && entry.restored == nil
        }
        let inForce = names.filter { recorded[$0]?.digest != nil }.map(\.name).sorted()
        return (names, inForce.map { PolicyDirectory.etc.path($0.string) })
    }

    /// Finds the generation to restore.
    private func target(
        _ number: Int?, _ store: GenerationStore, now draft: GenerationDraft
    ) throws(OperationError) -> Generation {
        if let number {
            guard store.numbers.contains(number) else {
                throw OperationError("there is no generation \(number)", isMissing: true)
            }
            do throws(StoredFileError) { return try store.generation(number) } catch { throw OperationError(error) }
        }
        // Repeated rollbacks go further back: after a rollback, the generation before the restored one is next.
        var current: Generation?
        if !draft.isWithoutDirectory {
            current = store.numbers.reversed().lazy.compactMap { try? store.generation($0) }.first {
                $0.entries == draft.entries
            }
        }
        while let number = current?.rollbackTarget, let earlier = try? store.generation(number),
            earlier.entries == draft.entries
        {
            current = earlier
        }
        for number in store.numbers.reversed() where number < current?.number ?? .max {
            do throws(StoredFileError) {
                let generation = try store.generation(number)
                if generation.entries != draft.entries { return generation }
            } catch {
                // The caller did not ask for a step of two.
                throw OperationError("\(error); name the generation that is meant, policy history has their numbers")
            }
        }
        throw OperationError(
            current.map { "there is no generation before \($0.number), which is in place" }
                ?? "there is no generation that differs from what is in place", isMissing: true)
    }

    /// The entries that count as recorded for files of the generation that could not be used: the copy that was in
    /// force then, or none.
    private func standIns(
        of generation: Generation, _ store: GenerationStore
    ) throws(OperationError) -> (entries: [PolicyRecord.FileName: PolicyRecord.Entry], bytes: [Digest: [UInt8]]) {
        var entries: [PolicyRecord.FileName: PolicyRecord.Entry] = [:]
        var bytes: [Digest: [UInt8]] = [:]
        for (name, entry) in generation.entries {
            guard let own = entry.bytes, own != entry.inForce, PolicyFileName.signed(name.string) == nil else {
                continue
            }
            let file = PolicyRecord.FileName(place: .etc, name: name)
            guard let digest = entry.inForce else {
                entries[file] = PolicyRecord.Entry(state: .none)
                continue
            }
            do throws(StoredFileError) { bytes[digest] = try store.object(digest) } catch {
                throw OperationError(error)
            }
            entries[file] = PolicyRecord.Entry(state: .lastGood, digest: digest)
        }
        return (entries, bytes)
    }
}
