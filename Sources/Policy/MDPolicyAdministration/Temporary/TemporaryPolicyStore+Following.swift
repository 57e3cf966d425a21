import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// `/run` follows the folder of exams and grants that outlast a boot.
extension TemporaryPolicyStore {
    /// What following did.
    struct Following {
        /// The names that are over, and gone.
        var removed: Set<PolicyRecord.FileName> = []
        /// Why `/run` is not equal; `nil` if it is.
        var failure: SystemError?
    }

    /// Makes `/run` equal to the folder of what outlasts a boot; under the lock.
    ///
    /// A file there that is no temporary policy, or is damaged, changes nothing: its recorded copy is in force.
    ///
    /// - Parameters:
    ///   - gone: recorded names that the folder does not have any more, so that `/run` loses them too.
    ///   - now: the clocks.
    ///   - report: gets what happened, for the audit log.
    /// - Returns: what was done.
    func follow(
        removing gone: Set<Key> = [], at now: TemporaryClock.Reading, report: ([PolicyChange]) -> Bool
    ) -> Following {
        var following = Following()
        guard let names = PolicyStore.lastingNames(in: root) else {
            do throws(TrustError) { _ = try root.trustedNames(in: StorePath.temporary) } catch {
                guard !error.isMissing else { return following }
                following.failure =
                    if case .system(let cause) = error { cause } else {
                        SystemError(
                            operation: "read", path: root.display(StorePath.temporary), code: 1, reason: "\(error)")
                    }
            }
            return following
        }
        var files: [Key: PolicyFile] = [:]
        for name in names { files[name] = policy(name.string, in: .lasting) }
        var (changes, expired) = observe(files, at: now)
        do throws(SystemError) {
            if !expired.isEmpty {
                try remove(expired.map(\.string))
                for name in expired { files[name] = nil }
            }
            let record = PolicyRecordInspection(root: root).record
            var writing: [Key: [UInt8]] = [:]
            for (name, policy) in files {
                guard let bytes = try content(name.string, in: .lasting), SHA256.hash(bytes) == policy.digest,
                    try content(name.string, in: .run) != bytes
                else { continue }
                writing[name] = bytes
            }
            try change(.run, writing: writing, removing: gone.subtracting(names).map(\.string))
            for name in gone.subtracting(names) { try GrantReason.put(nil, as: name.string, for: nil, in: root) }
            changes += restorations(of: writing.keys.compactMap { files[$0] }, record, at: now)
        } catch {
            following.failure = error
        }
        GrantReason.removeOthers(than: files.keys, in: root)
        // What could not be recorded is in force nevertheless.
        _ = changes.isEmpty || report(changes)
        following.removed = Set(
            expired.union(gone.subtracting(names)).map { PolicyRecord.FileName(place: .run, name: $0) })
        return following
    }

    /// Compares the clocks with those of the last time.
    ///
    /// - Returns: what is to be recorded, and which files have been over for a day.
    private func observe(
        _ files: [Key: PolicyFile], at now: TemporaryClock.Reading
    ) -> (changes: [PolicyChange], expired: Set<Key>) {
        let stored = TemporaryClock(root: root)
        if files.isEmpty {
            if stored != nil { try? root.remove(StorePath.temporaryClock) }
            return ([], [])
        }
        var clock = stored ?? TemporaryClock(now)
        let (events, expired) = clock.take(now, ends: files.mapValues(\.end))
        // Without it times begin again, which ends nothing.
        try? root.replace(StorePath.temporaryClock, with: clock.encoded, mode: 0o644, durable: false)
        var notes: [(PolicyFile, String)] = []
        for (name, event) in events {
            guard let policy = files[name], let end = policy.end.map(PolicyWriter.time) else { continue }
            switch event {
            case .setAhead(let jump):
                notes.append(
                    (policy, "ended, because the clock was set ahead by \(jump / 1_000_000) s over its end, \(end)"))
            case .missed(let last):
                notes.append(
                    (
                        policy,
                        "ended at \(end), while the machine was off or its clock was set ahead: it was last seen at"
                            + " \(PolicyWriter.time(last.wholeSecond))"
                    ))
            case .setBack:
                // A grant counts as ended while the clock is behind.
                if !policy.isGrant {
                    notes.append((policy, "is in force again, because the clock was set back before its end, \(end)"))
                }
            }
        }
        return (TemporaryPolicyStore.changes(notes), expired)
    }

    /// What is to be recorded of files that `/run` lacked.
    private func restorations(
        of files: [PolicyFile], _ record: PolicyRecord, at now: TemporaryClock.Reading
    ) -> [PolicyChange] {
        let isNewBoot = record.boot != nil && now.boot != nil && record.boot != now.boot
        // While the clock is behind, a grant counts as ended.
        let isBehind = TimeFloor(root: root).isAhead
        let open = files.filter { file in
            !(file.isGrant && isBehind) && file.end.map { $0 > now.time } ?? true
        }
        return TemporaryPolicyStore.changes(
            open.map { file in
                let until = file.end.map { " until \(PolicyWriter.time($0))" } ?? ""
                let name = Key(String(file.path.dropFirst(PolicyDirectory.run.path("").count)))
                guard record.lasting.contains(name) else {
                    return (file, "is in force\(until), though its start was interrupted")
                }
                return (
                    file,
                    isNewBoot
                        ? "was interrupted by a boot, and is in force again\(until)"
                        : "was not in /run as it should be, and is put back\(until)"
                )
            })
    }

    /// One change for each exam and grant that says the same.
    private static func changes(_ notes: [(file: PolicyFile, note: String)]) -> [PolicyChange] {
        var seen: Set<String> = []
        return notes.sorted { Key($0.file.path) < Key($1.file.path) }.compactMap { file, note in
            let what = file.examSet.map { "the exam \($0.string)" } ?? "a grant"
            let text = "\(what) \(note)"
            guard seen.insert(file.examSet == nil ? file.path : text).inserted else { return nil }
            return PolicyChange(path: file.path, from: file.digest, to: file.digest, note: text)
        }
    }
}

extension PolicyFile {
    /// The end of temporary policy; `nil` if there is none.
    var end: Timestamp? { target?.notAfter }
}

extension Timestamp {
    /// The second that it is in.
    fileprivate var wholeSecond: Timestamp { Timestamp(microseconds: microseconds / 1_000_000 * 1_000_000) }
}
