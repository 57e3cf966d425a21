import Platform
import PropertyList

/// What a rollback did.
package struct RollbackResult: Sendable {
    /// The generation whose files are in place again.
    package let target: Generation
    /// The generation of what lay there before.
    package let origin: Generation
    /// The same, where it had not been recorded yet.
    package let saved: Generation?
    /// The generation that the rollback itself is.
    package let made: Generation?
    /// What is in force now.
    package let set: PolicySet
}

extension PolicyStore {
    /// Puts the files of a generation back in place.
    ///
    /// What lies there is recorded as a generation first, if it is none yet. Then one rename puts the other generation
    /// in force, for every reader at once; its files are written after it, new ones first, removals last. Whoever is
    /// killed in between leaves that generation in force, and the next one who may write ends the work. Where the directory
    /// itself is gone it is made again then, when nobody looks at it any more. Where the directory cannot be written,
    /// nothing is done; what cannot be ended all the same is taken back by a rollback to another generation.
    ///
    /// - Parameters:
    ///   - number: the generation; `nil` is the one before the one that is in place, or, where the directory is gone, the
    ///     last one.
    ///   - limit: how many generations are kept.
    ///   - announce: records that a rollback to a generation begins; where it answers false, nothing is done.
    ///   - report: gets the changes before they are recorded, as in `load`.
    /// - Returns: what was done.
    /// - Throws: why nothing was done, or why the files could not all be written.
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

    /// The generation that is put back by a rollback which is not over, and the one that takes it back; `nil` without one.
    package var openRollback: (target: Int, origin: Int)? {
        RecordedTable(root: root).table.rollback.map { ($0.target, $0.origin) }
    }

    /// Does the work of a rollback, under the lock.
    private func rollBackLocked(
        to number: Int?, _ limit: Int, _ announce: (Generation) -> Bool, _ report: ([PolicyChange]) -> Bool
    ) throws(OperationError) -> RollbackResult {
        // An earlier rollback ends first, and every good file gets its copy.
        _ = recordLocked(report: report)
        // Where it could not be ended, this one begins with what lies in place of it.
        let pass = look(isWriter: true, isRollbackOver: true)
        if !pass.mayBeRecorded, let reason = pass.uncertainty {
            throw OperationError("\(PolicyStore.halfLook), so nothing was changed: \(reason)")
        }
        if number == nil, let open = pass.recorded.table.rollback {
            throw OperationError(
                "the rollback to generation \(open.target) is not over; name the generation that is meant, which is "
                    + "\(open.origin) to take it back")
        }
        let draft = try draft(of: pass, mayLackDirectory: true)
        let store = GenerationStore(root: root)
        if let failure = store.failure { throw OperationError(failure) }
        let target = try target(number, store, now: draft)
        for digest in target.objects.sorted(by: { $0.hex < $1.hex }) {
            do throws(TableError) { _ = try store.object(digest) } catch { throw OperationError(error) }
        }
        do {
            try RollbackPlan(origin: draft.entries, target: target, root: root).requireWritable(store)
        } catch {
            throw OperationError("\(error), so nothing was changed")
        }
        // Whatever is not recorded yet could not be had again.
        let saved = try save(draft, note: "found before the rollback to generation \(target.number)")
        guard announce(target) else {
            throw OperationError("the rollback could not be recorded in the audit log, so nothing was changed")
        }
        var table = pass.recorded.table
        let origin = saved ?? store.newest
        guard let origin else { throw OperationError("what lies there now is not kept as a generation") }
        table.rollback = PolicyTable.Rollback(target: target.number, origin: origin.number)
        do throws(SystemError) {
            try put(table.encoded(), at: StorePath.record)
        } catch {
            throw OperationError(error)
        }
        // From here on the generation is in force.
        do throws(OperationError) {
            try finish(RollbackPlan(origin: origin.entries, target: target, root: root))
        } catch {
            _ = write(look(isWriter: true), report: report)
            throw OperationError(
                "\(error); generation \(target.number) is in force all the same, and the next policy apply does what is "
                    + "left to do; policy rollback \(origin.number) takes it back")
        }
        let set = write(look(isWriter: true, isRollbackOver: true), report: report)
        let made = try save(
            GenerationDraft(of: target), note: Generation.rollbackNote + "\(target.number)", evenIfSame: true)
        try prune(keeping: limit)
        return RollbackResult(target: target, origin: origin, saved: saved, made: made, set: set)
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

    /// Ends a rollback that was interrupted, and keeps what lies there then as a generation; under the lock.
    func endInterrupted(
        _ rollback: PolicyTable.Rollback, report: ([PolicyChange]) -> Bool
    ) throws(OperationError) {
        let store = GenerationStore(root: root)
        let (origin, target): (Generation, Generation)
        do throws(TableError) {
            (origin, target) = (try store.generation(rollback.origin), try store.generation(rollback.target))
        } catch {
            throw OperationError(error)
        }
        let note = "the rollback to generation \(target.number) that was interrupted is ended"
        let change = PolicyChange(
            path: GenerationStore.path(target.number), from: origin.digest, to: target.digest, note: note)
        try finish(RollbackPlan(origin: origin.entries, target: target, root: root))
        let pass = look(isWriter: true, isRollbackOver: true)
        _ = try save(try draft(of: pass), note: "end of the interrupted rollback to generation \(target.number)")
        // Only now is it true, and said once however often somebody tried.
        guard report([change]) else { throw OperationError("it could not be recorded in the audit log") }
    }

    /// Writes the files of a generation that is in force already; under the lock.
    private func finish(_ plan: RollbackPlan) throws(OperationError) {
        let store = GenerationStore(root: root)
        do {
            try plan.carryOut(store)
            try keepCopies(of: plan.target, store)
        } catch {
            throw OperationError("\(error)")
        }
    }

    /// Makes the copies that stand in for files which could not be used in the generation those that stood in then.
    private func keepCopies(of generation: Generation, _ store: GenerationStore) throws {
        let copies = GoodStore(root: root, place: .etc)
        for (name, entry) in generation.entries {
            guard let bytes = entry.bytes, bytes != entry.inForce, PolicyFileName.signed(name.string) == nil else {
                continue
            }
            guard let digest = entry.inForce else {
                try copies.remove(name, root: root)
                continue
            }
            // Made while signatures were asked for or not: the mark says so again.
            if let newest = copies.copies[name]?.newest, newest.digest == digest, newest.isSigned == entry.isSigned {
                continue
            }
            if let directory = copies.directory { try root.createDirectory(directory, mode: 0o755) }
            try copies.write(
                try store.file(digest).bytes, digest: digest, of: name, isSigned: entry.isSigned, root: root)
        }
    }
}
