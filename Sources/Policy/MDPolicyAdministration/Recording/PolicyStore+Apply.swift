import MDPlatform
package import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// The result of applying policy.
package struct ApplyResult: Sendable {
    /// The effective policy files.
    package let set: PolicySet
    /// The recorded changes.
    package let changes: [PolicyChange]
    /// Whether the policy record on disk is up to date.
    package let isRecorded: Bool
    /// The stored files whose modes were repaired or need repair.
    package let mended: [StoredFileFault]
    /// The new generation; `nil` if policy had not changed, or could not be stored.
    package let generation: Generation?
    /// Why no generation could be stored, as a clause.
    package let generationFailure: String?
    /// Why there is no current compiled table, as a clause; `nil` if there is one.
    package let tableFailure: String?
    /// Whether policy files have changed since they were recorded.
    let isOvertaken: Bool

    /// The result combined with that of an earlier run.
    func following(_ earlier: ApplyResult) -> ApplyResult {
        ApplyResult(
            set: set, changes: earlier.changes + changes, isRecorded: isRecorded, mended: earlier.mended + mended,
            generation: generation ?? earlier.generation, generationFailure: generationFailure,
            tableFailure: tableFailure, isOvertaken: isOvertaken)
    }
}

extension PolicyStore {
    /// The most runs of one apply while policy files change.
    private static let applyLimit = 5

    /// Checks and records policy, compiles the table and stores a generation; repeats if policy files changed after
    /// they were recorded.
    ///
    /// - Parameters:
    ///   - limit: the number of generations to retain.
    ///   - report: gets the changes before they are recorded; if it returns false, they are not recorded.
    /// - Returns: the effective policy, and what could not be done.
    package func apply(
        retaining limit: Int = GenerationStore.standardLimit, report: ([PolicyChange]) -> Bool
    ) -> ApplyResult {
        var result = applyOnce(limit, report)
        // If nothing can be recorded, another run is useless.
        for _ in 1..<PolicyStore.applyLimit where result.isOvertaken && result.isRecorded {
            result = applyOnce(limit, report).following(result)
        }
        return result
    }

    /// Records policy, stores a generation and compiles the table, once.
    private func applyOnce(_ limit: Int, _ report: ([PolicyChange]) -> Bool) -> ApplyResult {
        let faults = StoredFiles(root: root).repair()
        let removed = confirmedAbsence()
        do throws(SystemError) {
            return finish(
                try locked {
                    removeLeftovers()
                    let gone = Set(removed.filter { $0.place == .run }.map(\.name))
                    let following = TemporaryPolicyStore(root: root).follow(
                        removing: gone, at: .now(root), report: report)
                    return applyLocked(
                        PolicyRecordEdit(removed: removed.union(following.removed)), limit, note: Generation.applyNote,
                        report)
                }, faults)
        } catch {
            let set = scan(.reading).set(more: [notRecorded(error)])
            return finish(
                LockedApply(set: set, changes: [], isRecorded: false, stored: .failure(OperationError(error))), faults)
        }
    }

    /// What an apply did under the lock.
    struct LockedApply {
        /// The effective policy files.
        var set: PolicySet
        /// The recorded changes.
        let changes: [PolicyChange]
        /// Whether the policy record on disk is up to date.
        let isRecorded: Bool
        /// The new generation, if policy had changed, or why it could not be stored.
        let stored: Result<Generation?, OperationError>
        /// Whether another apply may find more to do.
        var isPartial = false
    }

    /// Scans policy once, and records it, stores a generation and compiles the table of this scan; under the lock.
    ///
    /// - Parameters:
    ///   - edit: the changes that the caller has made itself.
    ///   - limit: the number of generations to retain.
    ///   - note: why, for the generation.
    ///   - report: gets the changes before they are recorded.
    /// - Returns: what was done.
    func applyLocked(
        _ edit: PolicyRecordEdit, _ limit: Int, note: String, _ report: ([PolicyChange]) -> Bool
    ) -> LockedApply {
        let before = try? Fingerprints(root: root)
        let recording = recordLocked(edit, report: report)
        let stored = storeGeneration(limit, of: recording.scan, note)
        if recording.isRecorded { renewTable(recording.scan, recording.set, before: before) }
        return LockedApply(
            set: recording.set, changes: recording.scan.changes, isRecorded: recording.isRecorded, stored: stored,
            isPartial: recording.scan.lacksNames || recording.scan.inspection.failure != nil)
    }

    /// Does what follows on an apply under the lock: the stamp, and the table if it could not be compiled there.
    func finish(_ applied: LockedApply, _ faults: [StoredFileFault]) -> ApplyResult {
        if applied.isRecorded {
            stampClock()
            // Programs in a sandbox that cannot compare it ask no service.
            if root.isSystem { try? RunFolder.recordDevice(root: root) }
        }
        var set = applied.set
        set.problems += faults.filter(\.isStuck).map { $0.finding(writer: StoredFiles.writer(of: root)) }
        let table = compileTable()
        var (generation, failure): (Generation?, String?) = (nil, nil)
        switch applied.stored {
        case .success(let made): generation = made
        case .failure(let error): failure = error.description
        }
        return ApplyResult(
            set: set, changes: applied.changes, isRecorded: applied.isRecorded, mended: faults.filter { !$0.isStuck },
            generation: generation, generationFailure: failure, tableFailure: table.reason,
            isOvertaken: table.isOvertaken)
    }

    /// The longest wait for equal listings, in microseconds.
    private static let absenceLimit: Int64 = 10_000_000

    /// The recorded names that are missing from two equal listings, some time apart.
    ///
    /// The caller does not hold the lock.
    private func confirmedAbsence() -> Set<PolicyRecord.FileName> {
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

    private func absence() -> (names: [[String]], absent: Set<PolicyRecord.FileName>) {
        var (names, absent): ([[String]], Set<PolicyRecord.FileName>) = ([], [])
        let listings = PolicyDirectory.allCases.map { place in
            (place, names: try? DirectoryListing.open(place, root: root).names())
        }
        let (record, boot) = (PolicyRecordInspection(root: root).record, Machine.bootID(root: root))
        for case (let place, let listed?) in listings {
            names.append(listed)
            let known = Set(listed.map { Key($0) })
            for name in record.entries(of: place, boot: boot).keys where !known.contains(name) {
                if place == .run, record.lasting.contains(name) { continue }
                absent.insert(PolicyRecord.FileName(place: place, name: name))
            }
        }
        // Of what outlasts a boot its own folder decides.
        if let lasting = PolicyStore.lastingNames(in: root) {
            names.append(lasting.sorted().map(\.string))
            for name in record.lasting.subtracting(lasting) {
                absent.insert(PolicyRecord.FileName(place: .run, name: name))
            }
        }
        return (names, absent)
    }

    /// Updates the time of the file that says when policy was last applied, at most once in some minutes.
    private func stampClock() {
        let age = (try? root.status(StorePath.clock, followingLinks: false)).map { status in
            Clock.now().microseconds - max(status.modified, status.changed) / 1_000
        }
        if let age, age >= 0, age < PolicyStore.stampPause { return }
        // The time of the policy record is nearly the same, so a failure is ignored.
        try? put([], at: StorePath.clock, durable: false)
    }

    /// The age at which the stamp is renewed, in microseconds.
    private static let stampPause: Int64 = 240_000_000

    /// The policy set that an apply would find, without writing anything.
    package func preview() -> PolicySet {
        guard mayWrite else { return load() }
        return scan(.recording(verifications, PolicyRecordEdit(removed: absence().absent))).set()
    }

    /// The newest generation that equals the current policy files; `nil` if there is none.
    package func generationInPlace() -> Int? {
        guard let draft = try? GenerationDraft(scan(.reading)) else { return nil }
        let store = GenerationStore(root: root)
        return store.numbers.last { (try? store.generation($0))?.entries == draft.entries }
    }

    /// Stores a generation of the policy files if they changed; under the lock.
    ///
    /// - Parameters:
    ///   - limit: the number of generations to retain.
    ///   - scan: a scan under the same lock. If policy files have changed since, they are scanned again.
    ///   - note: why, for the generation.
    /// - Returns: the generation; `nil` if nothing changed.
    private func storeGeneration(
        _ limit: Int, of scan: PolicyScan, _ note: String
    ) -> Result<Generation?, OperationError> {
        guard scan.obstacle == nil else { return .success(nil) }
        do throws(OperationError) {
            return .success(try generation(of: scan, limit, note))
        } catch {
            do throws(OperationError) {
                return .success(
                    try generation(of: self.scan(.recording(verifications, PolicyRecordEdit())), limit, note))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Stores a generation of a scan unless the newest one is equal, and removes the oldest ones.
    private func generation(
        of scan: PolicyScan, _ limit: Int, _ note: String
    ) throws(OperationError) -> Generation? {
        let generation = try save(try draft(of: scan), note: note)
        if generation == nil {
            do throws(SystemError) { try renewIntroductions(GenerationStore(root: root)) } catch {
                throw OperationError(error)
            }
        }
        // If none was added, there can only be too many because of an earlier, greater limit.
        if generation != nil || GenerationStore(root: root).numbers.count > limit { try prune(retaining: limit) }
        return generation
    }

    /// Why there is no current compiled table, as a clause; `nil` if there is one.
    package var tableFailure: String? {
        if !isManaged || CompiledTable(root: root) != nil && hasManifestsCompiled { return nil }
        return "they were not compiled since something changed"
    }

    /// The result of compiling.
    private enum Compiled {
        /// There is a current table.
        case done
        /// Policy has changed since it was recorded.
        case overtaken
        /// There is no table; the reason as a clause.
        case failed(String)

        /// Why there is no table, as a clause.
        var reason: String? {
            switch self {
            case .done: nil
            case .overtaken: "the sources changed since they were recorded; run policy apply once more"
            case .failed(let reason): reason
            }
        }

        /// Whether policy has changed since it was recorded.
        var isOvertaken: Bool {
            if case .overtaken = self { true } else { false }
        }
    }

    /// Compiles the table once all its files have been unchanged for a moment.
    private func compileTable() -> Compiled {
        let deadline = Clock.monotonicMicroseconds() + PolicyStore.settlingLimit
        while !isTableWhole {
            let before: Fingerprints
            do throws(StoredFileError) {
                before = try Fingerprints(root: root)
            } catch {
                return .failed(error.description)
            }
            // The policy record that was just written must settle too; an earlier scan would be useless.
            let rest = before.microsecondsUntilSettled([])
            if rest > 0, Clock.monotonicMicroseconds() + rest < deadline {
                Clock.pause(microseconds: rest)
                continue
            }
            let scan = scan(.recording(verifications, PolicyRecordEdit()))
            guard scan.isRecorded else { return .overtaken }
            let set = scan.set()
            let failure = renewTable(scan, set, before: before)
            if isTableWhole { break }
            if let failure { return .failed("it cannot be written: \(failure)") }
            guard let sources = scan.sourceFingerprints else { return .failed(PolicyStore.obstacle(scan, root)) }
            let manifests = ManifestSet.witnesses(root: root) ?? []
            let wait = before.microsecondsUntilSettled(sources + manifests)
            guard wait > 0, Clock.monotonicMicroseconds() + wait < deadline else {
                return .failed(PolicyStore.reason(set))
            }
            Clock.pause(microseconds: wait)
        }
        return .done
    }

    /// Whether there is a current table to its last byte, with what the manifests say.
    private var isTableWhole: Bool { CompiledTable.isWhole(root: root) && hasManifestsCompiled }

    /// Whether the table has what the manifests say, or cannot have it.
    private var hasManifestsCompiled: Bool {
        CompiledTable.manifestSecrets(root: root) != nil || ManifestSet.witnesses(root: root) == nil
    }

    /// The longest wait for files that change repeatedly, in microseconds.
    private static let settlingLimit: Int64 = 2_000_000

    /// Why later processes could not check that the policy files are those of a scan.
    private static func obstacle(_ scan: PolicyScan, _ root: Root) -> String {
        let lost = [scan.etc, scan.run].first { !$0.listing.isListed && !$0.files.isEmpty }
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

extension PolicyStore {
    /// Compiles the result of a recorded scan if it can be verified later and the table on disk differs.
    ///
    /// A table is written only once all its files have been unchanged for a moment, because it would be unusable
    /// otherwise. It need not survive a crash, so it is not synced.
    ///
    /// - Parameters:
    ///   - scan: the scan. If its record was written after it, the caller has held the lock since.
    ///   - set: the policy set of the scan.
    ///   - before: the fingerprints taken before the scan.
    /// - Returns: why it could not be written; `nil` if it was, or if there was nothing to write.
    @discardableResult
    func renewTable(_ scan: PolicyScan, _ set: PolicySet, before: Fingerprints?) -> SystemError? {
        // The record that was written after the scan is the only file that may have changed since.
        let written = scan.isRecorded ? nil : StorePath.record
        guard let before, let sources = scan.sourceFingerprints, before.isSettled(sources, besides: written),
            !isTableWhole, let after = settledFingerprints(), after.agrees(with: before, besides: written),
            written == nil || sources.allSatisfy({ $0.isCurrent(root: root) })
        else { return nil }
        guard let host = scan.record.host, let tags = set.tags, set.knowledge.isDecisive,
            // Warnings about a file concern lint only and do not affect effective policy.
            set.problems.allSatisfy({ $0.code == LintCode.groupWritable.rawValue }),
            !set.files.contains(where: \.isLost), !scan.dependsOnBoot,
            // The kernel's host name may change without a change of any file.
            !root.isSystem || Machine.fileHostName(root: root)?.full == host,
            case let manifests = ManifestSet.compiled(root: root), before.isSettled(manifests?.witnesses ?? []),
            let bytes = CompiledTable.compile(
                set, host: host, tags: tags, surroundings: after.fingerprints, sources: sources, manifests: manifests,
                // After the record was written the sources were compared again.
                generation: written != nil || before.generation == after.generation ? after.generation : 0)
        else { return nil }
        // If the disk is full, processes read the policy files instead.
        do throws(SystemError) {
            try put(bytes, at: StorePath.table, durable: false)
            return nil
        } catch {
            return error
        }
    }
}

extension PolicyStore {
    /// The fingerprints once the record that was just written has settled; `nil` if they do not settle at once.
    private func settledFingerprints() -> Fingerprints? {
        guard let first = try? Fingerprints(root: root) else { return nil }
        let rest = first.microsecondsUntilSettled([])
        if rest == 0 { return first }
        Clock.pause(microseconds: min(rest, Fingerprints.settlingPause))
        guard let second = try? Fingerprints(root: root), second.isSettled([]) else { return nil }
        return second
    }
}

extension PolicyScan {
    /// Whether the policy record has names that are missing from a listed directory: apply decides what becomes of them.
    var lacksNames: Bool {
        [etc, run].contains { scan in
            guard scan.listing.isListed else { return false }
            let present = Set(scan.listing.names.map { Key($0) })
            return scan.entries.keys.contains { !present.contains($0) }
        }
    }

    /// Whether the next boot ends effective policy: files of `/run` that only recorded copies represent.
    var dependsOnBoot: Bool { run.sorted.contains(where: \.isStandIn) }

    /// The fingerprints of all policy files when they were read, and of all links that switch files off.
    ///
    /// - Returns: the fingerprints; `nil` if a file could not be read or is behind a link, or if something other than
    ///   the directory was read. The fingerprints of the directory prove that the names belonged to these files.
    var sourceFingerprints: [FileFingerprint]? {
        var witnesses: [FileFingerprint] = []
        witnesses.reserveCapacity(etc.sorted.count + run.sorted.count)
        for scan in [etc, run] {
            for name in scan.listing.files.filter(\.isMask).map(\.name) {
                let path = String(scan.place.path(name.string).dropFirst())
                guard let witness = try? FileFingerprint(path, .content, root: root), witness.status?.kind == .link
                else {
                    return nil
                }
                witnesses.append(witness)
            }
            if case .ignored = scan.listing.state { return nil }
            for file in scan.listing.files where !file.isMask {
                guard let status = file.status, file.linkTarget == nil else { return nil }
                witnesses.append(FileFingerprint(String(Substring(file.path.utf8.dropFirst())), of: status))
            }
        }
        return witnesses
    }
}
