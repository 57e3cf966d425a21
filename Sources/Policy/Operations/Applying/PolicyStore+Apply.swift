import Platform
import PropertyList

/// What an apply did.
package struct ApplyResult: Sendable {
    /// What is in force.
    package let set: PolicySet
    /// What changed, and was recorded.
    package let changes: [PolicyChange]
    /// Whether the record on the disk says what is in force.
    package let isRecorded: Bool
    /// What of the record, the copies and the generations not everybody could read, and everybody can now.
    package let mended: [KeptFault]
    /// The generation that was kept; `nil` if the sources had not changed, or could not be kept.
    package let generation: Generation?
    /// Why the sources could not be kept, as a clause.
    package let generationFailure: String?
    /// Why there is no compiled table of what is in force, as a clause; `nil` if there is one.
    package let tableFailure: String?
    /// Whether the sources are others by now than those that were recorded.
    let isOvertaken: Bool

    /// What this one and the one before it did together.
    func following(_ earlier: ApplyResult) -> ApplyResult {
        ApplyResult(
            set: set, changes: earlier.changes + changes, isRecorded: isRecorded, mended: earlier.mended + mended,
            generation: generation ?? earlier.generation, generationFailure: generationFailure,
            tableFailure: tableFailure, isOvertaken: isOvertaken)
    }
}

extension PolicyStore {
    /// The most times that policy is applied in one go while the sources change.
    private static let applyLimit = 5

    /// Checks the sources, records what is in force, compiles the table and keeps a generation of the sources; once more
    /// if they changed after they were recorded.
    ///
    /// - Parameters:
    ///   - limit: how many generations are kept.
    ///   - report: gets the changes before they are recorded; if it answers false they stay unrecorded.
    /// - Returns: what is in force, and what could not be done.
    package func apply(
        keeping limit: Int = GenerationStore.standardLimit, report: ([PolicyChange]) -> Bool
    ) -> ApplyResult {
        var result = applyOnce(limit, report)
        // If nothing can be recorded, another time would be for nothing.
        for _ in 1..<PolicyStore.applyLimit where result.isOvertaken && result.isRecorded {
            result = applyOnce(limit, report).following(result)
        }
        return result
    }

    /// Records what is in force, keeps a generation of the sources and compiles the table, once.
    private func applyOnce(_ limit: Int, _ report: ([PolicyChange]) -> Bool) -> ApplyResult {
        let faults = KeptFiles(root: root).mend()
        let gone = settledAbsence()
        let before = try? WitnessList(root: root)
        var set: PolicySet
        var (changes, isRecorded): ([PolicyChange], Bool) = ([], false)
        var kept: Result<Generation?, OperationError> = .success(nil)
        do throws(SystemError) {
            set = try locked {
                let recording = recordLocked(RecordEdit(removed: gone), report: report)
                (changes, isRecorded) = (recording.pass.changes, recording.isRecorded)
                kept = keepGeneration(limit, of: recording.pass)
                // The same look serves the table, if nothing had to be recorded.
                if isRecorded, changes.isEmpty { renewTable(recording.pass, recording.set, before: before) }
                return recording.set
            }
        } catch {
            set = look(.reading).set(more: [notRecorded(error)])
            kept = .failure(OperationError(error))
        }
        if isRecorded { stampClock() }
        set.problems += faults.filter(\.isStuck).map { $0.finding(writer: LintAccess.writer(of: root)) }
        let table = compileTable()
        var (generation, failure): (Generation?, String?) = (nil, nil)
        switch kept {
        case .success(let made): generation = made
        case .failure(let error): failure = error.description
        }
        return ApplyResult(
            set: set, changes: changes, isRecorded: isRecorded, mended: faults.filter { !$0.isStuck },
            generation: generation, generationFailure: failure, tableFailure: table.reason,
            isOvertaken: table.isOvertaken)
    }

    /// How long is waited for listings that stay the same, in microseconds.
    private static let absenceLimit: Int64 = 10_000_000

    /// The recorded names that are missing from two equal listings, some time apart; without the lock.
    private func settledAbsence() -> Set<PolicyRecord.FileName> {
        var last = absence()
        let deadline = Clock.monotonicMicroseconds() + PolicyStore.absenceLimit
        while !last.absent.isEmpty, Clock.monotonicMicroseconds() < deadline {
            Clock.pause(microseconds: settlingTime)
            let next = absence()
            if next.names == last.names { return last.absent.intersection(next.absent) }
            last = next
        }
        return []
    }

    /// The names in both directories, and the recorded names that complete listings lack.
    private func absence() -> (names: [[String]], absent: Set<PolicyRecord.FileName>) {
        var (names, absent): ([[String]], Set<PolicyRecord.FileName>) = ([], [])
        for place in PolicyPlace.allCases {
            guard let listed = try? DirectoryListing.open(place, root: root).names() else { continue }
            names.append(listed)
            let known = Set(listed.map { Key($0) })
            let recorded = RecordReading(root: root).record.entries(of: place, boot: Machine.bootID(root: root))
            for name in recorded.keys where !known.contains(name) {
                absent.insert(PolicyRecord.FileName(place: place, name: name))
            }
        }
        return (names, absent)
    }

    /// Stamps the file whose time says when policy was last applied, at most once in some minutes.
    private func stampClock() {
        let age = (try? root.status(StorePath.clock, followingLinks: false)).map { status in
            Clock.now().microseconds - max(status.modified, status.changed) / 1_000
        }
        if let age, age >= 0, age < PolicyStore.stampPause { return }
        // The record's own time says nearly the same, so a failure here needs no word.
        try? put([], at: StorePath.clock, durable: false)
    }

    /// How old the stamp may get, in microseconds.
    private static let stampPause: Int64 = 240_000_000

    /// What an apply would find and record, without writing anything.
    package func preview() -> PolicySet {
        guard mayWrite else { return load() }
        return look(.recording(verifications, RecordEdit(removed: absence().absent))).set()
    }

    /// The newest generation whose sources are those that are in place; `nil` if there is none.
    package func generationInPlace() -> Int? {
        guard let draft = try? GenerationDraft(look(.reading)) else { return nil }
        let store = GenerationStore(root: root)
        return store.numbers.last { (try? store.generation($0))?.entries == draft.entries }
    }

    /// Keeps a generation of the sources if they changed; under the lock.
    ///
    /// - Parameters:
    ///   - limit: how many generations are kept.
    ///   - pass: a look under the same lock. If the sources are others by now, another one is taken.
    /// - Returns: the generation; `nil` if there is nothing new.
    private func keepGeneration(_ limit: Int, of pass: PolicyPass) -> Result<Generation?, OperationError> {
        guard pass.obstacle == nil else { return .success(nil) }
        do throws(OperationError) {
            return .success(try generation(of: pass, limit))
        } catch {
            do throws(OperationError) {
                return .success(try generation(of: look(.recording(verifications, RecordEdit())), limit))
            } catch {
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

    /// Why there is no compiled table of policy as it is, as a clause; `nil` if there is one.
    package var tableFailure: String? {
        if !isManaged || CompiledTable(root: root) != nil { return nil }
        return "they were not compiled since something changed"
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
            let pass = look(.recording(verifications, RecordEdit()))
            guard pass.isRecorded else { return .overtaken }
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
        let lost = [pass.etc, pass.run].first { !$0.listing.isListed && !$0.files.isEmpty }
        guard let lost else { return "a policy file is a link, or cannot be read" }
        return "\(root.display(lost.place.directory)) is missing or cannot be listed"
    }

    /// Why a set is not compiled.
    private static func reason(_ set: PolicySet) -> String {
        if let file = set.files.first(where: { !$0.isStill }) {
            return "\(Printable.escape(file.path)) cannot be vouched for as it is"
        }
        return "something about the sources cannot be vouched for, so they are read each time"
    }
}
