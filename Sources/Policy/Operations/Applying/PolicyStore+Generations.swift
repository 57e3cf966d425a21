import Platform
import PropertyList

extension PolicyStore {
    /// The directory of the generations beneath the root.
    package static var generationsPath: String { StorePath.generations }

    /// Gathers the sources; under the lock.
    ///
    /// - Parameters:
    ///   - pass: a look under the same lock.
    ///   - mayLackDirectory: whether a directory that is gone has no sources, although files of it are in force.
    /// - Returns: the sources.
    /// - Throws: where the directory cannot be listed, or something changed since the look.
    func draft(of pass: PolicyPass, mayLackDirectory: Bool = false) throws(OperationError) -> GenerationDraft {
        do throws(TrustError) {
            return try GenerationDraft(pass, mayLackDirectory: mayLackDirectory)
        } catch {
            throw OperationError(error)
        }
    }

    /// Records the sources as a generation, unless the newest generation has the same; under the lock.
    ///
    /// - Parameters:
    ///   - draft: the sources.
    ///   - note: why they are recorded.
    ///   - evenIfSame: whether a generation is made in any case.
    /// - Returns: the generation, or `nil` where there is nothing new.
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
        } catch {
            throw OperationError(error)
        }
        return generation
    }

    /// Removes generations that are too old; under the lock.
    func prune(keeping limit: Int) throws(OperationError) {
        do throws(SystemError) {
            try GenerationStore(root: root).prune(keeping: limit)
        } catch {
            throw OperationError(error)
        }
    }
}
