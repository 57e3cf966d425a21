package import MDPlatform
package import MDPolicyCore
package import MDPolicyModel
package import MDPropertyList

/// The policy of one policy directory: for each name the file in it, or else the recorded copy.
package struct DirectoryScan: Sendable {
    package let place: PolicyDirectory
    /// The content of the directory.
    package let listing: DirectoryListing
    /// The files by name, including those that only the policy record has.
    package private(set) var files: [Key: PolicyFileState] = [:]
    /// The files in byte order of their names.
    package private(set) var sorted: [PolicyFileState] = []
    /// The names that are links to `/dev/null`, or were recorded as such and cannot be read now.
    package private(set) var masks: Set<Key> = []
    /// Findings about the directory and the recorded copies.
    package private(set) var problems: [Diagnostic] = []
    /// What is known of the effective policy of the directory.
    package private(set) var knowledge = PolicyKnowledge.known

    private let inspection: PolicyRecordInspection
    /// The entries of the policy record for this directory that still hold.
    private let recorded: [Key: PolicyRecord.Entry]
    /// The names in them that hold in every boot, whose files another folder has.
    private let lasting: Set<Key>
    private let signatures: SignatureCheck
    /// The digests of files that a rollback put in force.
    private let released: Set<Digest>
    private let copies: RecordedCopies

    /// Resolves every name to a file, a recorded copy or a mask.
    ///
    /// - Parameters:
    ///   - listing: the content of the directory.
    ///   - inspection: the policy record as read.
    ///   - boot: the current boot of the machine.
    ///   - edit: the changes that the caller has made itself.
    ///   - signatures: checks the signatures of files.
    ///   - root: the root.
    init(
        _ listing: DirectoryListing, inspection: PolicyRecordInspection, boot: String?, edit: PolicyRecordEdit,
        signatures: SignatureCheck, root: Root
    ) {
        (place, self.listing, self.inspection, self.signatures) = (listing.place, listing, inspection, signatures)
        (copies, released) = (RecordedCopies(root: root), edit.released)
        var recorded = inspection.record.entries(of: listing.place, boot: boot)
        for (file, entry) in edit.restored where file.place == listing.place { recorded[file.name] = entry }
        self.recorded = recorded
        let lasting = listing.place == .run ? inspection.record.lasting : []
        self.lasting = lasting
        problems = listing.problems
        let present = Set(listing.files.map(\.name))
        let unlisted = recorded.filter { name, _ in
            let file = PolicyRecord.FileName(place: listing.place, name: name)
            // The folder of the lasting ones decides about them, and a boot leaves no directory in `/run`.
            let isDecided = listing.isListed || lasting.contains(name) && listing.isMissing
            return !present.contains(name) && !(isDecided && edit.removed.contains(file))
        }
        reserve(listing.files.count + unlisted.count)
        for file in listing.files { add(file) }
        for (name, entry) in unlisted { add(name, entry, root) }
        if !unlisted.isEmpty { sorted.sort { $0.name < $1.name } }
        checkDirectory(root)
    }

    private mutating func reserve(_ count: Int) {
        files.reserveCapacity(count)
        sorted.reserveCapacity(count)
    }

    /// Resolves a name that is in the directory.
    private mutating func add(_ source: PolicyFileInspection) {
        let entry = recorded[source.name]
        var file = source
        if file.policy != nil { checkSignature(&file, entry) }
        // Only a recording command needs the bytes.
        if !signatures.isWriter { file = file.withoutBytes }
        if let shortage = file.shortage { knowledge.fail(because: shortage.description) }
        if file.isMask {
            masks.insert(file.name)
            return
        }
        guard file.policy == nil else {
            return append(
                PolicyFileState(
                    place, file, source: .current, policy: file.policy, isRecorded: entry?.digest == file.digest)
            )
        }
        guard let entry else {
            if let failure = inspection.failure {
                knowledge.fail(
                    because: "\(file.path) cannot be used, and what was in force of it is not known: \(failure)")
            } else if inspection.isMissing, file.isUnchecked, !signatures.isWriter {
                knowledge.fail(because: "only what was recorded counts where files are signed, and there is no record")
            }
            return append(PolicyFileState(place, file, source: .notRecorded, policy: nil, isRecorded: false))
        }
        fallBack(file, entry)
    }

    /// Refuses a file that needs a signature and has none recorded as good, or that is older than what was recorded.
    private func checkSignature(_ file: inout PolicyFileInspection, _ entry: PolicyRecord.Entry?) {
        guard let digest = file.digest, let policy = file.policy else { return }
        var old: SignatureFinding?
        if signatures.isDemanded, SignatureCheck.isNeeded(for: policy, place: place), !released.contains(digest) {
            old = inspection.record.objection(to: policy, after: entry, copies)
        }
        // To a reader, each file that is not recorded has an unknown signature.
        if old == nil || signatures.isWriter,
            let finding = signatures.finding(
                of: file, digest, in: place, isRecorded: entry == PolicyRecord.Entry(state: .current, digest: digest))
        {
            file.judge(finding)
        }
        if file.policy != nil, let old { file.judge(old) }
    }

    /// Uses the recorded copy instead of a file that cannot be used.
    private mutating func fallBack(_ file: PolicyFileInspection, _ entry: PolicyRecord.Entry) {
        switch entry.state {
        case .mask:
            masks.insert(file.name)
            problems += file.diagnostics
        case .none: append(PolicyFileState(place, file, source: .none, policy: nil, isRecorded: true))
        case .current, .lastGood:
            let copy = copy(entry, file.path)
            append(
                PolicyFileState(
                    place, file, source: .lastGood, policy: copy.policy, isRecorded: true, isLost: copy.policy == nil,
                    unread: copy.unread, diagnostics: copy.problems))
        }
    }

    /// Resolves a name that only the policy record has.
    private mutating func add(_ name: Key, _ entry: PolicyRecord.Entry, _ root: Root) {
        switch entry.state {
        case .mask: masks.insert(name)
        case .none: return
        case .current, .lastGood:
            let path = place.path(name.string)
            let copy = copy(entry, path)
            // If only the policy record counts, the recorded state is all that is known of the file.
            var source = entry.state == .current ? PolicyFileState.Source.current : .lastGood
            switch listing.state {
            // After a boot the file is back soon; nothing was taken away.
            case .listed where lasting.contains(name), .missing where lasting.contains(name): break
            case .listed, .missing: source = .removed
            case .failed: source = .lastGood
            case .ignored: break
            }
            append(
                PolicyFileState(
                    place, name: name, source: source, policy: copy.policy, isLost: copy.policy == nil,
                    unread: copy.unread, shown: root.display(path), diagnostics: copy.problems))
        }
    }

    /// What became of reading the copy of an entry.
    private typealias Copy = (policy: PolicyFile?, unread: UnreadPolicy?, problems: [Diagnostic])

    /// Reads the copy of an entry.
    ///
    /// If it cannot be had, effective policy is unknown.
    private mutating func copy(_ entry: PolicyRecord.Entry, _ path: String) -> Copy {
        guard let digest = entry.digest else { return (nil, nil, []) }
        do throws(RecordedCopies.Failure) {
            return (try copies.policy(digest, path: path), nil, [])
        } catch {
            switch error {
            case .lost(let problem):
                knowledge.fail(because: "the copy of what \(path) forced is lost")
                return (nil, nil, [problem])
            case .unread(let domains):
                let reader = inspection.record.reader(of: digest)
                return (nil, UnreadPolicy(path, digest: digest, domains: domains, reader: reader), [])
            case .shortage(let cause):
                knowledge.fail(because: cause.description)
                return (nil, nil, [])
            }
        }
    }

    private mutating func append(_ file: PolicyFileState) {
        files[file.name] = file
        sorted.append(file)
    }

    /// Reports problems of the directory and decides whether its effective policy is known.
    private mutating func checkDirectory(_ root: Root) {
        let shown = root.display(place.directory)
        switch listing.state {
        case .listed: break
        case .ignored:
            if let failure = inspection.failure { knowledge.fail(because: failure) }
            if inspection.isMissing, root.mayExist(place.home) {
                knowledge.fail(because: "only what was recorded of \(shown) counts here, and there is no record")
            }
        case .missing:
            // The temporary directory is missing after every boot.
            if place == .etc, let failure = inspection.failure {
                knowledge.fail(because: "\(shown) is missing, and what was in force of it is not known: \(failure)")
            }
            guard sorted.contains(where: { !lasting.contains($0.name) }) || !masks.isEmpty else { return }
            problems.append(
                Diagnostic(
                    file: shown, code: .unreadable,
                    message:
                        "the directory is missing, so what was recorded of it stays in force; put it back, or end that"
                        + " with mdefaults policy forget"))
        case .failed(let error):
            if case .system(let cause) = error, cause.isShortage {
                knowledge.fail(because: cause.description)
            } else if inspection.bytes == nil {
                knowledge.fail(because: "\(error), and there is no record of what was in force")
            }
            problems.append(
                Diagnostic(
                    file: shown, code: error.isUntrusted ? .untrusted : .unreadable,
                    message: "\(error); nothing in it is used, and what was recorded of it stays in force"))
        }
    }
}

/// What a recording command writes.
extension DirectoryScan {
    /// The entry to record for each name.
    package var entries: [Key: PolicyRecord.Entry] {
        var result: [Key: PolicyRecord.Entry] = [:]
        result.reserveCapacity(sorted.count)
        for file in sorted {
            switch file.source {
            case .current where file.content != nil:
                result[file.name] = PolicyRecord.Entry(state: .current, digest: file.policy?.digest)
            case .lastGood where !file.isLost:
                result[file.name] = PolicyRecord.Entry(state: .lastGood, digest: file.policy?.digest)
            case .none, .notRecorded: result[file.name] = PolicyRecord.Entry(state: .none)
            // Missing and lost files retain their earlier entry.
            case .current, .lastGood, .removed: result[file.name] = recorded[file.name]
            }
        }
        for name in masks { result[name] = PolicyRecord.Entry(state: .mask) }
        return result
    }

    /// The versions of ManagedDefaults that read what this one cannot, by the digest of the copy.
    package var readers: [Digest: String] {
        var result: [Digest: String] = [:]
        for file in sorted.lazy.compactMap(\.unread) { result[file.digest] = file.reader }
        return result
    }

    /// The content of every file that is in the directory and in force, by digest.
    package var bytes: [Digest: [UInt8]] {
        var result: [Digest: [UInt8]] = [:]
        for file in sorted where file.source == .current {
            if let content = file.content, let digest = content.digest { result[digest] = content.bytes }
        }
        return result
    }

    /// The known signature verifications, by the digest of the content.
    package var verifications: [Digest: Verification] {
        var result: [Digest: Verification] = [:]
        for file in sorted {
            if let digest = file.policy?.digest, let known = inspection.record.verified[digest] {
                result[digest] = known
            }
            if let digest = file.content?.digest, let found = file.content?.verification { result[digest] = found }
        }
        return result
    }
}

/// Changes of names that a recording command has made itself before the scan.
package struct PolicyRecordEdit: Sendable {
    /// Names that were removed on purpose.
    ///
    /// If complete listings lack them, their entries end.
    package var removed: Set<PolicyRecord.FileName> = []
    /// The entries that count as recorded for names whose earlier state was restored.
    package var restored: [PolicyRecord.FileName: PolicyRecord.Entry] = [:]
    /// The digests of the files that a rollback put in force, whatever their `Version`.
    package var released: Set<Digest> = []
    /// Names that are recorded beside those of policy files.
    package var names = NameResolver.Names([])

    /// Makes an edit; without arguments one that changes nothing.
    package init(
        removed: Set<PolicyRecord.FileName> = [], restored: [PolicyRecord.FileName: PolicyRecord.Entry] = [:]
    ) {
        (self.removed, self.restored) = (removed, restored)
    }
}
