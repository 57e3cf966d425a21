package import MDPlatform
import MDPolicyCore
import MDPolicyFormats
package import MDPolicyModel
import MDPropertyList

/// What reading the policy record from disk found.
package struct PolicyRecordInspection {
    /// The result of reading the policy record.
    package enum State {
        /// Nothing was recorded on this machine.
        case missing
        /// The policy record can be used.
        case usable(PolicyRecord, bytes: [UInt8])
        /// The policy record is untrusted, unreadable or damaged, so earlier policy is unknown; why, as a clause.
        case unusable(String)
    }

    /// The result of reading the policy record.
    package let state: State
    /// The status of the file; `nil` if it is missing or cannot be read.
    let status: FileStatus?
    /// The resource that was exhausted while reading, or `nil`.
    let shortage: SystemError?
    /// Whether an engine wrote it that is too new for this one, which must not replace it then.
    package let isOfNewerEngine: Bool
    /// The findings about the file.
    package let problems: [Diagnostic]

    /// Reads the policy record beneath a root.
    package init(root: Root) {
        do {
            let file = try root.readTrusted(StorePath.record, limit: PolicyRecord.sizeLimit)
            (status, shortage) = (file.status, nil)
            do {
                state = .usable(try PolicyRecord(decoding: file.bytes), bytes: file.bytes)
                (isOfNewerEngine, problems) = (false, [])
                return
            } catch {
                let newer = PolicyRecord.newerEngine(file.bytes)
                isOfNewerEngine = newer != nil
                state = .unusable(
                    newer.map {
                        "the record of policy was written by ManagedDefaults \($0.writer) and needs \($0.least), and this"
                            + " is ManagedDefaults \(EngineVersion.current)"
                    } ?? "the record of policy is damaged: \(error)")
            }
        } catch {
            isOfNewerEngine = false
            if error.isMissing {
                (state, status, shortage, problems) = (.missing, nil, nil, [])
                return
            }
            // If it can be read after all, no status agrees, and the look starts over.
            let current = PolicyRecordInspection.status(root: root)
            let isBack = (try? root.readTrusted(StorePath.record, limit: PolicyRecord.sizeLimit)) != nil
            status = isBack ? nil : current
            if case .system(let cause) = error, cause.isShortage { shortage = cause } else { shortage = nil }
            state = .unusable("\(error)")
        }
        let reason = if case .unusable(let reason) = state { reason } else { "" }
        problems = [
            Diagnostic(
                file: root.display(StorePath.record), code: .damagedTable,
                message: "what was in force before is not known: \(reason)"
                    + (isOfNewerEngine ? "" : "; mdefaults policy apply writes a new record"))
        ]
    }

    /// The policy record; an empty one if it is missing or cannot be used.
    package var record: PolicyRecord {
        if case .usable(let record, _) = state { record } else { PolicyRecord() }
    }

    /// The bytes; `nil` if the policy record is missing or cannot be used.
    package var bytes: [UInt8]? {
        if case .usable(_, let bytes) = state { bytes } else { nil }
    }

    package var isMissing: Bool {
        if case .missing = state { true } else { false }
    }

    /// The files that it names.
    var recorded: RecordedFiles {
        switch state {
        case .missing: .missing
        case .usable(let record, _): record.files.isEmpty ? .none : .some
        case .unusable: .some
        }
    }

    /// Why earlier policy is unknown, as a clause; `nil` if it is known.
    package var failure: String? {
        if case .unusable(let reason) = state { reason } else { nil }
    }

    /// Whether the file has been replaced or changed since it was read.
    func isSuperseded(root: Root) -> Bool { PolicyRecordInspection.status(root: root) != status }

    /// The status of the file; `nil` if it is missing or cannot be read.
    private static func status(root: Root) -> FileStatus? {
        try? root.status(StorePath.record, followingLinks: true)
    }
}

/// The tags of a machine in `/etc/managed-defaults/tags`: a room, a trolley, a course.
struct TagFile {
    /// The most bytes that are read.
    private static let limit = 65_536
    /// The tags; `nil` if they cannot be read and none were recorded.
    package let words: Set<Key>?
    /// The findings about the file.
    package let problems: [Diagnostic]

    /// Reads the file; if that fails, the recorded tags stay.
    ///
    /// A missing file means no tags, but only if its directory exists.
    ///
    /// - Parameters:
    ///   - home: the folder of the file.
    ///   - recorded: the recorded tags.
    ///   - isRecordAlone: whether only the recorded tags count.
    init(in home: PolicyHome, recorded: Set<Key>?, isRecordAlone: Bool) {
        if isRecordAlone {
            (words, problems) = (recorded, [])
            return
        }
        do {
            words = try TagFile.words(in: home.read(StorePath.tags, limit: TagFile.limit).bytes)
            problems = []
        } catch let error as TrustError where error.isMissing {
            words = home.isOpen ? [] : recorded ?? []
            problems = []
        } catch {
            words = recorded
            let consequence =
                recorded == nil
                ? "what policy for tags forces is unknown" : "the tags that were recorded last stay in force"
            problems = [
                Diagnostic(
                    file: home.root.display(StorePath.tags), code: .unreadable,
                    message: "the tags of this machine cannot be used: \(error); \(consequence)")
            ]
        }
    }

    /// Splits a text into words at blanks and line ends; a `#` begins a comment.
    ///
    /// - Throws: if the bytes are not text.
    package static func words(in bytes: [UInt8]) throws(StoredFileError) -> Set<Key> {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw StoredFileError("the file is not valid UTF-8")
        }
        var words: Set<Key> = []
        for line in text.utf8.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            let content = line.prefix { $0 != UInt8(ascii: "#") }
            for word in content.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }) {
                words.insert(Key(String(Substring(word))))
            }
        }
        return words
    }
}
