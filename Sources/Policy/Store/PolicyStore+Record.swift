import Platform
import PropertyList

extension PolicyStore {
    /// Writes what a look found missing, under the lock and after another look.
    func record(_ first: PolicyPass, report: ([PolicyChange]) -> Bool) -> PolicySet {
        let lock: FileLock
        do throws(SystemError) {
            try root.createDirectory(StorePath.home, mode: 0o755)
            lock = try root.lock(StorePath.lock)
        } catch {
            return first.set(more: [notRecorded(error)])
        }
        // Held until the end of the function, whatever the optimizer thinks of a value that nobody reads.
        return withExtendedLifetime(lock) {
            let pass = look(isWriter: true)
            guard pass.needsRecording else { return pass.set() }
            return write(pass, report: report)
        }
    }

    /// Writes copies, then has the changes reported, then writes the table.
    private func write(_ pass: PolicyPass, report: ([PolicyChange]) -> Bool) -> PolicySet {
        var written: Set<PolicyTable.FileName> = []
        var problems: [Diagnostic] = []
        for scan in [pass.etc, pass.run] {
            for file in scan.files.values.sorted(by: { $0.name < $1.name }) {
                attempt(&problems) { () throws(SystemError) in
                    if try copy(file, to: scan.store) {
                        written.insert(PolicyTable.FileName(place: file.place, name: file.name))
                    }
                }
            }
            for name in scan.removedCopies.sorted() {
                attempt(&problems) { () throws(SystemError) in try scan.store.remove(name, root: root) }
            }
        }
        attempt(&problems) { () throws(SystemError) in try GoodStore.removeEarlierBoots(root: root) }
        var isRecorded = false
        let bytes = pass.table.encoded()
        if bytes != pass.recorded.bytes, pass.changes.isEmpty || report(pass.changes) {
            attempt(&problems) { () throws(SystemError) in
                try root.replace(StorePath.record, with: bytes, mode: 0o644)
                isRecorded = true
            }
        }
        return pass.set(written: written, isRecorded: isRecorded, more: problems)
    }

    /// Copies a file that has no good copy yet.
    ///
    /// - Returns: whether there was something to copy.
    private func copy(_ file: ScannedFile, to store: GoodStore) throws(SystemError) -> Bool {
        guard let directory = store.directory, let digest = file.digest, file.current != nil else { return false }
        guard let bytes = file.unrecordedBytes else {
            try store.remove(file.name, keepingNewest: true, root: root)
            return false
        }
        try root.createDirectory(directory, mode: 0o755)
        try store.write(bytes, digest: digest, of: file.name, root: root)
        return true
    }

    /// Does one thing, and turns its failure into a finding, so that the next thing is still done.
    private func attempt(_ problems: inout [Diagnostic], _ work: () throws(SystemError) -> Void) {
        do {
            try work()
        } catch {
            problems.append(notRecorded(error))
        }
    }

    /// The finding that something could not be written.
    private func notRecorded(_ error: SystemError) -> Diagnostic {
        Diagnostic(
            file: root.display(StorePath.home), severity: .warning, code: .notRecorded,
            message: "what is in force could not be recorded: \(error)")
    }
}
