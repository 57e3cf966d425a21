package import MDPlatform
package import MDPolicyCore
package import MDPolicyModel
import MDPropertyList

/// One scan of both policy directories, the policy record and the tags, with the policy record that results from it.
package struct PolicyScan {
    package let root: Root
    /// The policy directory in `/etc`.
    package let etc: DirectoryScan
    /// The policy directory in `/run`, which the next boot empties.
    package let run: DirectoryScan
    /// The files of both directories in order of application.
    package let order: Order
    /// The host's name.
    private let hostName: HostName
    /// The findings that are not about single files.
    package let problems: [Diagnostic]
    /// The ids of the names in targets.
    package let names: AccountIDs
    /// What else recording commands know of them; `nil` if no service was asked.
    package let ledger: NameLedger?
    /// The policy record as it is on disk.
    package let inspection: PolicyRecordInspection
    /// The policy record that should be on disk.
    package let record: PolicyRecord
    /// What is known of effective policy.
    package let knowledge: PolicyKnowledge

    /// How many times changing directories are read before only the policy record counts.
    private static let readLimit = 3

    /// The purpose of a scan.
    package enum Purpose {
        /// To read policy without writing.
        case reading
        /// To record policy under the lock: tools check signatures, and the edit says what the caller has changed.
        case recording(VerificationCache, PolicyRecordEdit)
    }

    /// Reads the directories beneath a root, then the policy record; again while one of them changes.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - purpose: the purpose of the scan.
    ///   - earlier: a scan whose policy files are not read again if they are unchanged.
    ///   - resolve: resolves the names of targets, given the recorded ids.
    package init(
        root: Root, _ purpose: Purpose, after earlier: PolicyScan? = nil,
        resolve: (NameResolver.Names, AccountIDs) -> (AccountIDs, NameLedger?)
    ) {
        self.root = root
        // In a user namespace only what the machine's root recorded counts.
        let isForeign = root.isSystem && UserNamespace.isForeign
        var (listings, inspection) = PolicyScan.inspect(
            root, after: earlier, isRecordAlone: isForeign)
        var count = 1
        while !PolicyScan.isUnchanged(listings, inspection, root) {
            let isLast = count == PolicyScan.readLimit
            (listings, inspection) = PolicyScan.inspect(
                root, after: earlier, isRecordAlone: isForeign || isLast)
            if isLast { break }
            count += 1
        }
        self.inspection = inspection
        let recorded = inspection.record
        let boot = Machine.bootID(root: root)
        var (cache, edit): (VerificationCache?, PolicyRecordEdit) = (nil, PolicyRecordEdit())
        if case .recording(let verifications, let known) = purpose { (cache, edit) = (verifications, known) }
        let (signatures, tags) = PolicyScan.readHome(root, recorded, cache, isRecordAlone: isForeign)
        func directoryScan(_ listing: DirectoryListing) -> DirectoryScan {
            DirectoryScan(
                listing, inspection: inspection, boot: boot, edit: edit, signatures: signatures, root: root)
        }
        etc = directoryScan(listings.etc)
        run = directoryScan(listings.run)
        order = Order(etc: etc, run: run)
        let policies = order.files.compactMap(\.policy)
        var wanted = NameResolver.Names(policies)
        wanted.users.formUnion(edit.names.users)
        wanted.groups.formUnion(edit.names.groups)
        (names, ledger) = wanted.isEmpty ? (AccountIDs(), NameLedger()) : resolve(wanted, recorded.names)
        problems = inspection.problems + signatures.problems + etc.problems + run.problems + tags.problems
        let host = Machine.findHostName(root: root, recorded: recorded.host)
        hostName = host.name
        let isTagUnknown = tags.words == nil && policies.contains(where: \.dependsOnTags)
        knowledge = PolicyKnowledge(
            failure: inspection.shortage?.description ?? etc.knowledge.failure ?? run.knowledge.failure
                ?? (isTagUnknown ? "the tags of this machine cannot be read" : nil)
                    ?? (policies.isEmpty ? nil : host.shortage?.description),
            unread: order.files.compactMap(\.unread))

        var record = PolicyRecord()
        record.host = hostName.full
        record.tags = tags.words
        record.boot = boot
        // A root other than the system has its own account files, which always decide.
        if root.isSystem { record.names = names }
        record.trust = signatures.trustDigests
        record.readers = etc.readers.merging(run.readers) { $1 }
        record.others = recorded.others
        record.verified = etc.verifications.merging(run.verifications) { $1 }
        record.versions = recorded.versions.following(
            (etc.sorted + run.sorted).compactMap(\.policy), releasing: edit.released)
        for directory in [etc, run] {
            for (name, entry) in directory.entries {
                record.files[PolicyRecord.FileName(place: directory.place, name: name)] = entry
            }
        }
        var lasting = recorded.lasting
        // Only recording commands, which write that folder, list it.
        if cache != nil { lasting.formUnion(PolicyStore.lastingNames(in: root) ?? []) }
        record.lasting = lasting.filter { record.files[PolicyRecord.FileName(place: .run, name: $0)] != nil }
        self.record = record
    }

    /// Reads the lists of trusted signers and the tags, and leaves no file open: a process may have very few left.
    private static func readHome(
        _ root: Root, _ recorded: PolicyRecord, _ cache: VerificationCache?, isRecordAlone: Bool
    ) -> (SignatureCheck, TagFile) {
        let home = PolicyHome(root)
        return (
            SignatureCheck(in: home, recorded: recorded, cache: cache),
            TagFile(in: home, recorded: recorded.tags, isRecordAlone: isRecordAlone)
        )
    }

    /// Lists the directories, then reads the policy record.
    private static func inspect(
        _ root: Root, after earlier: PolicyScan?, isRecordAlone: Bool
    ) -> (listings: (etc: DirectoryListing, run: DirectoryListing), inspection: PolicyRecordInspection) {
        let areSigned = !isRecordAlone && root.mayExist(SignatureVerifier.ssh.trustPath)
        /// Lists a directory, unless only the policy record counts.
        func list(_ place: PolicyDirectory) -> DirectoryListing {
            if isRecordAlone { return DirectoryListing(ignoring: place, root: root) }
            let listing = DirectoryListing(
                place, root: root, after: earlier.map { place == .etc ? $0.etc.listing : $0.run.listing },
                areSignaturesUsed: areSigned)
            // A process that may not list a directory uses the policy record.
            if case .failed(.system(let cause)) = listing.state, cause.isForbidden {
                return DirectoryListing(ignoring: place, root: root)
            }
            return listing
        }
        let listings = (etc: list(.etc), run: list(.run))
        return (listings, PolicyRecordInspection(root: root))
    }

    /// Whether directories and policy record are unchanged since they were read.
    private static func isUnchanged(
        _ listings: (etc: DirectoryListing, run: DirectoryListing), _ inspection: PolicyRecordInspection, _ root: Root
    ) -> Bool {
        listings.etc.isCurrent && listings.run.isCurrent && !inspection.isSuperseded(root: root)
    }

    /// The differences from the policy record on disk.
    package var changes: [PolicyChange] {
        ChangeList.changes(from: inspection.record, to: record) + loweredVersions
    }

    /// Whether the policy record on disk is up to date.
    package var isRecorded: Bool {
        guard let bytes = inspection.bytes else { return false }
        return inspection.record == record || bytes == record.encoded()
    }

    /// Why the result must not be recorded, as a clause; `nil` if it may be.
    ///
    /// A policy record says that files it lacks were not in force. Without a usable record on disk, recording an
    /// incomplete scan would open what is closed until all of policy can be read. The record of a newer engine says what
    /// this one cannot know.
    package var obstacle: String? {
        inspection.isOfNewerEngine ? inspection.failure : inspection.bytes == nil ? knowledge.failure : nil
    }

    /// The policy set.
    ///
    /// - Parameter more: findings since the scan.
    /// - Returns: the set as all other modules use it.
    package func set(more: [Diagnostic] = []) -> PolicySet {
        let ignored = etc.listing.ignored + run.listing.ignored + order.ignored
        let findings = order.replaced.sorted { Key($0.path) < Key($1.path) }.flatMap(\.diagnostics)
        return PolicySet(
            files: order.files, ignored: ignored.sorted { Key($0.path) < Key($1.path) },
            problems: problems + findings + more, changes: changes, names: names, tags: record.tags,
            hostName: hostName, knowledge: knowledge, recorded: inspection.recorded)
    }
}

extension PolicyFile {
    /// Whether the machine's tags decide about anything of it.
    fileprivate var dependsOnTags: Bool {
        target?.dependsOnTags ?? false || waivers.contains { $0.clauses.tags != nil }
    }
}

/// Compares policy records.
package enum ChangeList {
    /// The changes from one policy record to another, in order of the names.
    package static func changes(from old: PolicyRecord, to new: PolicyRecord) -> [PolicyChange] {
        if old.files == new.files { return [] }
        // What was recorded of `/run` in another boot ended with it.
        let isNewBoot = old.boot != nil && new.boot != nil && old.boot != new.boot
        return Set(old.files.keys).union(new.files.keys).sorted().compactMap { file in
            let (before, after) = (old.files[file], new.files[file])
            if before == after { return nil }
            let note = isNewBoot && file.place == .run && after == nil ? "ended with the boot" : note(before, after)
            return PolicyChange(path: file.path, from: before?.digest, to: after?.digest, note: note)
        }
    }

    /// The change of one name in words.
    private static func note(_ old: PolicyRecord.Entry?, _ new: PolicyRecord.Entry?) -> String {
        switch (old?.state, new?.state) {
        case (_, nil): "removed"
        case (_, .mask?): "is a link to /dev/null"
        case (nil, .current?), (.mask?, .current?): "new"
        case (.current?, .current?): "changed"
        case (.lastGood?, .current?), (.some(.none), .current?): "mended"
        case (_, .lastGood?): "cannot be used as it is; the last good copy is in force"
        case (_, .some(.none)): "cannot be used as it is; nothing of it is in force"
        }
    }
}
