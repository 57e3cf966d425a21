import Platform
import PropertyList

/// One look at everything that policy consists of, and what would have to be recorded of it.
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
    /// The table as it is.
    let recorded: RecordedTable
    /// The table as it should be.
    let table: PolicyTable
    /// Whether the table on the disk says already what it should.
    private let isRecorded: Bool
    /// What differs between both.
    let changes: [PolicyChange]
    /// Whether every good copy was held to its digest.
    private let isThorough: Bool
    /// What the administrator's directory lacks of a rollback that is not over; `nil` where the directory itself counts.
    private let gap: RollbackGap?

    /// Looks at everything beneath a root.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - thorough: whether every good copy is held to its digest.
    ///   - isSpread: whether threads may help.
    ///   - isRollbackOver: whether the files of a rollback that is recorded as not over have all been written.
    ///   - verifications: what the tools say of signatures; `nil` where they may not be asked.
    ///   - memory: what this process had last of files that nobody has recorded, which learns from this look.
    ///   - resolve: turns the names of targets into ids, given those that are recorded.
    init(
        root: Root, thorough: Bool, isSpread: Bool, isRollbackOver: Bool = false,
        verifications: VerificationCache? = nil, memory: PolicyMemory? = nil,
        resolve: (NameResolver.Names, NameTable) -> NameTable
    ) {
        self.root = root
        isThorough = thorough
        // What is listed must not be older than the record: a name that it lacks counts as removed.
        let record = RecordedTable.read(root: root)
        let (copies, (recorded, listing)) = Workers.pair(isSpread: isSpread) {
            (etc: GoodStore(root: root, place: .etc), run: GoodStore(root: root, place: .run))
        } _: {
            (RecordedTable(record, root: root), isSpread ? SourceFolder.list(.etc, root: root) : nil)
        }
        self.recorded = recorded
        var replacement: SourceFolder?
        var rollbackProblems: [Diagnostic] = []
        if let number = recorded.table.rollback, !isRollbackOver {
            (replacement, gap, rollbackProblems) = PolicyPass.rollback(to: number.target, root: root)
        } else {
            gap = nil
        }
        let signatures = SignatureCheck(
            root: root, recorded: recorded.table, cache: verifications, isThorough: thorough)
        etc = DirectoryScan(
            root: root, place: .etc, copies: copies.etc, listing: listing, thorough: thorough, isSpread: isSpread,
            signatures: signatures, recorded: recorded, replacement: replacement, memory: memory)
        run = DirectoryScan(
            root: root, place: .run, copies: copies.run, thorough: thorough, isSpread: isSpread,
            signatures: signatures, recorded: recorded, memory: memory)
        memory?.learn([etc, run])
        order = DropInOrder(etc: etc, run: run)
        let tags = TagFile(root: root, recorded: recorded.table.tags)
        let shown = [etc, run].compactMap(\.seen).flatMap(\.files.values)
        let wanted = NameResolver.Names((order.files + shown).compactMap(\.policy))
        names = wanted.isEmpty ? NameTable() : resolve(wanted, recorded.table.names)
        problems =
            recorded.problems + rollbackProblems + signatures.problems + etc.problems + run.problems + tags.problems

        var table = PolicyTable()
        table.home = StoreHome(root: root)
        table.isMapped = root.isSystem && CurrentProcess.isInUserNamespace
        table.rollback = replacement == nil ? nil : recorded.table.rollback
        table.host = Machine.hostName(root: root, recorded: recorded.table.host).full
        table.tags = tags.words
        // A folder has its own account files, which always decide.
        if root.isSystem {
            table.names = names
            table.zones =
                verifications == nil
                ? recorded.table.zones : PolicyTable.zones(of: order.files.compactMap(\.policy), root: root)
        }
        table.trust = signatures.trustDigests
        table.verified = PolicyPass.verifications([etc, run], recorded: recorded.table)
        table.files = PolicyPass.records(order, [etc, run], recorded: recorded.table)
        self.table = table
        isRecorded = recorded.says(table)
        var reasons: [Key: String] = [:]
        for file in order.ignored where !isRecorded { reasons[Key(file.path)] = file.reason }
        changes =
            isRecorded ? [] : ChangeList.changes(from: recorded.table.files, to: table.files, reasons: reasons)
    }

    /// What stands for the administrator's directory until a rollback is over, and what there is to say about it.
    private static func rollback(to number: Int, root: Root) -> (SourceFolder?, RollbackGap?, [Diagnostic]) {
        let store = GenerationStore(root: root)
        do throws(TableError) {
            let generation = try store.generation(number)
            for digest in Set(generation.entries.values.compactMap(\.written)) { _ = try store.object(digest) }
            let gap = RollbackGap(generation, root: root)
            let rest =
                gap.isClosed
                ? "its files lie in place, and the next policy apply ends it"
                : "that generation is in force, and the next policy apply does what is left to do"
            let problem = Diagnostic(
                file: root.display(StorePath.record), severity: gap.isClosed ? .warning : .error, code: .notRecorded,
                message: "the rollback to generation \(number) is not over; \(rest)")
            return (.generation(generation, store), gap, [problem])
        } catch {
            let message = "a rollback did not end, and cannot be ended: \(error); the files count as they are"
            return (nil, nil, [Diagnostic(file: root.display(StorePath.record), code: .notRecorded, message: message)])
        }
    }

    /// What is to be recorded of signatures: what was found, and what is known of copies that are in force.
    private static func verifications(
        _ scans: [DirectoryScan], recorded: PolicyTable
    ) -> [Digest: Verification] {
        var result: [Digest: Verification] = [:]
        for file in scans.lazy.flatMap(\.sorted) {
            if let digest = file.lastGood?.digest, let known = recorded.verified[digest] { result[digest] = known }
            if let digest = file.digest, let found = file.verification { result[digest] = found }
        }
        return result
    }

    /// What is to be recorded of every file.
    private static func records(
        _ order: DropInOrder, _ scans: [DirectoryScan], recorded: PolicyTable
    ) -> [PolicyTable.FileName: PolicyTable.Record] {
        var result: [PolicyTable.FileName: PolicyTable.Record] = [:]
        result.reserveCapacity(scans.reduce(0) { $0 + $1.files.count })
        for file in order.files {
            let name = PolicyTable.FileName(place: file.place, name: file.name)
            // What was in force is remembered until the file is mended or removed.
            let kept = file.isLost ? recorded.files[name] : nil
            result[name] = kept ?? PolicyTable.Record(source: file.source, inForce: file.policy?.digest)
        }
        for scan in scans where !scan.isListed {
            // Without a listing nobody can say that a file is gone.
            for (file, record) in recorded.files where file.place == scan.place && result[file] == nil {
                result[file] = scan.files[file.name] == nil ? record : PolicyTable.Record()
            }
        }
        if order.files.count == scans.reduce(0, { $0 + $1.files.count }) { return result }
        for scan in scans {
            for name in scan.files.keys.map({ PolicyTable.FileName(place: scan.place, name: $0) })
            where result[name] == nil {
                result[name] = PolicyTable.Record()
            }
        }
        return result
    }

    /// Whether the administrator's directory was not looked at, because a rollback is not over.
    var isRollingBack: Bool { gap != nil }

    /// Why policy may be in force of which nothing is known; `nil` where all of it is known.
    var uncertainty: String? { etc.uncertainty ?? run.uncertainty ?? hiddenRecord }

    /// Whether what is known may be recorded.
    ///
    /// A record says that what it lacks was not in force. Where there is none yet, one of half a look would open what is
    /// closed until all of policy can be read.
    var mayBeRecorded: Bool { recorded.bytes != nil || uncertainty == nil }

    /// Whether a file that was never good, and that not everybody can read, was changed behind the record: whoever cannot
    /// read it takes it from a newer record that it forces nothing.
    var hasNewVerdict: Bool {
        guard let written = recorded.fingerprint?.changed else { return false }
        return [etc, run].contains { scan in
            scan.sorted.contains { file in
                guard file.policy == nil, !file.isLost, let status = file.status else { return false }
                return status.mode & 0o004 == 0 && status.changed > written
            }
        }
    }

    /// Whether anything has to be written, so that what is in force stays so, or so that a rollback is over.
    var needsRecording: Bool {
        !isRecorded || isRollingBack || hasNewVerdict || [etc, run].contains { $0.needsCopying }
            || GoodStore.hasEarlierBoots(root: root)
    }

    /// The policy set.
    ///
    /// - Parameters:
    ///   - written: the files whose copies were written after the look.
    ///   - isRecorded: whether the table was written after the look.
    ///   - more: what went wrong since.
    /// - Returns: the set as everybody else sees it.
    func set(
        written: Set<PolicyTable.FileName> = [], isRecorded: Bool = false, more: [Diagnostic] = []
    ) -> PolicySet {
        let files = standing.map { file, doubt in
            file.loaded(
                isCopied: !written.isEmpty
                    && written.contains(PolicyTable.FileName(place: file.place, name: file.name)),
                generation: gap.flatMap { $0.concerns(file) ? $0.generation : nil }, doubt: doubt)
        }
        let ignored = etc.ignored + run.ignored + order.ignored + (gap?.ignored ?? [])
        var replaced: [ScannedFile] = []
        if order.files.count < etc.files.count + run.files.count {
            let used = Set(order.files.map { PolicyTable.FileName(place: $0.place, name: $0.name) })
            replaced = [etc, run].flatMap(\.sorted).filter { file in
                !used.contains(PolicyTable.FileName(place: file.place, name: file.name))
            }
        }
        let findings = replaced.sorted { Key($0.path) < Key($1.path) }.flatMap(\.diagnostics)
        var set = PolicySet(
            files: files, ignored: ignored.sorted { Key($0.path) < Key($1.path) },
            problems: problems + findings + more, changes: changes, areChangesRecorded: isRecorded, names: names,
            tags: table.tags, recordedHostName: isRecorded ? table.host : recorded.table.host,
            uncertainty: uncertainty)
        set.isThorough = isThorough
        set.hasRecord = recorded.bytes != nil && !recorded.table.isMapped
        set.zones = recorded.table.zones
        set.isBlind =
            etc.isObscured || run.isObscured
            || root.isSystem && CurrentProcess.isPolicyOutside && files.contains(where: \.isLost)
        return set
    }

    /// Why it cannot be told what root's commands recorded: in a user namespace, anybody can mount an empty folder of
    /// root's over the record and over what `/run` holds.
    private var hiddenRecord: String? {
        guard root.isSystem, recorded.bytes == nil, CurrentProcess.isPolicyOutside else { return nil }
        return "this is a user namespace in which \(StorePath.record) is not to be seen"
    }
}
