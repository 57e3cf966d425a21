import Platform
import PropertyList

/// What a rollback did.
package struct RollbackResult: Sendable {
    /// The generation whose files are in place again.
    package let target: Generation
    /// The generation of what lay there before.
    package let origin: Generation
    /// The same, if it had not been recorded yet.
    package let saved: Generation?
    /// The generation that the rollback itself is; `nil` if it could not be kept.
    package let made: Generation?
    /// What is in force now.
    package let set: PolicySet
    /// The files that were in force and were removed, while the record still has them.
    package let unrecordedRemovals: [String]
    /// What could not be done after the files were in place, as clauses.
    package let failures: [String]
}

extension PolicyStore {
    /// Puts the files of a generation back in place.
    ///
    /// The new directory is built beside the old one, which is kept as a generation if it is none yet. Then one exchange
    /// puts the new one in place, for every reader at once, and what is in force is recorded. A process that is killed
    /// before the exchange has changed nothing; after it, the next apply records what the directory holds.
    ///
    /// - Parameters:
    ///   - number: the generation; `nil` is the one before the one that is in place, or, if the directory is gone, the
    ///     last one.
    ///   - limit: how many generations are kept.
    ///   - announce: records that a rollback to a generation begins; if it answers false, nothing is done.
    ///   - report: gets the changes before they are recorded, as in `load`.
    /// - Returns: what was done, and what could not be done after the exchange.
    /// - Throws: why nothing was done.
    package func rollBack(
        to number: Int?, keeping limit: Int = GenerationStore.standardLimit, announce: (Generation) -> Bool,
        report: ([PolicyChange]) -> Bool
    ) throws(OperationError) -> RollbackResult {
        let result: Result<RollbackResult, OperationError>
        do throws(SystemError) {
            result = try locked {
                do throws(OperationError) {
                    return .success(try rollBackLocked(to: number, limit, announce, report))
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw OperationError(error)
        }
        return try result.get()
    }

    /// Does the work of a rollback, under the lock.
    private func rollBackLocked(
        to number: Int?, _ limit: Int, _ announce: (Generation) -> Bool, _ report: ([PolicyChange]) -> Bool
    ) throws(OperationError) -> RollbackResult {
        // Before the look: what is written after it, and would be lost, is noticed.
        let exchange = try DirectoryExchange(root: root)
        let pass = look(.recording(verifications, RecordEdit()))
        if let reason = pass.obstacle {
            throw OperationError("not all of policy is known, so nothing was changed: \(reason)")
        }
        let draft = try draft(of: pass, mayLackDirectory: true)
        let store = GenerationStore(root: root)
        if let failure = store.failure { throw OperationError(failure) }
        let target = try target(number, store, now: draft)
        try exchange.build(try wanted(of: target, store))
        // Whatever is not recorded yet could not be had again.
        let saved = try save(draft, note: "found before the rollback to generation \(target.number)")
        guard let origin = saved ?? store.newest else {
            throw OperationError("what lies there now is not kept as a generation")
        }
        guard announce(target) else {
            throw OperationError("the rollback could not be recorded in the audit log, so nothing was changed")
        }
        let (gone, inForce) = removals(origin, target)
        let copies = try standIns(of: target, store)
        var failures = try exchange.commit().map(\.description)
        // From here on the generation is in place: what cannot be done is said, and the rest is done.
        var edit = RecordEdit(removed: gone)
        PolicyStore.collect(&failures) { () throws(OperationError) in
            do throws(SystemError) { try GoodCopies(root: root).store(copies.bytes) } catch {
                throw OperationError(error)
            }
            edit.restored = copies.entries
        }
        let recorded = recordLocked(edit, report: report)
        var made: Generation?
        PolicyStore.collect(&failures) { () throws(OperationError) in
            made = try save(
                GenerationDraft(of: target), note: Generation.rollbackNote + "\(target.number)", evenIfSame: true)
            try prune(keeping: limit)
        }
        return RollbackResult(
            target: target, origin: origin, saved: saved, made: made, set: recorded.set,
            unrecordedRemovals: recorded.isRecorded ? [] : inForce, failures: failures)
    }

    /// Does one thing, and keeps why it failed, so that the next thing is still done.
    private static func collect(_ failures: inout [String], _ work: () throws(OperationError) -> Void) {
        do {
            try work()
        } catch {
            failures.append(error.description)
        }
    }

    /// What the directory is to hold for a generation.
    ///
    /// What could not be trusted then is written as what was in force of it, or not at all. A link stays one if its target
    /// has the right content.
    private func wanted(
        of target: Generation, _ store: GenerationStore
    ) throws(OperationError) -> [Key: DirectoryExchange.Item] {
        var bytes: [Digest: [UInt8]] = [:]
        for digest in target.objects.sorted(by: { $0.hex < $1.hex }) {
            do throws(TableError) { bytes[digest] = try store.object(digest) } catch { throw OperationError(error) }
        }
        let directory = try? root.trustedDirectory(PolicyPlace.etc.directory)
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

    /// The policy files that a rollback removes, and the paths of those that the record has in force.
    private func removals(
        _ origin: Generation, _ target: Generation
    ) -> (names: Set<PolicyRecord.FileName>, inForce: [String]) {
        let recorded = RecordReading(root: root).record.files.filter { $0.key.place == .etc }
        let known = origin.entries.keys.filter { PolicyFileName.signed($0.string) == nil }
            .map { PolicyRecord.FileName(place: .etc, name: $0) }
        let names = Set(known).union(recorded.keys).filter { name in
            guard let entry = target.entries[name.name] else { return true }
            return !entry.isMask && entry.restored == nil
        }
        let inForce = names.filter { recorded[$0]?.digest != nil }.map(\.name).sorted()
        return (names, inForce.map { PolicyPlace.etc.path($0.string) })
    }

    /// Finds the generation that is meant.
    private func target(
        _ number: Int?, _ store: GenerationStore, now draft: GenerationDraft
    ) throws(OperationError) -> Generation {
        if let number {
            guard store.numbers.contains(number) else {
                throw OperationError("there is no generation \(number)", isMissing: true)
            }
            do throws(TableError) { return try store.generation(number) } catch { throw OperationError(error) }
        }
        // Again and again it goes further back: what a rollback put in place is not what came last, but what it was then.
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
            do throws(TableError) {
                let generation = try store.generation(number)
                if generation.entries != draft.entries { return generation }
            } catch {
                // Nobody asked for a step of two.
                throw OperationError("\(error); name the generation that is meant, policy history has their numbers")
            }
        }
        throw OperationError(
            current.map { "there is no generation before \($0.number), which is in place" }
                ?? "there is no generation that differs from what is in place", isMissing: true)
    }

    /// What counts as recorded of files that could not be used in the generation: the copy that was in force then, or none.
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
            do throws(TableError) { bytes[digest] = try store.object(digest) } catch { throw OperationError(error) }
            entries[file] = PolicyRecord.Entry(state: .lastGood, digest: digest)
        }
        return (entries, bytes)
    }
}
