import Platform

/// The record as it lies on the disk.
struct RecordReading {
    /// What became of reading it.
    enum State {
        /// There is none: nothing was recorded on this machine.
        case missing
        /// It can be used.
        case usable(PolicyRecord, bytes: [UInt8])
        /// It is there and cannot be trusted, read or understood, so that what was in force is unknown; why, as a clause.
        case unusable(String)
    }

    /// What became of reading it.
    let state: State
    /// What the kernel says of it; `nil` if it is missing or cannot be reached.
    let fingerprint: Fingerprint?
    /// What the process or the machine lacked to read it; `nil` if it lacked nothing.
    let shortage: SystemError?
    /// What is wrong with it.
    let problems: [Diagnostic]

    /// Reads the record of a root.
    init(root: Root) {
        fingerprint = RecordReading.fingerprint(root: root)
        do {
            let file = try root.readTrusted(StorePath.record, limit: PolicyRecord.sizeLimit)
            shortage = nil
            do {
                state = .usable(try PolicyRecord(decoding: file.bytes), bytes: file.bytes)
                problems = []
                return
            } catch {
                state = .unusable("the record of policy is damaged: \(error)")
            }
        } catch {
            if error.isMissing {
                (state, shortage, problems) = (.missing, nil, [])
                return
            }
            if case .system(let cause) = error, cause.isShortage { shortage = cause } else { shortage = nil }
            state = .unusable("\(error)")
        }
        let reason = if case .unusable(let reason) = state { reason } else { "" }
        problems = [
            Diagnostic(
                file: root.display(StorePath.record), code: .damagedTable,
                message: "what was in force before is not known: \(reason); mdefaults policy apply writes a new record")
        ]
    }

    /// What it holds; nothing if it is missing or cannot be used.
    var record: PolicyRecord {
        if case .usable(let record, _) = state { record } else { PolicyRecord() }
    }

    /// Its bytes, if it can be used.
    var bytes: [UInt8]? {
        if case .usable(_, let bytes) = state { bytes } else { nil }
    }

    /// Whether there is none.
    var isMissing: Bool {
        if case .missing = state { true } else { false }
    }

    /// Why what was in force is unknown, as a clause; `nil` if it is known.
    var failure: String? {
        if case .unusable(let reason) = state { reason } else { nil }
    }

    /// Whether the file on the disk is another one by now, or cannot be asked about any more.
    func isSuperseded(root: Root) -> Bool { RecordReading.fingerprint(root: root) != fingerprint }

    /// What the kernel says of the file; `nil` if it is missing or cannot be reached.
    private static func fingerprint(root: Root) -> Fingerprint? {
        (try? root.status(StorePath.record, followingLinks: true)).map { Fingerprint($0) }
    }
}
