import MDAuditLog
package import MDPlatform

/// One round of the collector: it takes what hosts sent, checks it, keeps it, and says to each host what is on its disk.
///
/// The steps come in this order for all hosts together: ``take()``, ``commit()``, ``acknowledge()``, ``clear()``. A kill
/// between any two of them, or inside of one, loses and repeats nothing: what was not acknowledged is sent again and
/// compared.
package struct Collector: ~Copyable {
    /// The centre.
    let root: Root
    /// The time by the centre's clock.
    let now: Timestamp
    /// What came of the round so far.
    package internal(set) var result = CollectorRound()
    /// The hosts that sent something.
    private var hosts: [HostRound] = []
    /// The logs and machines of all hosts; `nil` until that is needed.
    var known: KnownHosts?
    /// Held until the end of the round.
    private let lock: FileLock

    /// What hosts may read.
    private static let publicMode: UInt32 = 0o644

    /// Begins a round.
    ///
    /// - Parameters:
    ///   - root: the centre's root.
    ///   - now: the time.
    /// - Throws: if there is no centre, another collector works, or a folder cannot be made.
    package init(_ root: Root, now: Timestamp) throws(SystemError) {
        (self.root, self.now) = (root, now)
        lock = try Collector.lock(root)
    }

    /// Waits until no other process changes what the centre keeps.
    static func lock(_ root: Root) throws(SystemError) -> FileLock {
        try root.lock("\(CentreFolder.path)/lock", seconds: 5)
    }

    /// Runs a whole round.
    package static func run(_ root: Root, now: Timestamp) throws(SystemError) -> CollectorRound {
        var collector = try Collector(root, now: now)
        try collector.take()
        try collector.commit()
        try collector.acknowledge()
        collector.clear()
        return collector.result
    }

    /// Reads and checks everything that arrived, and appends the records to the copies of the logs.
    package mutating func take() throws(SystemError) {
        try root.createDirectory(CentreFolder.hosts, mode: 0o750)
        for folder in [CentreFolder.spool, CentreFolder.acknowledgements] {
            try root.createDirectory(folder, mode: 0o755)
        }
        var names: [FleetHost: [SpoolName]] = [:]
        for text in try root.names(in: CentreFolder.spool) {
            guard let name = SpoolName(text) else {
                result.unknown += 1
                continue
            }
            names[name.host, default: []].append(name)
        }
        result.hosts = names.count
        for host in names.keys.sorted() {
            let folder = HostFolder(centre: root, host: host)
            do throws(SystemError) {
                try folder.make()
                var work = HostRound(folder: folder, head: try folder.head())
                // A status was made before a batch that lies beside it, or says no less.
                let kinds: [SpoolName.Kind] = [.status, .report, .batch]
                for kind in kinds where names[host]?.contains(where: { $0.kind == kind }) ?? false {
                    try take(SpoolName(host, kind), &work)
                }
                hosts.append(work)
            } catch {
                result.problems.append("nothing was taken of \(host): \(error)")
            }
        }
    }

    /// Reads one file of a host.
    private mutating func take(_ name: SpoolName, _ work: inout HostRound) throws(SystemError) {
        // Gone since the folder was listed.
        let named = try LogFiles.ifPresent { () throws(SystemError) in
            try root.status(name.path, followingLinks: false)
        }
        guard let named else { return }
        let file: (bytes: [UInt8], status: FileStatus)
        do throws(SystemError) {
            guard named.kind == .regular else { throw SystemError(operation: "read", path: name.path, code: 22) }
            file = try root.read(name.path, limit: name.kind.limit)
            guard file.status.isSameFile(as: named) else { return }
        } catch {
            guard error.isTooLarge || named.kind != .regular else { throw error }
            work.done.append((name, named))
            return malformed(name, "is no file of at most \(name.kind.limit) bytes", [], &work)
        }
        // The centre's clock counts, and anything that arrives is a sign of life.
        work.done.append((name, file.status))
        switch name.kind {
        case .status: take(status: file.bytes, name, &work)
        case .report: try take(report: file.bytes, name, &work)
        case .batch: try take(batch: file.bytes, name, &work)
        }
    }

    /// Waits until the records are on disk, and makes the hosts' checkpoints the newest ones of their copies.
    ///
    /// What replaces a file is written beside it before a sync, and gets its name after it: a file that has its name before
    /// its content is on disk can be empty after a power cut.
    package mutating func commit() throws(SystemError) {
        guard !hosts.isEmpty else { return }
        let root = root
        forEachHost { _, work throws(SystemError) in
            if let (checkpoint, _) = work.uncommitted {
                try LogMirror.prepare(root: try work.folder.machine(), checkpoint)
            }
            try work.folder.replace(Collector.prepared(CentreFolder.head(work.host)), with: work.head.bytes)
            try Collector.prepareAcknowledgement(&work, at: root)
        }
        try root.syncFileSystem(CentreFolder.hosts)
        forEachHost { result, work throws(SystemError) in
            if let (checkpoint, records) = work.uncommitted {
                try LogMirror.commit(root: try work.folder.machine(), checkpoint, records)
            }
            if !work.alarms.isEmpty {
                result.alarms += try AlarmFile(root).append(work.alarms, after: work.head.accepted)
            }
            try Collector.rename(CentreFolder.head(work.host), at: root)
        }
        do throws(SystemError) {
            try DailyHeads(root, now).writeOnce()
        } catch {
            result.problems.append("the heads of the day were not written: \(error)")
        }
        try root.syncFileSystem(CentreFolder.hosts)
    }

    /// Does a step of the commit for each host; nothing more is done for a host whose step fails.
    private mutating func forEachHost(_ step: (inout CollectorRound, inout HostRound) throws(SystemError) -> Void) {
        for index in hosts.indices where !hosts[index].hasFailed {
            do throws(SystemError) {
                try step(&result, &hosts[index])
            } catch {
                // What is not known to be kept is neither acknowledged nor removed.
                result.problems.append("nothing was acknowledged to \(hosts[index].host): \(error)")
                hosts[index].hasFailed = true
            }
        }
    }

    /// Writes what is new to say to a host beside its acknowledgement.
    private static func prepareAcknowledgement(_ work: inout HostRound, at root: Root) throws(SystemError) {
        guard let acknowledgement = work.acknowledgement else { return }
        let path = CentreFolder.acknowledgement(work.host)
        let bytes = Array(acknowledgement.text.utf8)
        if let known = try? root.read(path, limit: Acknowledgement.limit).bytes, known == bytes {
            work.acknowledgement = nil
        } else {
            try root.replace(prepared(path), with: bytes, mode: Collector.publicMode, durable: false)
        }
    }

    /// The name of what replaces a file; no file of a host has such a name.
    private static func prepared(_ path: String) -> String { path + "~new" }

    /// Gives what was prepared its name.
    private static func rename(_ path: String, at root: Root) throws(SystemError) {
        try root.rename(prepared(path), to: path, replacing: true)
    }

    /// Says to the hosts what is on disk.
    package mutating func acknowledge() throws(SystemError) {
        for work in hosts where !work.hasFailed && work.acknowledgement != nil {
            try Collector.rename(CentreFolder.acknowledgement(work.host), at: root)
        }
    }

    /// Removes what was taken, unless something newer has its name.
    package mutating func clear() {
        for work in hosts where !work.hasFailed {
            for (name, status) in work.done {
                guard let now = try? root.status(name.path, followingLinks: false), now.isSameFile(as: status) else {
                    continue
                }
                do throws(SystemError) {
                    try root.remove(name.path)
                } catch {
                    result.problems.append("\(error)")
                }
            }
        }
        hosts = []
    }

    // MARK: What is wrong

    /// Notes a file that cannot be read; the next one that can be ends that.
    mutating func malformed(_ name: SpoolName, _ reason: String, _ bytes: [UInt8], _ work: inout HostRound) {
        if name.kind == .batch {
            if !bytes.isEmpty { try? work.folder.keepDisputed(bytes, name.kind, now: now) }
            work.acknowledgement = work.head.log.map {
                Acknowledgement(log: $0, size: work.head.size, .refused(.malformed))
            }
        }
        guard !work.head.isMalformed else { return }
        work.head.isMalformed = true
        warn(.malformed, "The \(name.kind) of \(work.host) \(reason).", &work)
    }

    /// Raises an alarm that is no dispute, once a day for each word, also if a host sends two kinds of files in turn.
    func warn(_ word: DisputeWord, _ sentence: String, _ work: inout HostRound) {
        let today = String(now.rfc3339.prefix(10))
        if work.head.alarmDay != today { (work.head.alarmDay, work.head.alarmWords) = (today, []) }
        if work.head.alarmWords.contains(word.rawValue) { return }
        work.head.alarmWords.append(word.rawValue)
        work.alarms.append(FleetAlarm(time: now, host: work.host, word, sentence, isDispute: false))
    }

    /// Notes a contradiction, after which no records of the host are taken until an administrator has looked.
    mutating func dispute(
        _ word: DisputeWord, _ sentence: String, _ batch: RecordBatch, _ bytes: [UInt8], _ work: inout HostRound
    ) throws(SystemError) {
        try work.folder.keepDisputed(bytes, .batch, now: now)
        (work.head.dispute, work.head.refusedLog) = (word, batch.log)
        let size = work.head.log == batch.log ? work.head.size : 0
        work.acknowledgement = Acknowledgement(log: batch.log, size: size, .refused(word))
        work.alarms.append(FleetAlarm(time: now, host: work.host, word, sentence, isDispute: true))
    }
}
