package import MDPlatform
package import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
package import MDPolicyStore
package import MDPropertyList

/// Policy files that are to be put into the administrator's directory.
package struct PolicyInstallation: Sendable {
    /// What is to lie under a name.
    package enum Item: Hashable, Sendable {
        /// A policy file or a signature.
        case file([UInt8])
        /// A link that switches a file of `/run` off.
        case mask
    }

    /// The items by name.
    package var items: [Key: Item]
    /// Whether policy files of other names go; if not, they stay as they are.
    package let isWhole: Bool
    /// The names that go; if the directory is taken as a whole, all others go anyway.
    package let removed: Set<Key>
    /// Whether a lower `Version` than was recorded counts, because an authorized rollback says so.
    package let mayGoBack: Bool
    /// The digests of the files that the caller saw under some names, `nil` where there was none: a directory that has
    /// another file by now is not changed.
    package var seen: [Key: Digest?] = [:]

    package init(_ items: [Key: Item], isWhole: Bool, removing removed: Set<Key> = [], mayGoBack: Bool = false) {
        (self.items, self.isWhole, self.mayGoBack) = (items, isWhole, mayGoBack)
        self.removed = removed.subtracting(items.keys)
    }

    /// The policy files, without signatures and links.
    package var files: [(name: Key, bytes: [UInt8])] {
        items.sorted { $0.key < $1.key }.compactMap { name, item in
            guard case .file(let bytes) = item, PolicyFileName.signed(name.string) == nil else { return nil }
            return (name, bytes)
        }
    }

    /// Whether a source of a name stays beside the items: never one of the same name, nor a signature of one.
    func keeps(_ name: Key) -> Bool {
        if isWhole || items[name] != nil || removed.contains(name) { return false }
        return PolicyFileName.signed(name.string).map { keeps(Key($0)) } ?? true
    }
}

/// What became of an installation.
package struct InstallResult: Sendable {
    /// The generation of what lay there, if it was stored by this installation.
    package let saved: Generation?
    /// Whether the directory was exchanged; false if it had all of this already.
    package let isExchanged: Bool
    /// What the apply did that is part of the installation.
    package let applied: ApplyResult
    /// The files that were removed while the policy record still has them.
    package let unrecordedRemovals: [String]
    /// The failures after the exchange, as clauses.
    package let failures: [String]
}

extension PolicyStore {
    /// Puts policy files into the administrator's directory by one exchange of the whole directory.
    ///
    /// The files that lie there are stored as a generation first, unless they are one already. A process that is killed
    /// before the exchange has changed nothing; after it, the next apply records the new files. Otherwise one scan of
    /// the new directory serves the record, the generation and the table, and another apply follows only if something
    /// is left to do.
    ///
    /// - Parameters:
    ///   - installation: the files.
    ///   - note: why, for the generation.
    ///   - limit: the number of generations to retain.
    ///   - earlier: a scan before the lock was taken, whose files are not read again if they are unchanged.
    ///   - announce: records that an installation begins; if it returns false, nothing is done.
    ///   - report: gets the changes before they are recorded, as in `load`.
    /// - Returns: the result, with failures after the exchange.
    /// - Throws: why nothing was done.
    package func install(
        _ installation: PolicyInstallation, note: String, retaining limit: Int = GenerationStore.standardLimit,
        after earlier: PolicyScan? = nil, announce: () -> Bool, report: ([PolicyChange]) -> Bool
    ) throws(OperationError) -> InstallResult {
        let exchanged = try exclusively { () throws(OperationError) in
            try installLocked(installation, note, limit, earlier, announce, report)
        }
        guard let done = exchanged else {
            let applied = apply(retaining: limit, report: report)
            return InstallResult(saved: nil, isExchanged: false, applied: applied, unrecordedRemovals: [], failures: [])
        }
        var applied = finish(done.applied, StoredFiles(root: root).repair())
        var failures = done.failures
        if !applied.isRecorded || applied.isOvertaken || applied.generationFailure != nil || done.applied.isPartial {
            failures += [applied.generationFailure].compactMap(\.self)
            applied = apply(retaining: limit, report: report).following(applied)
        }
        return InstallResult(
            saved: done.saved, isExchanged: true, applied: applied,
            unrecordedRemovals: applied.isRecorded ? [] : done.removed, failures: failures)
    }

    /// What an installation did under the lock.
    private struct Exchanged {
        /// The generation of what lay there, if it was stored by this installation.
        let saved: Generation?
        /// What was recorded of the new directory.
        let applied: LockedApply
        /// The removed files that were in force.
        let removed: [String]
        /// The failures after the exchange, as clauses.
        let failures: [String]
    }

    /// Installs under the lock.
    ///
    /// - Returns: what was done; `nil` if the directory had all of this already.
    private func installLocked(
        _ installation: PolicyInstallation, _ note: String, _ limit: Int, _ earlier: PolicyScan?,
        _ announce: () -> Bool, _ report: ([PolicyChange]) -> Bool
    ) throws(OperationError) -> Exchanged? {
        // This precedes the scan, so that later writes, which would be lost, are noticed.
        let exchange = try DirectoryExchange(root: root)
        let scan = scan(.recording(verifications, PolicyRecordEdit()), after: earlier)
        if let reason = scan.obstacle {
            throw OperationError("not all of policy is known, so nothing was changed: \(reason)")
        }
        let draft = try draft(of: scan, mayLackDirectory: true)
        if !draft.isWithoutDirectory, isThere(installation, draft) { return nil }
        for (name, digest) in installation.seen {
            // A mask, and a file that is not trusted or cannot be read, have no bytes and are there all the same.
            let entry = draft.entries[name]
            if digest == nil ? entry == nil : entry?.bytes == digest { continue }
            let isPlain = digest != nil || entry?.bytes != nil
            throw OperationError(
                "\(name.string) \(isPlain ? "was changed since it was read" : "is a link or not to be trusted")"
                    + ", so nothing was changed", isOvertaken: true)
        }
        let store = GenerationStore(root: root)
        if let failure = store.failure { throw OperationError(failure) }
        let carried = installation.items.filter { isThere($0.value, under: $0.key, draft, scan) }
        let wanted = installation.items.filter { carried[$0.key] == nil }.mapValues { item in
            switch item {
            case .file(let bytes): DirectoryExchange.Item.file(bytes)
            case .mask: DirectoryExchange.Item.link("/dev/null")
            }
        }
        try exchange.build(wanted) {
            Generation.isSource($0.string) && carried[$0] == nil && !installation.keeps($0)
        }
        // Files that are not stored yet could not be restored later.
        let saved = try save(draft, note: Generation.foundNote + note)
        guard announce() else {
            throw OperationError("it could not be recorded in the audit log, so nothing was changed")
        }
        let recorded = scan.inspection.record.files.filter { $0.key.place == .etc }
        let known = draft.entries.keys.filter { PolicyFileName.signed($0.string) == nil }
            .map { PolicyRecord.FileName(place: .etc, name: $0) }
        let removed = Set(known).union(recorded.keys).filter {
            installation.items[$0.name] == nil && !installation.keeps($0.name)
        }
        let inForce = removed.filter { recorded[$0]?.digest != nil }.map(\.name).sorted()
        let failures = try exchange.commit()
        // From here on the files are in place: failures are collected, and the remaining steps are still done. The scan
        // waits until the changes have settled, so that it serves the table too.
        Clock.pause(microseconds: Fingerprints.settlingPause)
        var edit = PolicyRecordEdit(removed: removed)
        if installation.mayGoBack { edit.released = Set(installation.files.map { SHA256.hash($0.bytes) }) }
        let applied = applyLocked(edit, limit, note: note, report)
        return Exchanged(
            saved: saved, applied: applied, removed: inForce.map { PolicyDirectory.etc.path($0.string) },
            failures: failures)
    }

    /// Whether a policy file lies in the directory as an installation would write it, so that it is carried over.
    private func isThere(
        _ item: PolicyInstallation.Item, under name: Key, _ draft: GenerationDraft, _ scan: PolicyScan
    ) -> Bool {
        guard case .file(let bytes) = item, let entry = draft.entries[name], entry.link == nil,
            entry.bytes == SHA256.hash(bytes), let status = scan.etc.files[name]?.content?.status
        else { return false }
        return status.owner == root.owner && status.mode == 0o644
    }

    /// Whether the directory has exactly what an installation would leave.
    private func isThere(_ installation: PolicyInstallation, _ draft: GenerationDraft) -> Bool {
        for (name, item) in installation.items {
            guard let entry = draft.entries[name] else { return false }
            switch item {
            case .mask: if !entry.isMask { return false }
            case .file(let bytes): if entry.link != nil || entry.bytes != SHA256.hash(bytes) { return false }
            }
        }
        return draft.entries.keys.allSatisfy { installation.items[$0] != nil || installation.keeps($0) }
    }
}
