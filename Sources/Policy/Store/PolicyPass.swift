import Platform
import PropertyList

/// One look at everything that policy consists of, and what is to be recorded of it.
struct PolicyPass {
    /// The root.
    let root: Root
    /// The administrator's directory.
    let etc: DirectoryScan
    /// The directory until the next boot.
    let run: DirectoryScan
    /// Both merged.
    let order: DropInOrder
    /// What is wrong beside the files.
    let problems: [Diagnostic]
    /// The ids that targets are compared with.
    let names: NameTable
    /// The record as it is.
    let reading: RecordReading
    /// The record as it should be.
    let record: PolicyRecord
    /// Why what is in force is unknown, as a clause; `nil` if it is known.
    let uncertainty: String?

    /// How many times is looked while something changes, before the record alone counts.
    private static let lookLimit = 3

    /// What a look is for.
    enum Purpose {
        /// To answer, and to write nothing.
        case reading
        /// To record, under the lock: the tools check signatures, and something is known that no listing says.
        case recording(VerificationCache, RecordEdit)
    }

    /// Looks at everything beneath a root: the directories, then the record, and again while one of them changes.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - purpose: what the look is for.
    ///   - isSpread: whether threads may help.
    ///   - resolve: turns the names of targets into ids, given those that are recorded.
    init(
        root: Root, _ purpose: Purpose, isSpread: Bool,
        resolve: (NameResolver.Names, NameTable) -> NameTable
    ) {
        self.root = root
        // In a user namespace only what the machine's root recorded counts.
        let isForeign = root.isSystem && CurrentProcess.isInForeignNamespace
        var (listings, reading) = PolicyPass.look(root, isSpread: isSpread, isRecordAlone: isForeign)
        var count = 1
        while !PolicyPass.isStill(listings, reading, root) {
            let isLast = count == PolicyPass.lookLimit
            (listings, reading) = PolicyPass.look(root, isSpread: isSpread, isRecordAlone: isForeign || isLast)
            if isLast { break }
            count += 1
        }
        self.reading = reading
        let recorded = reading.record
        let boot = Machine.bootID(root: root)
        var (cache, edit): (VerificationCache?, RecordEdit) = (nil, RecordEdit())
        if case .recording(let verifications, let known) = purpose { (cache, edit) = (verifications, known) }
        let signatures = SignatureCheck(root: root, recorded: recorded, cache: cache)
        /// Decides about a directory.
        func scan(_ listing: DirectoryListing) -> DirectoryScan {
            DirectoryScan(
                listing, reading: reading, boot: boot, edit: edit, signatures: signatures, root: root)
        }
        etc = scan(listings.etc)
        run = scan(listings.run)
        order = DropInOrder(etc: etc, run: run)
        let tags = TagFile(root: root, recorded: recorded.tags, isRecordAlone: isForeign)
        let policies = order.files.compactMap(\.policy)
        let wanted = NameResolver.Names(policies)
        names = wanted.isEmpty ? NameTable() : resolve(wanted, recorded.names)
        problems = reading.problems + signatures.problems + etc.problems + run.problems + tags.problems
        let isTagUnknown = tags.words == nil && policies.contains(where: \.asksForTags)
        uncertainty =
            reading.shortage?.description ?? etc.uncertainty ?? run.uncertainty
            ?? (isTagUnknown ? "the tags of this machine cannot be read" : nil)

        var record = PolicyRecord()
        record.host = Machine.hostName(root: root, recorded: recorded.host).full
        record.tags = tags.words
        record.boot = boot
        // A folder has its own account files, which always decide.
        if root.isSystem { record.names = names }
        record.trust = signatures.trustDigests
        record.verified = etc.verifications.merging(run.verifications) { $1 }
        for scan in [etc, run] {
            for (name, entry) in scan.entries {
                record.files[PolicyRecord.FileName(place: scan.place, name: name)] = entry
            }
        }
        self.record = record
    }

    /// Lists the directories, then reads the record.
    private static func look(
        _ root: Root, isSpread: Bool, isRecordAlone: Bool
    ) -> (listings: (etc: DirectoryListing, run: DirectoryListing), reading: RecordReading) {
        /// Lists a directory, unless only what was recorded of it counts.
        func list(_ place: PolicyPlace) -> DirectoryListing {
            if isRecordAlone { return DirectoryListing(ignoring: place, root: root) }
            let areSigned = root.mayHave(SignatureVerifier.ssh.trustPath)
            let listing = DirectoryListing(place, root: root, isSpread: isSpread, areSignaturesUsed: areSigned)
            // Who may not list a directory has what was recorded of it.
            if case .failed(.system(let cause)) = listing.state, cause.isForbidden {
                return DirectoryListing(ignoring: place, root: root)
            }
            return listing
        }
        let listings = (etc: list(.etc), run: list(.run))
        return (listings, RecordReading(root: root))
    }

    /// Whether directories and record are still as they were read.
    private static func isStill(
        _ listings: (etc: DirectoryListing, run: DirectoryListing), _ reading: RecordReading, _ root: Root
    ) -> Bool {
        listings.etc.isCurrent && listings.run.isCurrent && !reading.isSuperseded(root: root)
    }

    /// What differs from what was recorded.
    var changes: [PolicyChange] { ChangeList.changes(from: reading.record, to: record) }

    /// Whether the record on the disk says already what it should.
    var isRecorded: Bool {
        guard let bytes = reading.bytes else { return false }
        return reading.record == record || bytes == record.encoded()
    }

    /// Why what is known must not be recorded, as a clause; `nil` if it may be.
    ///
    /// A record says that what it lacks was not in force. If there is none that can be used, one of half a look would open
    /// what is closed until all of policy can be read.
    var obstacle: String? { reading.bytes == nil ? uncertainty : nil }

    /// The policy set.
    ///
    /// - Parameter more: what went wrong since.
    /// - Returns: the set as everybody else sees it.
    func set(more: [Diagnostic] = []) -> PolicySet {
        let ignored = etc.listing.ignored + run.listing.ignored + order.ignored
        let findings = order.replaced.sorted { Key($0.path) < Key($1.path) }.flatMap(\.diagnostics)
        return PolicySet(
            files: order.files, ignored: ignored.sorted { Key($0.path) < Key($1.path) },
            problems: problems + findings + more, changes: changes, names: names, tags: record.tags,
            recordedHostName: record.host, uncertainty: uncertainty)
    }
}

extension PolicyFile {
    /// Whether the machine's tags decide about anything of it.
    fileprivate var asksForTags: Bool {
        target?.asksForTags ?? false || waivers.contains { $0.clauses.tags != nil }
    }
}
