import Platform
import PropertyList

/// What one of the two policy directories means: for each name the file that lies there, else the recorded copy.
struct DirectoryScan: Sendable {
    /// Which directory.
    let place: PolicyPlace
    /// What lies in it.
    let listing: DirectoryListing
    /// The files by name, those included that only the record has.
    private(set) var files: [Key: LoadedFile] = [:]
    /// The files in byte order of their names.
    private(set) var sorted: [LoadedFile] = []
    /// The names that are links to `/dev/null`, or are recorded as such and cannot be seen to be something else.
    private(set) var masks: Set<Key> = []
    /// What is wrong with the directory and the copies.
    private(set) var problems: [Diagnostic] = []
    /// Why what is in force is unknown, as a clause; `nil` if it is known.
    private(set) var uncertainty: String?

    /// The record.
    private let reading: RecordReading
    /// What was recorded of the directory and still holds.
    private let recorded: [Key: PolicyRecord.Entry]
    /// Which files are signed.
    private let signatures: SignatureCheck
    /// The copies.
    private let copies: GoodCopies

    /// Decides about every name.
    ///
    /// - Parameters:
    ///   - listing: what lies in the directory.
    ///   - reading: the record.
    ///   - boot: the boot of the machine.
    ///   - edit: what is known of names that the caller has changed itself.
    ///   - signatures: which files are signed.
    ///   - root: the root.
    init(
        _ listing: DirectoryListing, reading: RecordReading, boot: String?, edit: RecordEdit,
        signatures: SignatureCheck, root: Root
    ) {
        (place, self.listing, self.reading, self.signatures) = (listing.place, listing, reading, signatures)
        copies = GoodCopies(root: root)
        var recorded = reading.record.entries(of: listing.place, boot: boot)
        for (file, entry) in edit.restored where file.place == listing.place { recorded[file.name] = entry }
        self.recorded = recorded
        problems = listing.problems
        let present = Set(listing.files.map(\.name))
        let kept = recorded.filter { name, _ in
            let file = PolicyRecord.FileName(place: listing.place, name: name)
            return !present.contains(name) && !(listing.isListed && edit.removed.contains(file))
        }
        reserve(listing.files.count + kept.count)
        for file in listing.files { add(file) }
        for (name, entry) in kept { add(name, entry, root) }
        if !kept.isEmpty { sorted.sort { $0.name < $1.name } }
        judgeDirectory(root)
    }

    /// Makes room for files.
    private mutating func reserve(_ count: Int) {
        files.reserveCapacity(count)
        sorted.reserveCapacity(count)
    }

    /// Decides about a name that lies in the directory.
    private mutating func add(_ source: SourceFile) {
        let entry = recorded[source.name]
        var file = source
        if file.policy != nil { admit(&file, entry) }
        // Only a recording verb needs the bytes.
        if !signatures.isWriter { file = file.withoutBytes }
        if let shortage = file.shortage { uncertainty = uncertainty ?? shortage.description }
        if file.isMask {
            masks.insert(file.name)
            return
        }
        guard file.policy == nil else {
            return keep(
                LoadedFile(place, file, source: .current, policy: file.policy, isRecorded: entry?.digest == file.digest)
            )
        }
        guard let entry else {
            if let failure = reading.failure {
                uncertainty =
                    uncertainty ?? "\(file.path) cannot be used, and what was in force of it is not known: \(failure)"
            } else if reading.isMissing, file.isUnchecked, !signatures.isWriter {
                uncertainty =
                    uncertainty ?? "only what was recorded counts where files are signed, and there is no record"
            }
            return keep(LoadedFile(place, file, source: .notRecorded, policy: nil, isRecorded: false))
        }
        fallBack(file, entry)
    }

    /// Takes a file out of force whose signature is not recorded as good, if it needs one.
    private func admit(_ file: inout SourceFile, _ entry: PolicyRecord.Entry?) {
        guard let digest = file.digest,
            let finding = signatures.finding(
                of: file, digest, in: place, isRecorded: entry == PolicyRecord.Entry(state: .current, digest: digest))
        else { return }
        file.judge(finding)
    }

    /// Puts the recorded copy in the place of a file that cannot be used.
    private mutating func fallBack(_ file: SourceFile, _ entry: PolicyRecord.Entry) {
        switch entry.state {
        case .mask:
            masks.insert(file.name)
            problems += file.diagnostics
        case .none: keep(LoadedFile(place, file, source: .none, policy: nil, isRecorded: true))
        case .current, .lastGood:
            let copy = copy(entry, file.path)
            keep(
                LoadedFile(
                    place, file, source: .lastGood, policy: copy.policy, isRecorded: true, isLost: copy.policy == nil,
                    diagnostics: copy.problems))
        }
    }

    /// Decides about a name that only the record has.
    private mutating func add(_ name: Key, _ entry: PolicyRecord.Entry, _ root: Root) {
        switch entry.state {
        case .mask: masks.insert(name)
        case .none: return
        case .current, .lastGood:
            let path = place.path(name.string)
            let copy = copy(entry, path)
            // If only the record counts, nothing is known of the file but what was recorded.
            var source = entry.state == .current ? LoadedFile.Source.current : .lastGood
            switch listing.state {
            case .listed, .missing: source = .removed
            case .failed: source = .lastGood
            case .ignored: break
            }
            keep(
                LoadedFile(
                    place, name: name, source: source, policy: copy.policy, isLost: copy.policy == nil,
                    shown: root.display(path), diagnostics: copy.problems))
        }
    }

    /// Reads the copy that an entry speaks of; without it what is in force is unknown.
    private mutating func copy(
        _ entry: PolicyRecord.Entry, _ path: String
    ) -> (policy: PolicyFile?, problems: [Diagnostic]) {
        guard let digest = entry.digest else { return (nil, []) }
        do throws(GoodCopies.Failure) {
            return (try copies.policy(digest, path: path), [])
        } catch {
            switch error {
            case .lost(let problem):
                uncertainty = uncertainty ?? "the copy of what \(path) forced is lost"
                return (nil, [problem])
            case .shortage(let cause):
                uncertainty = uncertainty ?? cause.description
                return (nil, [])
            }
        }
    }

    /// Adds a file.
    private mutating func keep(_ file: LoadedFile) {
        files[file.name] = file
        sorted.append(file)
    }

    /// Says what is wrong with the directory, and decides whether what was in force of it is known.
    private mutating func judgeDirectory(_ root: Root) {
        let shown = root.display(place.directory)
        switch listing.state {
        case .listed: break
        case .ignored:
            if let failure = reading.failure { uncertainty = uncertainty ?? failure }
            if reading.isMissing, root.mayHave(place.home) {
                uncertainty = uncertainty ?? "only what was recorded of \(shown) counts here, and there is no record"
            }
        case .missing:
            // The temporary directory is missing after every boot.
            if place == .etc, let failure = reading.failure {
                uncertainty = uncertainty ?? "\(shown) is missing, and what was in force of it is not known: \(failure)"
            }
            guard !sorted.isEmpty || !masks.isEmpty else { return }
            problems.append(
                Diagnostic(
                    file: shown, code: .unreadable,
                    message:
                        "the directory is missing, so what was recorded of it stays in force; put it back, or end that"
                        + " with mdefaults policy forget"))
        case .failed(let error):
            if case .system(let cause) = error, cause.isShortage {
                uncertainty = uncertainty ?? cause.description
            } else if reading.bytes == nil {
                uncertainty = uncertainty ?? "\(error), and there is no record of what was in force"
            }
            problems.append(
                Diagnostic(
                    file: shown, code: error.isUntrusted ? .untrusted : .unreadable,
                    message: "\(error); nothing in it is used, and what was recorded of it stays in force"))
        }
    }
}

/// What a recording verb writes.
extension DirectoryScan {
    /// What is to be recorded of each name.
    var entries: [Key: PolicyRecord.Entry] {
        var result: [Key: PolicyRecord.Entry] = [:]
        result.reserveCapacity(sorted.count)
        for file in sorted {
            switch file.source {
            case .current where file.content != nil:
                result[file.name] = PolicyRecord.Entry(state: .current, digest: file.policy?.digest)
            case .lastGood where !file.isLost:
                result[file.name] = PolicyRecord.Entry(state: .lastGood, digest: file.policy?.digest)
            case .none, .notRecorded: result[file.name] = PolicyRecord.Entry(state: .none)
            // What is missing, and what is lost, is remembered as it was.
            case .current, .lastGood, .removed: result[file.name] = recorded[file.name]
            }
        }
        for name in masks { result[name] = PolicyRecord.Entry(state: .mask) }
        return result
    }

    /// The bytes of everything that lies in the directory and is in force.
    var bytes: [Digest: [UInt8]] {
        var result: [Digest: [UInt8]] = [:]
        for file in sorted where file.source == .current {
            if let content = file.content, let digest = content.digest { result[digest] = content.bytes }
        }
        return result
    }

    /// What is known of signatures.
    var verifications: [Digest: Verification] {
        var result: [Digest: Verification] = [:]
        for file in sorted {
            if let digest = file.policy?.digest, let known = reading.record.verified[digest] { result[digest] = known }
            if let digest = file.content?.digest, let found = file.content?.verification { result[digest] = found }
        }
        return result
    }
}
