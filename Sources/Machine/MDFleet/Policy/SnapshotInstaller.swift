import MDAuditReading
import MDAuditRecord
import MDCare
import MDEngine
package import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPrograms
import MDPropertyList

/// A host's part of publishing: takes what the centre published, if it is newer and signed by who may sign it, and puts it
/// in place by one exchange of the directory.
///
/// What is read is read once, checked, and those bytes are installed. Whatever is wrong, policy stays as it is.
package struct SnapshotInstaller {
    /// The most bytes of all files of a snapshot together.
    private static let bound = 64 << 20
    /// The documents, as a host asks for them.
    private static let (snapshot, document) = ("pub/snapshot", "pub/root")

    private let root: Root
    private let configuration: FleetConfiguration
    private let now: Timestamp
    private let recorder: SnapshotRecorder

    /// - Parameters:
    ///   - root: the host.
    ///   - configuration: what its administrator says of its fleet.
    ///   - now: the time that decides what is stale.
    package init(root: Root, configuration: FleetConfiguration, now: Timestamp) {
        (self.root, self.configuration, self.now) = (root, configuration, now)
        recorder = SnapshotRecorder(root: root, fleet: configuration.fleet, now: now)
    }

    /// Looks at what the centre published, and installs it if it is new.
    package func run(_ source: any CentreTransport) -> SnapshotOutcome {
        var outcome = SnapshotOutcome()
        guard PolicyStore(root: root).mayWrite else {
            outcome.failure = "only the owner of the machine may install policy"
            return outcome
        }
        do throws(SnapshotObstacle) {
            let lock = try locked()
            var state = try present()
            defer {
                outcome.number = state.number
                outcome.isStale = state.expires.map { $0 <= now } ?? false
            }
            let before = state
            do throws(SnapshotObstacle) {
                try take(source, &state, &outcome)
                state.refusal = nil
                outcome.refusal = drift(state)
            } catch {
                switch error {
                // What was asked for just now comes within a second, and is then looked at.
                case .unknown(let reason): outcome.failure = source.isFetching ? nil : reason
                case .refused(let refusal, let digest):
                    state.refusal = refusal
                    refuse(refusal, digest, &state, &outcome)
                }
                outcome.refusal = state.refusal
            }
            if state != before { try write(state) }
            withExtendedLifetime(lock) {}
        } catch {
            if case .unknown(let reason) = error { outcome.failure = reason }
        }
        return outcome
    }

    private func locked() throws(SnapshotObstacle) -> FileLock {
        do throws(SystemError) {
            try root.createDirectory(SnapshotState.folder, mode: 0o755)
            return try root.lock(SnapshotState.lock)
        } catch {
            throw .unknown("\(error)")
        }
    }

    private func write(_ state: SnapshotState) throws(SnapshotObstacle) {
        do throws(SystemError) { try state.write(root) } catch { throw .unknown("\(error)") }
    }

    /// What was taken before; where the state is lost, the kept snapshot tells which files are the fleet's.
    private func present() throws(SnapshotObstacle) -> SnapshotState {
        let known: SnapshotState?
        do throws(FleetFault) { known = try SnapshotState.read(root) } catch { throw .unknown("\(error)") }
        if let known, known.fleet.utf8.elementsEqual(configuration.fleet.utf8) { return known }
        var state = SnapshotState(fleet: configuration.fleet)
        // Of another fleet nothing but its files counts: they are replaced by those of this one.
        if let known {
            state.files = known.files
        } else if let file = try? root.readTrusted(SnapshotState.snapshot, limit: 2 * Snapshot.limit).bytes,
            let bytes = try? SignedDocument(file, limit: Snapshot.limit).bytes, let snapshot = try? Snapshot(bytes)
        {
            state.files = snapshot.files
        }
        return state
    }

    /// Records a refusal, once per content.
    private func refuse(
        _ refusal: HostStatus.Refusal, _ digest: Digest, _ state: inout SnapshotState, _ outcome: inout SnapshotOutcome
    ) {
        let old = state.refused
        let text = "\(digest.hex) \(refusal.file) \(refusal.line ?? 0) \(refusal.reason)"
        guard state.remember(SHA256.hash(Array(text.utf8))) else { return }
        guard !recorder.refuse(refusal, digest) else { return }
        state.refused = old
        outcome.notes.append("The refusal could not be recorded in the audit log; it comes again.")
    }

    /// Takes what is new.
    private func take(
        _ source: any CentreTransport, _ state: inout SnapshotState, _ outcome: inout SnapshotOutcome
    ) throws(SnapshotObstacle) {
        // The snapshot comes first: a root document that is read later is never older.
        let file = try read(SnapshotInstaller.snapshot, 2 * Snapshot.limit, source)
        let rootFile = try read(SnapshotInstaller.document, 2 * FleetRoot.limit, source)
        guard let rootFile else { throw .unknown("the centre has no \(SnapshotInstaller.document)") }
        // The log is read only for what is new, or if nothing else tells what was taken.
        let isKnown =
            file.map { isKept($0, state.digest, Snapshot.limit) } ?? false
            && isKept(rootFile, state.rootDigest, FleetRoot.limit)
        let highest: SnapshotRecorder.Highest
        do throws(AuditError) {
            highest = isKnown ? SnapshotRecorder.Highest() : try recorder.highest()
        } catch {
            throw .unknown("the log, which has the numbers of what was taken, cannot be read: \(error)")
        }
        let (taken, firstKey) = try SnapshotCheck(configuration: configuration, state: state, highest: highest)
            .root(rootFile)
        if taken.digest != state.rootDigest {
            guard recorder.take(root: taken.content.epoch, taken.digest) else {
                throw .unknown("it could not be recorded in the audit log, so nothing was taken")
            }
            try keep(rootFile, SnapshotState.root)
            (state.rootEpoch, state.rootDigest) = (taken.content.epoch, taken.digest)
        }
        (state.firstKey, state.rootKey) = (firstKey, taken.content.rootKey)
        guard let file else {
            if state.number == nil { return }
            throw .unknown("the centre has no \(SnapshotInstaller.snapshot)")
        }
        let check = SnapshotCheck(configuration: configuration, state: state, highest: highest)
        guard let snapshot = try check.snapshot(file, taken.content) else {
            if let number = state.number, number.epoch < taken.content.epoch {
                outcome.notes.append(
                    "Epoch \(taken.content.epoch) began; snapshot \(number) stays until the first one of it.")
            }
            return
        }
        try install(snapshot, source, &state, &outcome)
        try keep(file, SnapshotState.snapshot)
        (state.number, state.digest) = (snapshot.content.number, snapshot.digest)
        state.expires = snapshot.content.expires
    }

    private func isKept(_ file: [UInt8], _ digest: Digest?, _ limit: Int) -> Bool {
        guard let digest, let document = try? SignedDocument(file, limit: limit) else { return false }
        return SHA256.hash(document.bytes) == digest
    }

    private func keep(_ file: [UInt8], _ path: String) throws(SnapshotObstacle) {
        do throws(SystemError) {
            try root.replace(path, with: file, mode: 0o644)
        } catch {
            throw .unknown("\(error)")
        }
    }

    private func read(
        _ path: String, _ limit: Int, _ source: any CentreTransport
    ) throws(SnapshotObstacle) -> [UInt8]? {
        do throws(FleetFault) { return try source.read(path, limit: limit) } catch { throw .unknown("\(error)") }
    }

    /// Puts the files of a snapshot in place, all or none.
    private func install(
        _ taken: SnapshotCheck.Taken<Snapshot>, _ source: any CentreTransport, _ state: inout SnapshotState,
        _ outcome: inout SnapshotOutcome
    ) throws(SnapshotObstacle) {
        let (snapshot, digest) = (taken.content, taken.digest)
        let items = try items(of: snapshot, digest, source)
        try requireOwnNames(snapshot, digest, state)
        let gone = Set(state.files.keys).subtracting(snapshot.files.keys)
        let installation = PolicyInstallation(items, isWhole: false, removing: gone, mayGoBack: true)
        let scan = try requireSound(installation, digest)
        // Where everything lies there already, nothing else would record the number.
        guard recorder.begin(snapshot.number, signer: taken.signer, digest) else {
            throw .unknown("it could not be recorded in the audit log, so nothing was changed")
        }
        // Should this process be killed in the exchange, the names are known to be the fleet's.
        let owned = state.files
        state.files.merge(snapshot.files) { _, new in new }
        try write(state)
        let why = snapshot.reason.map { ": \($0)" } ?? ""
        let note = "fleet \(snapshot.fleet): snapshot \(snapshot.number), signed by \(taken.signer)\(why)"
        let changes = PolicyChangeRecorder(root: root, time: recorder.time)
        do throws(OperationError) {
            let result = try PolicyStore(root: root).install(installation, note: note, after: scan) {
                true
            } report: {
                changes.record($0)
            }
            outcome.notes += result.failures.map { "After the exchange: \($0)." }
            let unknown = result.applied.set.names.unknown
            if !unknown.isEmpty {
                outcome.notes.append(
                    "No account database of this machine tells, or has, \(unknown.joined(separator: ", ")): policy for them "
                        + "applies to nobody until one does.")
            }
            if !result.applied.isRecorded {
                outcome.notes.append("The changes are not recorded yet; policy apply records them.")
            }
        } catch {
            state.files = owned
            throw .unknown("\(error)")
        }
        state.files = snapshot.files
        outcome.isInstalled = true
        let machine = PolicyMachine(root: root, expanding: .commonSettings(of: root)).policy()
        do {
            _ = try MachinePrograms(machine: machine).write()
            if let alarm = try KeptCheckpoint.renew(root) { outcome.notes.append(alarm) }
        } catch {
            outcome.notes.append("Policy is in place; what follows from it was not all done: \(error).")
        }
    }

    /// The content of each file, from this machine where it has it, else from the centre.
    private func items(
        of snapshot: Snapshot, _ digest: Digest, _ source: any CentreTransport
    ) throws(SnapshotObstacle) -> [Key: PolicyInstallation.Item] {
        var (items, size): ([Key: PolicyInstallation.Item], Int) = ([:], 0)
        var missing: [Key] = []
        for (name, wanted) in snapshot.files.sorted(by: { $0.key < $1.key }) {
            var content = try? GenerationStore(root: root).object(wanted)
            if content == nil {
                content = try read("pub/files/\(wanted.hex)", PolicyFile.limits.bytes, source)
            }
            guard let content else {
                // All are asked for, so that a network part fetches them together.
                missing.append(name)
                continue
            }
            guard SHA256.hash(content) == wanted else {
                throw .refused(
                    HostStatus.Refusal(
                        file: name.string, line: nil, reason: "the centre has another content of it than was signed"),
                    of: digest)
            }
            size += content.count
            guard size <= SnapshotInstaller.bound else {
                throw .refused(
                    HostStatus.Refusal(
                        file: "snapshot", line: nil,
                        reason: "its files have more than \(SnapshotInstaller.bound) bytes"), of: digest)
            }
            items[name] = .file(content)
        }
        if let name = missing.first {
            throw .unknown("the content of \(name.string)\(missing.count > 1 ? " and others" : "") did not come yet")
        }
        return items
    }

    /// Refuses a name that the machine's administrator already uses, whatever its content: were it the fleet's from then
    /// on, it would go with the fleet's.
    private func requireOwnNames(
        _ snapshot: Snapshot, _ digest: Digest, _ state: SnapshotState
    ) throws(SnapshotObstacle) {
        for name in snapshot.files.keys.sorted() where state.files[name] == nil {
            let path = PolicyDirectory.etc.path(name.string)
            guard root.mayExist(path) || (try? root.linkTarget(path)) != nil else { continue }
            throw .refused(
                HostStatus.Refusal(
                    file: name.string, line: nil, reason: "the administrator of this machine has a file of this name"),
                of: digest)
        }
    }

    /// The digest of a file in policies.d; `nil` if it cannot be had.
    private func digestInPlace(_ name: Key) -> Digest? {
        let path = PolicyDirectory.etc.path(name.string)
        return (try? root.readTrusted(path, limit: PolicyFile.limits.bytes)).map { SHA256.hash($0.bytes) }
    }

    /// Refuses files with an error, as `policy install` does.
    ///
    /// - Returns: the scan of the policy beside which they were checked.
    private func requireSound(
        _ installation: PolicyInstallation, _ digest: Digest
    ) throws(SnapshotObstacle) -> PolicyScan {
        let store = PolicyStore(root: root)
        let scan = store.scan(.reading)
        let present = store.isManaged ? scan.set() : .unmanaged
        if let reason = present.knowledge.failure { throw .unknown(PolicyKnowledge.sentence(of: reason)) }
        let machine = PolicyMachine(root: root, expanding: .commonSettings(of: root)).policy(known: present)
        let preview = InstallationPreview(
            installation, shown: [:], beside: present,
            mustBeSigned: store.demandsSignatures(after: scan.inspection.record), on: machine)
        guard let error = preview.findings.sorted().first(where: { $0.severity == .error }) else { return scan }
        throw .refused(
            HostStatus.Refusal(file: error.file, line: error.position.line, reason: error.message), of: digest)
    }

    /// What of the snapshot is not on this machine as it was put there; `nil` if all is.
    private func drift(_ state: SnapshotState) -> HostStatus.Refusal? {
        guard let number = state.number else { return nil }
        for (name, wanted) in state.files.sorted(by: { $0.key < $1.key }) where digestInPlace(name) != wanted {
            return HostStatus.Refusal(
                file: name.string, line: nil, reason: "this host does not have it as snapshot \(number) put it there")
        }
        return nil
    }
}
