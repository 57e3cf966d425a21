import Platform
import PropertyList

/// What an apply did.
package struct ApplyResult: Sendable {
    /// What is in force.
    package let set: PolicySet
    /// The generation that was recorded; `nil` where the sources had not changed, or could not be recorded.
    package let generation: Generation?
    /// Why the sources could not be recorded, as a clause.
    package let generationFailure: String?
    /// Why there is no compiled table of what is in force, as a clause; `nil` where there is one.
    package let tableFailure: String?
    /// Whether the sources are others by now than those that were recorded.
    let isOvertaken: Bool

    /// Whether everything that was found could be recorded.
    var isRecorded: Bool {
        (set.changes.isEmpty || set.areChangesRecorded)
            && !set.problems.contains { $0.code == LintCode.notRecorded.rawValue }
    }

    /// What this one and the one before it did together.
    func following(_ earlier: ApplyResult) -> ApplyResult {
        ApplyResult(
            set: set.following(earlier.set), generation: generation ?? earlier.generation,
            generationFailure: generationFailure, tableFailure: tableFailure, isOvertaken: isOvertaken)
    }
}

extension PolicyStore {
    /// Checks the sources, records what is in force, compiles the table and keeps a generation of the sources; once more
    /// where they changed after they were recorded.
    ///
    /// - Parameters:
    ///   - limit: how many generations are kept.
    ///   - report: gets the changes before they are recorded, as in `load`.
    /// - Returns: what is in force, and what could not be done.
    package func apply(
        keeping limit: Int = GenerationStore.standardLimit, report: ([PolicyChange]) -> Bool
    ) -> ApplyResult {
        var result = applyOnce(limit, report)
        // Where nothing can be recorded, another time would be for nothing.
        for _ in 1..<PolicyStore.lookLimit where result.isOvertaken && result.isRecorded {
            result = applyOnce(limit, report).following(result)
        }
        return result
    }

    /// Records what is in force, keeps a generation of the sources and compiles the table, once.
    private func applyOnce(_ limit: Int, _ report: ([PolicyChange]) -> Bool) -> ApplyResult {
        let faults = KeptFiles(root: root).mend(isThorough: true)
        let untold = toldTime()
        var set: PolicySet
        var kept: Result<Generation?, OperationError> = .success(nil)
        do throws(SystemError) {
            set = try locked {
                let (set, pass) = recordLocked(report: report)
                kept = keepGeneration(limit, of: pass)
                return set
            }
        } catch {
            let failure = notRecorded(error)
            set = look(isWriter: true).set(more: [failure])
            kept = .failure(OperationError(error))
        }
        set.problems += untold
        set = set.taking(faults, root: root)
        let table = compileTable()
        switch kept {
        case .success(let generation):
            return ApplyResult(
                set: set, generation: generation, generationFailure: nil, tableFailure: table.reason,
                isOvertaken: table.isOvertaken)
        case .failure(let error):
            return ApplyResult(
                set: set, generation: nil, generationFailure: error.description, tableFailure: table.reason,
                isOvertaken: table.isOvertaken)
        }
    }

    /// What an apply would find and record, without writing anything.
    package func preview() -> PolicySet { look(isWriter: mayWrite).set() }

    /// The newest generation whose sources are those that are in place; `nil` where there is none.
    package func generationInPlace() -> Int? {
        let pass = look(isWriter: false)
        guard !pass.isRollingBack, let draft = try? GenerationDraft(pass) else { return nil }
        let store = GenerationStore(root: root)
        return store.numbers.last { (try? store.generation($0))?.entries == draft.entries }
    }

    /// Keeps a generation of the sources if they changed; under the lock.
    ///
    /// - Parameters:
    ///   - limit: how many generations are kept.
    ///   - pass: a look under the same lock. Where the sources are others by now, another one is taken.
    /// - Returns: the generation; `nil` where there is nothing new.
    private func keepGeneration(_ limit: Int, of pass: PolicyPass) -> Result<Generation?, OperationError> {
        // While a rollback is not over, the sources are about to be written.
        guard !pass.isRollingBack, pass.mayBeRecorded else { return .success(nil) }
        do throws(OperationError) {
            return .success(try generation(of: pass, limit))
        } catch {
            let pass = look(isWriter: true)
            guard !pass.isRollingBack else { return .success(nil) }
            do throws(OperationError) { return .success(try generation(of: pass, limit)) } catch {
                return .failure(error)
            }
        }
    }

    /// Keeps a generation of what a look found, unless the newest one has the same, and removes those that are too old.
    private func generation(of pass: PolicyPass, _ limit: Int) throws(OperationError) -> Generation? {
        let generation = try save(try draft(of: pass), note: "apply")
        // Nothing was added: then nothing is superfluous but what an earlier, greater limit let stay.
        if generation != nil || GenerationStore(root: root).numbers.count > limit { try prune(keeping: limit) }
        return generation
    }

    /// Why there is no compiled table of policy as it is, as a clause; `nil` where there is one.
    ///
    /// - Parameter renewing: whether it is compiled where this process may write it, which takes some 20 ms.
    /// - Returns: the reason.
    package func tableFailure(renewing: Bool) -> String? {
        if !isManaged || CompiledTable(root: root) != nil { return nil }
        return renewing && mayWrite ? compileTable().reason : "nobody has compiled them since something changed"
    }

    /// What came of compiling.
    private enum Compiled {
        /// There is a table.
        case done
        /// What is in force is not what was recorded last.
        case overtaken
        /// There is none, and why, as a clause.
        case failed(String)

        /// Why there is none, as a clause.
        var reason: String? {
            switch self {
            case .done: nil
            case .overtaken: "the sources changed since they were recorded; run policy apply once more"
            case .failed(let reason): reason
            }
        }

        /// Whether the sources are not those that were recorded.
        var isOvertaken: Bool {
            if case .overtaken = self { true } else { false }
        }
    }

    /// Compiles the table once everything in it has been still for a moment.
    private func compileTable() -> Compiled {
        let deadline = Clock.monotonicMicroseconds() + PolicyStore.stillnessLimit
        while !CompiledTable.isWhole(root: root) {
            let before: WitnessList
            do throws(TableError) {
                before = try WitnessList(root: root)
            } catch {
                return .failed(error.description)
            }
            // What was just recorded has to settle too, and a look before that would be for nothing.
            let rest = before.microsecondsUntilSettled([])
            if rest > 0, Clock.monotonicMicroseconds() + rest < deadline {
                Clock.pause(microseconds: rest)
                continue
            }
            let pass = look(isWriter: true)
            // Another apply would not get any further than this one.
            guard !pass.isRollingBack else { return .failed("a rollback is not over") }
            guard !pass.needsRecording else { return .overtaken }
            let set = pass.set()
            let failure = renewTable(pass, set, before: before)
            if CompiledTable.isWhole(root: root) { break }
            if let failure { return .failed("it cannot be written: \(failure)") }
            guard let sources = pass.sourceWitnesses else { return .failed(PolicyStore.obstacle(pass, root)) }
            let wait = before.microsecondsUntilSettled(sources)
            guard wait > 0, Clock.monotonicMicroseconds() + wait < deadline else {
                return .failed(PolicyStore.reason(set))
            }
            Clock.pause(microseconds: wait)
        }
        return .done
    }

    /// How long is waited for files that keep changing, in microseconds.
    private static let stillnessLimit: Int64 = 2_000_000

    /// Why nobody could tell later whether the sources are still what a look found.
    private static func obstacle(_ pass: PolicyPass, _ root: Root) -> String {
        let lost = [pass.etc, pass.run].first { !$0.isListed && !$0.files.isEmpty }
        guard let lost else { return "a policy file is a link, or cannot be used" }
        return "\(root.display(lost.place.directory)) \(lost.isMissing ? "is missing" : "cannot be listed")"
    }

    /// Why a set is not compiled.
    private static func reason(_ set: PolicySet) -> String {
        if let file = set.files.first(where: { !$0.isStill }) {
            return "\(Printable.escape(file.path)) cannot be vouched for as it is"
        }
        return "something about the sources cannot be vouched for, so they are read each time"
    }
}
