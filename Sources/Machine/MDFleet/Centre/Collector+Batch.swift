import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDPlatform
import MDTools

/// Batches of records: what is here already is compared, and what is new must fit the checkpoint before it is stored.
extension Collector {
    /// Unpacks a batch and decides by its log what it is.
    mutating func take(batch bytes: [UInt8], _ name: SpoolName, _ work: inout HostRound) throws(SystemError) {
        work.head.seen = now
        work.head.waits = nil
        result.batches += 1
        if let word = work.head.dispute {
            try work.folder.keepDisputed(bytes, .batch, now: now)
            let log = work.head.refusedLog ?? work.head.log ?? ""
            let size = log == work.head.log ? work.head.size : 0
            work.acknowledgement = Acknowledgement(log: log, size: size, .refused(word))
            return
        }
        if let reason = budgetReason(&work) { return wait(reason, &work) }
        let batch: RecordBatch
        do throws(FleetFault) {
            batch = try RecordBatch(try Collector.unpacked(bytes, name.kind))
        } catch {
            return malformed(name, "cannot be read: \(error)", bytes, &work)
        }
        let machine = try work.folder.machine()
        let mirror: LogMirror?
        do throws(SystemError) {
            mirror = try LogMirror.open(root: machine)
        } catch {
            return wait("its copy here cannot be continued: \(error.text)", &work)
        }
        guard let mirror else { return try begin(batch, bytes, in: machine, &work) }
        if mirror.checkpoint.logID == batch.log {
            // A killed round may have set the log before this one aside.
            noteSuccession(batch, in: machine, &work)
            return try extend(mirror, by: batch, bytes, &work)
        }
        try replace(mirror, by: batch, bytes, in: machine, &work)
    }

    /// Unpacks a file.
    private static func unpacked(_ bytes: [UInt8], _ kind: SpoolName.Kind) throws(FleetFault) -> [UInt8] {
        do throws(Gunzip.Fault) {
            return try Gunzip.unpack(bytes, limit: kind.unpackedLimit)
        } catch {
            throw FleetFault("\(error)")
        }
    }

    // MARK: The log that is known

    /// Compares what is here already, and appends what is new if it fits the checkpoint.
    private mutating func extend(
        _ known: consuming LogMirror, by batch: RecordBatch, _ bytes: [UInt8], _ work: inout HostRound
    ) throws(SystemError) {
        var mirror = known
        // What a killed round appended without a checkpoint was never acknowledged.
        (work.head.log, work.head.size, work.head.root) = (batch.log, mirror.checkpoint.size, mirror.checkpoint.root)
        guard mirror.checkpoint.origin == batch.checkpoint.origin else {
            return try dispute(
                .altered, "\(work.host) calls its log \(batch.log) by another name than before.", batch, bytes, &work)
        }
        work.acknowledgement = Acknowledgement(
            log: batch.log, size: mirror.checkpoint.size, .held(mirror.checkpoint.root))
        guard batch.first <= mirror.size + 1 else {
            return result.waiting.append(
                "\(work.host): records \(mirror.size + 1) to \(batch.first - 1) are missing before those that it sent")
        }
        let news: BatchNews
        do throws(FleetFault) {
            news = try BatchNews(
                batch, after: mirror.size, segments: mirror.firstAfterSegments - 1, of: mirror.segmentSize)
        } catch {
            return malformed(SpoolName(work.host, .batch), "cannot be continued here: \(error)", bytes, &work)
        }
        for known in news.known {
            guard let other = try mirror.firstDifference(from: known.first, known.lines) else {
                result.repeated += known.lines.count
                continue
            }
            if other > mirror.checkpoint.size, try mirror.forgetUncommitted() {
                // The host lost these records before it was told that they are here.
                return wait("records of a round that was not finished are other ones now", &work)
            }
            return try dispute(
                .rewritten,
                "Record \(other) of \(work.host) is another one than the centre has of its log \(batch.log).",
                batch, bytes, &work)
        }
        if news.isEmpty {
            // An older checkpoint says nothing new.
            if batch.last == mirror.size {
                try commit(batch, bytes, mirror.uncommitted, mirror.root, known: mirror.checkpoint, &work)
            }
            work.head.isMalformed = false
            return
        }
        let part = (first: mirror.firstAfterSegments, last: mirror.size)
        let growth = mirror.growth(deleted: news.deleted, lines: news.lines, now: now)
        guard try isGenuine(batch, growth.tree.root, bytes, &work) else { return }
        do throws(SystemError) {
            let records = try mirror.append(growth)
            work.uncommitted = (batch.checkpoint, records)
        } catch {
            return wait(error.isNoSpace ? "the centre's disk is full" : "\(error)", &work)
        }
        if !news.deleted.isEmpty, part.first <= part.last { noteUnproven(part, &work) }
        note(batch, growth, news.lines.count, &work)
    }

    /// Raises an alarm if the host deleted a segment that is partly here.
    ///
    /// The root of the whole segment cannot be compared with a part of it, so that the host could have had others.
    private func noteUnproven(_ part: (first: Int, last: Int), _ work: inout HostRound) {
        warn(
            .unproven,
            "\(work.host) says that it has deleted the segment that begins with record \(part.first). The centre has and "
                + "keeps its records until \(part.last), and nothing proves that the host had the same.", &work)
    }

    /// Makes a checkpoint the newest one that covers records which are here already.
    private mutating func commit(
        _ batch: RecordBatch, _ bytes: [UInt8], _ records: LogMirror.Uncommitted, _ root: Digest,
        known: Checkpoint, _ work: inout HostRound
    ) throws(SystemError) {
        if known.isSameCommitment(as: batch.checkpoint) { return }
        guard try isGenuine(batch, root, bytes, &work) else { return }
        work.uncommitted = (batch.checkpoint, records)
        (work.head.size, work.head.root) = (batch.last, root)
        work.acknowledgement = Acknowledgement(log: batch.log, size: batch.last, .held(root))
    }

    /// Notes what was stored.
    private mutating func note(
        _ batch: RecordBatch, _ growth: LogMirror.Growth, _ lines: Int, _ work: inout HostRound
    ) {
        (work.head.log, work.head.size, work.head.root) = (batch.log, batch.last, growth.tree.root)
        work.head.acknowledged = now
        work.head.written = Collector.end(of: batch) ?? work.head.written
        work.head.recordBytes += growth.bytes
        work.head.dayBytes += growth.bytes
        work.head.isMalformed = false
        work.acknowledgement = Acknowledgement(log: batch.log, size: batch.last, .held(growth.tree.root))
        result.records += lines
    }

    /// Whether the checkpoint is that of the records, and has the host's signature if the centre has the key.
    private mutating func isGenuine(
        _ batch: RecordBatch, _ root: Digest, _ bytes: [UInt8], _ work: inout HostRound
    ) throws(SystemError) -> Bool {
        guard batch.checkpoint.root == root else {
            try dispute(
                .altered, "The checkpoint of \(work.host) at record \(batch.last) is not that of the records it sent.",
                batch, bytes, &work)
            return false
        }
        guard let pem = try work.folder.publicKey() else {
            work.head.isSigned = false
            return true
        }
        guard let verifier = CheckpointVerifier(publicKeyPEM: pem) else {
            wait("the centre's file of its public key holds none", &work)
            return false
        }
        do throws(CheckpointSigningError) {
            if try verifier.verifies(batch.checkpoint) == true {
                work.head.isSigned = true
                return true
            }
        } catch {
            wait("its signature could not be checked: \(error)", &work)
            return false
        }
        try dispute(
            .altered, "The checkpoint of \(work.host) at record \(batch.last) is not signed by the host's key.", batch,
            bytes,
            &work)
        return false
    }

    // MARK: Another log

    /// Begins the copy of a log that is new here.
    private mutating func begin(
        _ batch: RecordBatch, _ bytes: [UInt8], in machine: Root, _ work: inout HostRound
    ) throws(SystemError) {
        if let other = try holder(of: batch.log), other != work.host, work.head.acceptedLog != batch.log {
            return try dispute(
                .copied, "\(work.host) and \(other) have one log, \(batch.log): one of them is a copy of the other.",
                batch, bytes, &work)
        }
        let news: BatchNews
        do throws(FleetFault) {
            news = try BatchNews(batch, after: 0, segments: 0, of: nil)
        } catch {
            return malformed(SpoolName(work.host, .batch), "cannot be read: \(error)", bytes, &work)
        }
        guard batch.first == 1 else {
            work.acknowledgement = Acknowledgement(log: batch.log, size: 0, .held(MerkleTree().root))
            return result.waiting.append(
                "\(work.host): records 1 to \(batch.first - 1) are missing before those that it sent")
        }
        let size = news.segmentSize ?? LogLimits().segment
        let growth = LogMirror.growth(
            ofNew: batch.checkpoint.origin, segment: size, deleted: news.deleted, lines: news.lines, now: now)
        guard try isGenuine(batch, growth.tree.root, bytes, &work) else { return }
        noteSuccession(batch, in: machine, &work)
        do throws(SystemError) {
            var mirror = try LogMirror.begin(root: machine, origin: batch.checkpoint.origin, segment: size)
            work.uncommitted = (batch.checkpoint, try mirror.append(growth))
        } catch {
            return wait(error.isNoSpace ? "the centre's disk is full" : "\(error)", &work)
        }
        known?.logs[batch.log] = work.host
        work.head.isReset = Collector.announcement(batch)?.succession == .resetAtBoot
        (work.head.leftLog, work.head.leftSize) = (nil, 0)
        note(batch, growth, news.lines.count, &work)
    }

    /// Sets the copy aside if the host announces another log in the first record of that.
    private mutating func replace(
        _ known: consuming LogMirror, by batch: RecordBatch, _ bytes: [UInt8], in machine: Root,
        _ work: inout HostRound
    ) throws(SystemError) {
        let (log, size, root) = (known.checkpoint.logID, known.size, known.root)
        _ = consume known
        (work.head.log, work.head.size, work.head.root) = (log, size, root)
        if let old = LogMirror.checkpointAside(root: machine, batch.log),
            try isLate(batch, bytes, after: old.size, &work)
        {
            // A host that has begun another log since gets the answer about that one again; one that was set back to this log sees it.
            work.acknowledgement = Acknowledgement(log: batch.log, size: old.size, .held(old.root))
            return
        }
        let announcement = Collector.announcement(batch)
        let isStranger = work.head.stranger != nil || announcement?.succession == .copied
        let isNamed =
            announcement.map { $0.log == log || LogMirror.checkpointAside(root: machine, $0.log) != nil }
            ?? Collector.names(log, in: batch)
        guard isNamed, !isStranger else {
            let holder = try holder(of: batch.log).flatMap { $0 == work.host ? nil : $0 }
            let sentence =
                if let holder {
                    "\(work.host) sends the log \(batch.log), which \(holder) has: one of them is a copy of the other."
                } else if isStranger {
                    "Another machine than before sends the log \(batch.log) as \(work.host)."
                } else {
                    "\(work.host) sends the log \(batch.log), and does not say what became of the log \(log)."
                }
            return try dispute(
                holder != nil || isStranger ? .copied : .exchanged, sentence, batch, bytes, &work)
        }
        guard work.head.dayLogs < CollectorLimits.mostLogsADay else {
            return wait("it began \(work.head.dayLogs) logs today", &work)
        }
        work.head.dayLogs += 1
        // What does not fit itself moves nothing.
        guard let news = try? BatchNews(batch, after: 0, segments: 0, of: nil), batch.first == 1,
            try isGenuine(
                batch,
                LogMirror.growth(
                    ofNew: batch.checkpoint.origin, segment: news.segmentSize ?? LogLimits().segment,
                    deleted: news.deleted, lines: news.lines, now: now
                ).tree.root, bytes, &work)
        else { return }
        try LogMirror.setAside(root: machine)
        try begin(batch, bytes, in: machine, &work)
    }

    /// Whether a batch of a log that the host has left was written before it did so, as far as one can know.
    ///
    /// It has a copy of its own, because the host may have it no more. A second one that goes on, with records that are
    /// later than those of the newer log, comes from a machine that has never left it.
    private func isLate(
        _ batch: RecordBatch, _ bytes: [UInt8], after size: Int, _ work: inout HostRound
    ) throws(SystemError) -> Bool {
        if batch.last <= size { return true }
        let isNoted = work.head.leftLog == batch.log
        if isNoted, batch.last > work.head.leftSize, let time = Collector.end(of: batch),
            time.microseconds > work.head.written?.microseconds ?? .max
        {
            return false
        }
        try work.folder.keepDisputed(bytes, .batch, now: now)
        (work.head.leftLog, work.head.leftSize) = (batch.log, max(batch.last, isNoted ? work.head.leftSize : 0))
        return true
    }

    /// The time of the last record of a batch, by the host's clock; `nil` if it has none.
    private static func end(of batch: RecordBatch) -> Timestamp? {
        guard case .lines(let lines) = batch.parts.last, let line = lines.last else { return nil }
        return (try? AuditRecord(line: line[...]))?.time
    }

    /// What the first record of a batch says of the log before; `nil` if it says nothing.
    private static func announcement(_ batch: RecordBatch) -> LogAnnouncement? {
        guard batch.first == 1, case .lines(let lines) = batch.parts.first, let line = lines.first else { return nil }
        return LogAnnouncement(line: line)
    }

    /// Whether the first record says that a log was set aside: one that was damaged is named by its file.
    private static func names(_ log: String, in batch: RecordBatch) -> Bool {
        guard batch.first == 1, case .lines(let lines) = batch.parts.first, let line = lines.first,
            let record = try? AuditRecord(line: line[...]), record.kind == .recover, let note = record.note
        else { return false }
        return TextSearch.isPresent(log, in: note)
    }

    /// Raises the alarm for a log that follows another one, unless the machine is meant to be set back at each boot.
    private func noteSuccession(_ batch: RecordBatch, in machine: Root, _ work: inout HostRound) {
        let announcement = Collector.announcement(batch)
        // Any machine could say that: one that was not enrolled so is named the first time.
        guard announcement?.succession != .resetAtBoot || !(work.head.isReset || work.folder.resetsAtBoot),
            let known = work.head.log, known != batch.log,
            case let old = announcement?.log ?? known, let aside = LogMirror.checkpointAside(root: machine, old)
        else { return }
        let end = announcement.map { " ended with record \($0.last) and" } ?? ""
        work.alarms.append(
            FleetAlarm(
                time: now, host: work.host, .rolledBack,
                "\(work.host) was set back to an earlier state: its log \(old)\(end) does not continue the "
                    + "\(Plural.count(aside.size, "record")) that the centre has. It goes on with the log \(batch.log), and "
                    + "the old one stays beside it.",
                isDispute: false))
    }

    // MARK: Limits

    /// Lets a batch wait where it is.
    mutating func wait(_ reason: String, _ work: inout HostRound) {
        work.head.waits = reason
        work.done.removeAll { $0.name.kind == .batch }
        work.acknowledgement = nil
        result.waiting.append("\(work.host): \(reason)")
    }

    /// Why no records of a host are taken now; `nil` if they are.
    private func budgetReason(_ work: inout HostRound) -> String? {
        let today = String(now.rfc3339.prefix(10))
        if work.head.day != today { (work.head.day, work.head.dayBytes, work.head.dayLogs) = (today, 0, 0) }
        if work.head.dayBytes >= CollectorLimits.mostBytesADay {
            return "it has sent \(work.head.dayBytes >> 20) MiB of records today, as much as it may"
        }
        if let free = try? root.freeSpace(CentreFolder.hosts), free < CollectorLimits.leastFree {
            return "the centre's disk is full"
        }
        if let size = try? root.fileSystemSize(CentreFolder.hosts), work.head.recordBytes > size / CollectorLimits.share
        {
            return "its records fill as much of the centre's disk as they may"
        }
        return nil
    }

    /// The host that has a log; `nil` for none.
    private mutating func holder(of log: String) throws(SystemError) -> FleetHost? {
        let index = if let known { known } else { try KnownHosts(root) }
        known = index
        return index.logs[log]
    }
}
