package import MDPlatform
package import MDPolicyCore
package import MDPolicyModel
import MDPropertyList
import MDTools

/// Writes programs' files, mends what was changed, and takes away what is no longer wanted.
package struct ProgramWriter {
    /// What a run did, or would do.
    package struct Outcome: Sendable {
        /// The differences, in order of their paths.
        package var changes: [Change] = []
        /// Drift that was mended, and what could not be done.
        package var findings: [ProgramFinding] = []

        /// The same for the audit log: what was written for policy, and what was mended.
        package var policyChanges: [PolicyChange] {
            changes.map { change in
                PolicyChange(
                    path: change.path, from: change.before.map { SHA256.hash($0) },
                    to: change.after.map { SHA256.hash($0) },
                    note: "\(change.program): \(change.note)")
            }
        }
    }

    /// A difference of one file.
    package struct Change: Hashable, Sendable {
        /// The word for the program.
        package let program: String
        /// The path under the root.
        package let path: String
        /// The content before; `nil` if there was no file, or it could not be read.
        package let before: [UInt8]?
        /// The content after; `nil` if there is no file.
        package let after: [UInt8]?
        /// Why, in words.
        package let note: String
    }

    private let root: Root
    private let isDryRun: Bool
    /// What is written, as far as the record says.
    package var written: WrittenFiles { record }
    private var record: WrittenFiles
    private var outcome = Outcome()
    /// The folders that must be there.
    private var folders: Set<Key> = []
    /// Whether what is wanted is all, and the users whose part stays all the same.
    private var (isWhole, kept): (Bool, Set<UInt32>) = (false, [])

    /// Prepares to write; the caller holds the lock of the policy record, unless it is a dry run.
    ///
    /// - Throws: if what was written before is unknown, as a clause.
    package init(root: Root, isDryRun: Bool = false) throws(StoredFileError) {
        (self.root, self.isDryRun) = (root, isDryRun)
        record = try WrittenFiles(root: root)
    }

    /// Makes programs' files what is wanted.
    ///
    /// - Parameters:
    ///   - wanted: the files that are wanted, each with the word for its program.
    ///   - folders: folders that must be there, with or without files.
    ///   - isRemoving: whether these are all, so that others that were written go.
    ///   - kept: the ids of users whose files stay all the same.
    /// - Returns: what was changed and what could not be done.
    package mutating func write(
        _ wanted: [(program: String, file: ProgramFile)], folders: [String] = [], removing isRemoving: Bool = true,
        keepingFilesOf kept: Set<UInt32> = []
    ) -> Outcome {
        let known = record
        self.folders = Set(folders.map { Key($0) })
        (isWhole, self.kept) = (isRemoving, kept)
        var steps: [Step] = []
        var paths: Set<Key> = []
        for (program, file) in wanted where paths.insert(Key(file.path)).inserted {
            if let step = step(for: file, of: program) { steps.append(step) }
        }
        for (path, entry) in known.files where isRemoving && !paths.contains(path) {
            if let uid = WrittenFiles.userID(of: path), kept.contains(uid) { continue }
            if let step = removal(of: path.string, entry) { steps.append(step) }
        }
        steps.sort { Key($0.path) < Key($1.path) }
        if isDryRun {
            outcome.changes = steps.map(\.change)
        } else if record != known || !steps.isEmpty || areFoldersToChange(isRemoving) {
            carryOut(steps)
        }
        return outcome
    }

    /// What a wanted file would be, with what others have in it.
    ///
    /// - Returns: its bytes; `nil` if it cannot be written as JSON.
    package func content(of file: ProgramFile) -> [UInt8]? {
        var foreign = WrittenFiles.content(record.files[Key(file.path)]?.original, root: root)
        if record.files[Key(file.path)] == nil {
            foreign = try? root.read(file.path, limit: PlainJSON.sizeLimit).bytes
        }
        return SharedFile(content: file.content).whole(with: foreign)
    }

    // MARK: What is to be done

    /// One file to write or to remove.
    private struct Step {
        let change: Change
        /// Where it is written first.
        let staging: String
        var path: String { change.path }
    }

    /// The state of a file.
    private struct Present {
        /// The content; `nil` if there is no regular file.
        var bytes: [UInt8]?
        /// Why it is not as files are written here, as a clause; `nil` if it is.
        var fault: String?
    }

    /// Decides about a wanted file, and notes it in the record.
    private mutating func step(for file: ProgramFile, of program: String) -> Step? {
        guard let present = present(file.path, of: program) else { return nil }
        let key = Key(file.path)
        var entry = record.files[key]
        var shared = SharedFile(content: file.content)
        if case .rules(let rules) = file.content {
            let last = WrittenFiles.content(entry?.digest, root: root)
            // A user without a row is told apart by groups, and misses nothing.
            let isAdding = isWhole || !isDryRun
            let rows = rules.keeping({ !isWhole || kept.contains($0) }, of: last, addingUsers: isAdding)
            shared = SharedFile(content: .rules(rows))
        }
        var foreign = WrittenFiles.content(entry?.original, root: root)
        var note = entry == nil ? "written" : "changed with policy"
        if let bytes = present.bytes {
            let digest = SHA256.hash(bytes)
            if entry == nil || (digest != entry?.digest && digest != entry?.previous) {
                // Somebody else's file, or somebody changed it.
                let written = WrittenFiles.content(entry?.digest, root: root)
                let theirs = shared.foreign(in: bytes, written: written, original: foreign)
                if entry != nil { note = drift(file.path, of: program, "was changed since it was written") }
                if theirs == nil { setAside(bytes, file, program) }
                if let theirs, !isEqual(theirs, to: foreign, file.content) {
                    foreign = entry == nil ? bytes : theirs
                } else if entry == nil {
                    foreign = bytes
                }
            } else if let fault = present.fault {
                note = drift(file.path, of: program, fault)
            }
        } else if let fault = present.fault {
            note = drift(file.path, of: program, fault)
        } else if entry != nil, !file.path.utf8.starts(with: "/run/".utf8) {
            note = drift(file.path, of: program, "was removed")
        }
        guard let bytes = shared.whole(with: foreign) else {
            fail(file.path, program, "it cannot be written as JSON")
            return nil
        }
        let digest = SHA256.hash(bytes)
        let isSame = present.fault == nil && present.bytes == bytes
        if isSame, entry?.digest == digest { return nil }
        let previous = entry.flatMap { $0.digest == digest ? $0.previous : $0.digest }
        entry = WrittenFiles.Entry(
            program: program, digest: digest, previous: previous, original: foreign.map { SHA256.hash($0) })
        if !isDryRun {
            do throws(SystemError) {
                for content in [foreign, bytes].compactMap({ $0 }) { try WrittenFiles.keep(content, root: root) }
            } catch {
                fail(file.path, program, "\(error)")
                return nil
            }
        }
        record.files[key] = entry
        if isSame { return nil }
        return Step(
            change: Change(program: program, path: file.path, before: present.bytes, after: bytes, note: note),
            staging: file.staging)
    }

    /// Decides about a file that is not wanted any more.
    private mutating func removal(of path: String, _ entry: WrittenFiles.Entry) -> Step? {
        guard let present = present(path, of: entry.program) else { return nil }
        record.files[Key(path)] = nil
        let original = WrittenFiles.content(entry.original, root: root)
        if present.bytes == nil, present.fault == nil, original == nil { return nil }
        if let bytes = present.bytes, bytes == original { return nil }
        return Step(
            change: Change(
                program: entry.program, path: path, before: present.bytes, after: original,
                note: original == nil ? "removed with policy" : "as it was before policy"),
            staging: ProgramFile.folder(of: path))
    }

    /// Whether the foreign part of a shared file equals the kept one, whatever its spaces are.
    private func isEqual(_ theirs: [UInt8], to kept: [UInt8]?, _ content: ProgramFile.Content) -> Bool {
        guard let kept else { return theirs.isEmpty }
        guard case .members = content else { return theirs == kept }
        let (left, right) = (try? PlainJSON.object(theirs), try? PlainJSON.object(kept))
        return left != nil && left == right
    }

    /// Looks at a file; `nil`, after a finding, if it cannot be read.
    private mutating func present(_ path: String, of program: String) -> Present? {
        do throws(SystemError) {
            let status = try root.status(path, followingLinks: false)
            guard status.kind == .regular else { return Present(fault: "is \(status.kind.noun)") }
            let bytes = try root.read(path, limit: PlainJSON.sizeLimit).bytes
            var present = Present(bytes: bytes)
            if status.owner != root.owner || status.mode & 0o022 != 0 {
                present.fault = "can be written by others than its owner \(root.owner)"
            } else if status.mode & 0o444 != 0o444 {
                present.fault = "cannot be read by everybody"
            }
            return present
        } catch {
            if error.isMissing { return Present() }
            guard isDryRun, error.isForbidden else {
                fail(path, program, "\(error)")
                return nil
            }
            outcome.findings.append(
                ProgramFinding(.unknown, program: program, path: path, "only root can look at the file"))
            return nil
        }
    }

    // MARK: Findings

    private mutating func drift(_ path: String, of program: String, _ clause: String) -> String {
        let remedy = isDryRun ? "; policy apply writes it again" : ", and is written again"
        outcome.findings.append(
            ProgramFinding(.drift, program: program, path: path, "the file \(clause)\(remedy)"))
        return "mended: the file \(clause)"
    }

    private mutating func fail(_ path: String, _ program: String, _ clause: String) {
        outcome.findings.append(ProgramFinding(.failed, program: program, path: path, clause))
    }

    /// Keeps what is overwritten although it cannot be merged.
    private mutating func setAside(_ bytes: [UInt8], _ file: ProgramFile, _ program: String) {
        let path = "\(WrittenFiles.home)/aside-\(SHA256.hash(bytes).hex.prefix(16))"
        outcome.findings.append(
            ProgramFinding(
                .drift, program: program, path: file.path,
                isDryRun
                    ? "policy apply sets aside what others wrote into the file"
                    : "what others wrote into the file is set aside as \(root.display(path))"))
        if isDryRun { return }
        do throws(SystemError) {
            try root.createDirectory(WrittenFiles.home, mode: 0o755)
            try root.replace(path, with: bytes, mode: 0o600)
        } catch {
            fail(path, program, "\(error)")
        }
    }

    // MARK: Doing it

    /// Writes the record, then the files.
    private mutating func carryOut(_ steps: [Step]) {
        var folders: [(path: String, program: String)] = []
        for step in steps where step.change.after != nil {
            for folder in missingFolders(above: step.path) { folders.append((folder, step.change.program)) }
        }
        for folder in self.folders.sorted() {
            for missing in missingFolders(above: "\(folder.string)/-") { folders.append((missing, "sessions")) }
        }
        record.folders.formUnion(folders.map { Key($0.path) })
        do throws(SystemError) {
            try root.createDirectory(WrittenFiles.home, mode: 0o755)
            try record.save(root: root)
        } catch {
            return fail(WrittenFiles.path, "programs", "nothing is written into programs' files: \(error)")
        }
        for folder in self.folders {
            do throws(SystemError) {
                try root.createDirectory(folder.string, mode: 0o755)
            } catch {
                fail(folder.string, "sessions", "\(error)")
            }
        }
        for step in steps {
            do {
                let mapped = mappedFile(step)
                try carryOut(step)
                outcome.changes.append(step.change)
                try mapped?.markReplaced()
            } catch {
                fail(step.path, step.change.program, "\(error)")
            }
        }
        removeFolders()
    }

    /// The file that a step replaces, if running programs must learn of it.
    private func mappedFile(_ step: Step) -> MappedFile? {
        guard ProgramCatalog.program(named: step.change.program)?.keepsMapped(step.path) == true else { return nil }
        return try? MappedFile(root: root, path: step.path)
    }

    /// Writes or removes one file.
    private func carryOut(_ step: Step) throws(TrustError) {
        let folder = ProgramFile.folder(of: step.path)
        do throws(SystemError) {
            if step.change.after == nil { return try root.remove(step.path) }
            try root.createDirectory(folder, mode: 0o755)
            let status = try? root.status(step.path, followingLinks: false)
            if status?.kind == .directory { try root.removeDirectoryWithFiles(step.path) }
        } catch {
            if error.isMissing, step.change.after == nil { return }
            throw .system(error)
        }
        guard let bytes = step.change.after else { return }
        try requireTrusted(folder, of: step.change.program)
        do throws(SystemError) {
            guard Key(step.staging) != Key(folder) else {
                return try root.replace(step.path, with: bytes, mode: 0o644)
            }
            let staged = "\(step.staging)/.managed-defaults"
            try root.replace(staged, with: bytes, mode: 0o644)
            try root.rename(staged, to: step.path, replacing: true)
            try root.syncDirectory(folder)
        } catch {
            throw .system(error)
        }
    }

    /// Checks a folder: else a user that may write it removes the file again.
    ///
    /// It may belong to the service that decides by its files: what the service wants, it answers without them too.
    private func requireTrusted(_ folder: String, of program: String) throws(TrustError) {
        if let service = ProgramCatalog.program(named: program)?.service,
            let account = AccountDatabase(root: root).account(named: service),
            let status = try? root.status(folder, followingLinks: false), status.kind == .directory,
            status.owner == account.uid, status.mode & 0o022 == 0
        {
            _ = try root.trustedDirectory(ProgramFile.folder(of: folder))
        } else {
            _ = try root.trustedDirectory(folder)
        }
    }

    /// Whether a required folder is missing, or a folder that was made here may go.
    private func areFoldersToChange(_ isRemoving: Bool) -> Bool {
        folders.contains { !root.mayExist($0.string) } || (isRemoving && record.folders.contains { !isUsed($0) })
    }

    /// Whether a folder is wanted, or holds something that is.
    private func isUsed(_ folder: Key) -> Bool {
        let prefix = "\(folder.string)/"
        return folders.contains(folder) || folders.contains { $0.string.utf8.starts(with: prefix.utf8) }
            || record.files.keys.contains { $0.string.utf8.starts(with: prefix.utf8) }
    }

    /// The folders above a path that do not exist, outermost first.
    private func missingFolders(above path: String) -> [String] {
        var missing: [String] = []
        var folder = ProgramFile.folder(of: path)
        while folder != "/", !root.mayExist(folder) {
            missing.append(folder)
            folder = ProgramFile.folder(of: folder)
        }
        return missing.reversed()
    }

    /// Removes folders that were made here and are empty, innermost first.
    private mutating func removeFolders() {
        var isChanged = false
        for folder in record.folders.sorted().reversed() where !isUsed(folder) {
            guard (try? root.names(in: folder.string))?.isEmpty != false else { continue }
            try? root.removeDirectory(folder.string)
            if root.mayExist(folder.string) { continue }
            record.folders.remove(folder)
            isChanged = true
        }
        if !isChanged { return }
        do throws(SystemError) {
            try record.save(root: root)
        } catch {
            fail(WrittenFiles.path, "programs", "\(error)")
        }
    }
}
