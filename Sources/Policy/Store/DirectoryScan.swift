import Platform
import PropertyList

/// What one of the two policy directories holds.
struct DirectoryScan: Sendable {
    /// Which directory.
    let place: PolicyPlace
    /// Its good copies.
    let store: GoodStore
    /// Whether a complete listing of the trusted directory was had: only then a missing name is a removed file.
    private(set) var isListed = false
    /// Whether the directory itself was read, and nothing in its place.
    private(set) var isOfDirectory = false
    /// Whether the directory is not there.
    private(set) var isMissing = false
    /// The policy files by name, those included of which only a copy is left.
    private(set) var files: [Key: ScannedFile] = [:]
    /// The files in byte order of their names.
    private(set) var sorted: [ScannedFile] = []
    /// The names that are links to `/dev/null`.
    private(set) var masks: Set<Key> = []
    /// What is not read, and why.
    private(set) var ignored: [IgnoredFile] = []
    /// Why policy may be in force here of which nothing is known; `nil` where all of it is known.
    var uncertainty: String?
    /// What is wrong with the directory.
    private(set) var problems: [Diagnostic] = []

    /// What the directory itself shows, in a user namespace on the machine's own `/`; `nil` elsewhere, where nobody but root
    /// decides what lies there.
    var seen: SeenFolder?
    /// Whether the directory shows something that cannot be used, and what was recorded may be another's.
    var isObscured = false
    /// What was in force when it was last recorded.
    private let recorded: RecordedTable
    /// Whether files are signed.
    private let signatures: SignatureCheck
    /// The generation that stands for the directory while a rollback to it is not over.
    private let replacement: SourceFolder?
    /// What this process had last of files that nobody has recorded.
    private let memory: PolicyMemory?

    /// Reads a directory; what cannot be read is a problem and never an error.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - place: which directory.
    ///   - copies: its good copies.
    ///   - listing: what it holds, where that is known already.
    ///   - thorough: whether each copy is held to its digest.
    ///   - isSpread: whether threads may help.
    ///   - signatures: whether files are signed.
    ///   - recorded: what was in force when it was last recorded.
    ///   - replacement: what is read instead of the directory, while a rollback is not over.
    ///   - memory: what this process had last of files that nobody has recorded; `nil` for a process that asks once.
    init(
        root: Root, place: PolicyPlace, copies: GoodStore, listing: SourceFolder.Listing? = nil, thorough: Bool,
        isSpread: Bool, signatures: SignatureCheck, recorded: RecordedTable, replacement: SourceFolder? = nil,
        memory: PolicyMemory? = nil
    ) {
        self.memory = memory
        self.recorded = recorded
        self.place = place
        self.replacement = replacement
        self.signatures = signatures
        var copies = copies
        copies.demandsSignatures = signatures.isDemanded
        store = copies
        problems = store.problems
        // Whoever holds the result need not hold the directory of the copies as well.
        defer { store.rest() }
        do throws(TrustError) {
            let (directory, names) = try source(root, listing)
            isListed = true
            isOfDirectory = directory.isDirectory
            for warning in directory.warnings {
                problems.append(
                    Diagnostic(
                        file: root.display(place.directory), severity: .warning, code: .groupWritable,
                        message: DirectoryScan.withoutStop(warning)))
            }
            let hasSignatures = names.contains { PolicyFileName.signed($0) != nil }
            let known = hasSignatures ? Set(names.map { Key($0) }) : []
            var wanted: [String] = []
            wanted.reserveCapacity(names.count)
            for name in names {
                guard let reason = reasonToPassOver(signature: name, known, root) ?? PolicyFileName.reasonToIgnore(name)
                else {
                    wanted.append(name)
                    continue
                }
                if !reason.isEmpty { ignored.append(IgnoredFile(path: place.path(name), reason: reason)) }
            }
            files.reserveCapacity(wanted.count)
            sorted.reserveCapacity(wanted.count)
            let scan = self
            // The tools that are asked about signatures are children, and no other thread may be at work then.
            let looks = Workers.map(wanted, isSpread: isSpread && !signatures.mayAsk) { name in
                scan.look(at: name, in: directory, thorough: thorough)
            }
            for look in looks { add(look) }
        } catch {
            isMissing = error.isMissing
            let lost = recorded.table.files.keys.filter(wasInForce).map(\.name)
            for name in Set(store.copies.keys).union(lost).sorted() { keep(unlisted(name, error)) }
            reportDirectory(error, root: root)
        }
        if root.isSystem, CurrentProcess.isPolicyOutside { see(root) }
    }

    /// Opens what is read, and lists it; where the directory is not for this process to list, or tells it nothing, what
    /// root's commands recorded stands for it.
    private mutating func source(
        _ root: Root, _ listing: SourceFolder.Listing?
    ) throws(TrustError) -> (folder: SourceFolder, names: [String]) {
        if let replacement { return (replacement, try replacement.names()) }
        // Anybody can mount another folder of root's there, or an older file over one of policy.
        if recorded.bytes != nil, root.isSystem, CurrentProcess.isPolicyOutside { return try record() }
        do {
            let found = try (listing ?? SourceFolder.list(place, root: root)).get()
            return try settled(found, root)
        } catch {
            guard recorded.bytes != nil, case .system(let cause) = error, cause.isForbidden else { throw error }
            problems.append(
                Diagnostic(
                    file: root.display(place.directory), severity: .warning, code: .notReadable,
                    message: "\(error), so what root's commands last recorded is in force"))
            return try record()
        }
    }

    /// The listing, once an editor that has taken a file away has put the new one there, or time enough has passed.
    ///
    /// Whoever starts between both would take the file for removed.
    private func settled(
        _ found: (folder: SourceFolder, names: [String]), _ root: Root
    ) throws(TrustError) -> (folder: SourceFolder, names: [String]) {
        if recorded.table.files.isEmpty { return found }
        var found = found
        // The steps are counted: other changes of the directory may go on for ever.
        for _ in 0..<DirectoryScan.settlingSteps where isLacking(found.names) && isJustChanged(root) {
            Clock.pause(microseconds: DirectoryScan.settlingMicroseconds / Int64(DirectoryScan.settlingSteps))
            found = try SourceFolder.list(place, root: root).get()
        }
        return found
    }

    /// Whether a listing lacks a file that was in force.
    private func isLacking(_ names: [String]) -> Bool {
        let inForce = recorded.table.files.lazy.filter { $0.value.inForce != nil && $0.key.place == place }
        if inForce.isEmpty || !store.isOfNow(place) { return false }
        let known = Set(names.map { Key($0) })
        return inForce.contains { !known.contains($0.key.name) }
    }

    /// Whether the directory was changed a moment ago.
    private func isJustChanged(_ root: Root) -> Bool {
        guard let status = try? root.status(place.directory, followingLinks: true) else { return false }
        let age = Clock.now().microseconds - status.modified / 1_000
        return age >= 0 && age < DirectoryScan.settlingMicroseconds
    }

    /// How long after a change of the directory a file that is missing may be about to come back.
    private static let settlingMicroseconds: Int64 = 150_000
    /// How often it is looked for meanwhile.
    private static let settlingSteps = 20

    /// What root's commands recorded, in the place of the directory.
    private func record() throws(TrustError) -> (folder: SourceFolder, names: [String]) {
        let record = SourceFolder.recorded(place, recorded.table, store)
        return (record, try record.names())
    }

    /// What a look at one name found.
    enum Look: Sendable {
        /// A file that can be used as it is.
        case usable(ScannedFile)
        /// A file that cannot be used, as far as it alone tells, and why it was not read; `nil` where it was, or is
        /// nothing that could be.
        indirect case unusable(FileLook, TrustError?)
        /// A link to `/dev/null`.
        case mask(Key)
    }

    /// Looks at a name of the listing, whatever other names hold: any thread may do that.
    func look(at name: String, in directory: SourceFolder, thorough: Bool) -> Look {
        var file = FileLook(place: place, name: Key(name), root: store.root)
        var failure: TrustError?
        do {
            let content: TrustedFile
            if let own = try directory.readUnlinked(name, limit: PolicyFile.limits.bytes) {
                content = own
            } else {
                file.linkTarget = try directory.linkTarget(name)
                if file.linkTarget == "/dev/null" { return .mask(file.name) }
                content = try directory.read(name, limit: PolicyFile.limits.bytes)
            }
            take(content, into: &file)
            if !directory.isChecked { checkSignature(of: &file, content.bytes, directory) }
            if thorough, file.current != nil { checkCopy(of: &file, content.bytes) }
        } catch {
            if case .untrusted = error { file.trusted = false }
            var code: LintCode = file.trusted ? .unreadable : .untrusted
            if case .system(let cause) = error, cause.isTooLarge { code = .tooLarge }
            file.diagnostics.append(
                Diagnostic(file: file.shown, code: code, message: DirectoryScan.message(about: error, of: file.shown)))
            failure = directory.isFinal(error, of: name, at: file.path, root: store.root) ? nil : error
        }
        return file.current == nil ? .unusable(file, failure) : .usable(ScannedFile(file))
    }

    /// Adds a name that was looked at.
    private mutating func add(_ look: Look) {
        switch look {
        case .usable(let file): keep(file)
        case .mask(let name): masks.insert(name)
        case .unusable(var file, let failure):
            fallBack(&file)
            if file.policy == nil { suspect(&file, failure) }
            keep(ScannedFile(file))
        }
    }

    /// Keeps a file whose name comes behind those of all others.
    private mutating func keep(_ file: ScannedFile) {
        files[file.name] = file
        sorted.append(file)
    }

    /// Decides what it means that neither a file nor a copy of it can be used: a file that was never good forces nothing,
    /// but one that was in force, or may have been, leaves policy unknown.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - failure: why it was not read; `nil` where it was, or is nothing that could be.
    private mutating func suspect(_ file: inout FileLook, _ failure: TrustError?) {
        let wasInForce = wasInForce(PolicyTable.FileName(place: place, name: file.name))
        let mayHaveBeen = wasInForce || recorded.bytes == nil
        let reason: String? =
            if case .system(let error) = failure {
                error.isForbidden && isJudged(file) ? nil : error.description
            } else if let error = store.failure, mayHaveBeen || !error.isUntrusted {
                error.description
            } else if file.isSignatureUnknown, mayHaveBeen {
                "the signature of \(file.path) could not be checked"
            } else if wasInForce {
                "\(file.path) cannot be used, and the good copy of what it forced is lost"
            } else {
                nil
            }
        guard let reason else { return }
        file.isLost = wasInForce
        uncertainty = uncertainty ?? reason
    }

    /// Whether root's commands recorded, since a file was changed last, that it was never good.
    func isJudged(_ file: FileLook) -> Bool {
        let record = recorded.table.files[PolicyTable.FileName(place: place, name: file.name)]
        guard let record, record.source == LoadedFile.Source.none, let written = recorded.fingerprint?.changed,
            let link = try? store.root.status(file.path, followingLinks: false)
        else { return false }
        // Where a link leads to what nobody but root may ask about, only its own time is known.
        let status = (try? store.root.status(file.path, followingLinks: true)) ?? link
        return max(status.changed, link.changed) <= written
    }

    /// Parses what was read.
    private func take(_ content: TrustedFile, into file: inout FileLook) {
        let digest = SHA256.hash(content.bytes)
        let parsed = PolicyFile.parse(bytes: content.bytes, path: file.path, shownPath: file.shown, digest: digest)
        file.status = content.status
        file.digest = digest
        file.current = parsed.file
        file.diagnostics = parsed.diagnostics
        for warning in content.warnings {
            file.diagnostics.append(
                Diagnostic(
                    file: file.shown, severity: .warning, code: .groupWritable,
                    message: DirectoryScan.withoutStop(warning)))
        }
    }

    /// Whether something of a file was in force here when it was last recorded.
    func wasInForce(_ file: PolicyTable.FileName) -> Bool {
        file.place == place && recorded.table.files[file]?.inForce != nil && store.isOfNow(place)
    }

    /// Why a name is passed over that is the signature of a policy file; empty where it does its service, `nil` for any
    /// other name.
    private func reasonToPassOver(signature name: String, _ known: Set<Key>, _ root: Root) -> String? {
        guard let file = PolicyFileName.signed(name), PolicyFileName.reasonToIgnore(file) == nil else { return nil }
        guard signatures.isDemanded else {
            return "is a signature, which counts once there is a \(SignatureVerifier.ssh.trustPath)"
        }
        return known.contains(Key(file)) ? "" : "is the signature of \(file), which is not there"
    }

    /// Takes a file out of force that is not signed as it must be.
    private func checkSignature(
        of file: inout FileLook, _ bytes: [UInt8], _ directory: SourceFolder
    ) {
        guard let digest = file.digest else { return }
        var signature: [UInt8]?
        var failure: SignatureVerifier.Refusal?
        if signatures.isDemanded {
            let name = "\(file.name.string).sig"
            do throws(TrustError) {
                signature = try directory.read(name, limit: SignatureCheck.sizeLimit).bytes
            } catch {
                // What can be no signature leaves the file unsigned; of what may be one, nobody knows.
                let isFinal = directory.isFinal(error, of: name, at: place.path(name), root: store.root)
                if !error.isMissing { failure = .unreadable(error, isFinal: isFinal) }
            }
        }
        let isProfile = PolicyFileName.kind(of: file.name.string) == .profile
        let finding = signatures.finding(
            bytes, isProfile: isProfile, digest: digest, signature: signature, failure: failure)
        (file.signature, file.verification) = (finding.state, finding.verification)
        guard case .refused(let reason) = finding.state else {
            if let policy = file.current, !store.isRecorded(file.name, digest: policy.digest) {
                file.unrecordedBytes = bytes
            }
            return
        }
        file.current = nil
        file.unrecordedBytes = nil
        file.isSignatureUnknown = finding.isUnknown
        let code: LintCode =
            finding.isUnknown ? .signatureUnknown : finding.isUnsigned ? .unsigned : .badSignature
        file.diagnostics.append(
            Diagnostic(
                file: file.shown, code: code,
                message: "the file is not obeyed, because \(Printable.escape(reason))"))
    }

    /// Has a copy written anew that is damaged.
    private func checkCopy(of file: inout FileLook, _ bytes: [UInt8]) {
        guard file.current != nil, file.unrecordedBytes == nil, let copy = store.copies[file.name]?.newest else {
            return
        }
        if let problem = store.objection(to: copy, of: bytes) {
            file.diagnostics.append(problem)
            file.unrecordedBytes = bytes
        }
    }

    /// The names whose copies are to go: a complete listing lacks them, or has a link to `/dev/null` instead.
    var removedCopies: [Key] {
        isListed ? store.copies.keys.filter { files[$0] == nil } : []
    }

    /// Whether a copy is missing, superseded, or of a file that was removed.
    var needsCopying: Bool {
        guard store.directory != nil else { return false }
        return !removedCopies.isEmpty
            || sorted.contains { file in
                file.unrecordedBytes != nil
                    || store.hasSeveral && file.current != nil
                        && store.copies[file.name].map { !$0.older.isEmpty } ?? false
            }
    }

    /// Puts the last good copy in the place of a file that cannot be used, and says so.
    private func fallBack(_ file: inout FileLook) {
        let shown = file.shown
        let copy =
            replacement?.lastGood(file.name, shown: shown) ?? store.read(file.name, path: file.path)
        var policy = copy.policy
        if policy == nil, let kept = kept(file) { (policy, file.unrecordedBytes) = (kept.policy, kept.bytes) }
        var what = "the last good copy of this file"
        if replacement == nil, let version = memory?.version(of: file.path, beside: store.newest(file.name)) {
            (policy, file.unrecordedBytes) = (version.policy, version.bytes)
            what = "the version of this file that this program had last, of which there is no copy,"
        }
        file.lastGood = policy
        file.diagnostics += copy.problems
        if policy != nil {
            file.diagnostics.append(
                Diagnostic(
                    file: shown, severity: .warning, code: .lastGood,
                    message: "\(what) stays in force until the file is mended or removed"))
            return
        }
        let why =
            wasInForce(PolicyTable.FileName(place: place, name: file.name))
            ? "the good copy of what was in force is lost" : "there is no good copy of it"
        file.diagnostics.append(
            Diagnostic(
                file: shown, code: .notInForce,
                message: "nothing of this file is in force: it cannot be used, and \(why)"))
    }

    /// What a generation kept of a file that was in force, where its copy is lost.
    private func kept(_ file: FileLook) -> (policy: PolicyFile, bytes: [UInt8])? {
        let name = PolicyTable.FileName(place: place, name: file.name)
        guard place == .etc, let digest = recorded.table.files[name]?.inForce,
            let bytes = try? GenerationStore(root: store.root).object(digest),
            let policy = PolicyFile.parse(
                bytes: bytes, path: file.path, shownPath: file.shown, digest: digest
            ).file
        else { return nil }
        return (policy, bytes)
    }

    /// A file of which only the copy can be seen.
    private mutating func unlisted(_ name: Key, _ error: TrustError) -> ScannedFile {
        var file = FileLook(place: place, name: name, root: store.root)
        if case .untrusted = error { file.trusted = false }
        let code: LintCode = file.trusted ? .unreadable : .untrusted
        file.diagnostics = [Diagnostic(file: file.shown, code: code, message: error.description)]
        fallBack(&file)
        if file.policy == nil { suspect(&file, nil) }
        return ScannedFile(file)
    }

    /// Reports a directory that could not be listed.
    private mutating func reportDirectory(_ error: TrustError, root: Root) {
        if case .system = error, !error.isMissing {
            uncertainty = uncertainty ?? error.description
        } else if store.failure != nil || (error.isUntrusted && recorded.bytes == nil) {
            uncertainty = uncertainty ?? "\(error), and the good copies do not tell what was in force"
        }
        // A directory that is not there, and of which nothing is remembered, was never used.
        if error.isMissing, files.isEmpty, uncertainty == nil { return }
        let shown = root.display(place.directory)
        if error.isMissing {
            let advice = place == .etc ? "mdefaults policy rollback puts its files back; " : ""
            problems.append(
                Diagnostic(
                    file: shown, code: .unreadable,
                    message:
                        "the directory is missing, so \(whatStays) in force; \(advice)whoever makes it by hand removes"
                        + " what it then lacks"))
        } else if case .untrusted = error {
            problems.append(
                Diagnostic(
                    file: shown, code: .untrusted,
                    message: "\(error); nothing in it is used, and \(whatStays) in force\(whatElse)"))
        } else {
            problems.append(
                Diagnostic(
                    file: shown, code: .unreadable,
                    message: "\(error); \(whatStays) in force\(whatElse)"))
        }
    }

    /// What of a directory stays that cannot be listed.
    private var whatStays: String {
        let kept = sorted.count { $0.lastGood != nil }
        if kept == 0 { return "no good copy of any of its files is" }
        return kept < sorted.count
            ? "those of its files that have a last good copy stay" : "the last good copies of its files stay"
    }

    /// What is said beside what stays, where nobody can tell whether that is all.
    private var whatElse: String { uncertainty == nil ? "" : ", and nobody knows what else is forced" }

    /// What is said of a file behind its place, which names it already.
    private static func message(about error: TrustError, of shown: String) -> String {
        switch error {
        case .untrusted(let path, let reason) where Key(path) == Key(shown):
            "the file is not trusted: it \(Printable.escape(reason))"
        case .system(let error) where Key(error.path) == Key(shown):
            "the file cannot be read: \(Printable.escape(error.text))"
        default: error.description
        }
    }

    /// A sentence without its full stop, as findings are.
    static func withoutStop(_ sentence: String) -> String {
        sentence.utf8.last == UInt8(ascii: ".") ? String(sentence.dropLast()) : sentence
    }
}
