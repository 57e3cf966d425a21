package import MDPlatform
package import MDPropertyList

/// One line of the tamper-evident log; the properties have the names and the order of ``RecordMember``.
package struct AuditRecord: Hashable, Sendable {
    /// The version of the format that is written and read.
    package static let formatVersion = 1

    /// The most equal attempts that one record counts: as many as a process could make within the 10 s of a window if each
    /// took 100 ns, which is less than any does.
    package static let mostEqualAttempts = 100_000_000

    /// The version of the format.
    package var v = AuditRecord.formatVersion
    /// The place in the log, counted from 1; 0 if the record is not in a log.
    package var seq = 0
    /// When it was recorded.
    package var time: Timestamp?
    /// The kernel's identifier of the boot.
    package var boot: String?
    /// Microseconds since the boot, on a clock that is never set.
    package var mono: Int?
    /// The event that the record is about.
    package var kind: RecordKind
    /// The source that the record is based on.
    package var src: RecordSource?
    /// The name of the host.
    package var host: String?
    /// The user of the process.
    package var uid: UInt32?
    /// The name of that user.
    package var user: String?
    /// The user who logged in, even if the process changed its user since.
    package var auid: UInt32?
    /// The kernel's number of the login session.
    package var session: UInt32?
    /// The process.
    package var pid: Int32?
    /// When the process began, in clock ticks since the boot (field 22 of `/proc/PID/stat`).
    package var start: UInt64?
    /// The program that the process runs.
    package var exe: String?
    /// The service unit of the process.
    package var unit: String?
    /// The way in which the value was written.
    package var via: WriteVia?
    /// The domain of the key.
    package var domain: Key?
    /// The forced key.
    package var key: Key?
    /// The forced value; `nil` if the key is forced to be absent.
    package var forced: ValueSummary?
    /// The value of the attempt; `nil` for a removal.
    package var tried: ValueSummary?
    /// The policy that forces the key, or that changed.
    package var policy: PolicyReference?
    /// The result of the attempt.
    package var outcome: AttemptOutcome?
    /// The number of equal attempts, or lost records, that this record counts; `nil` for one.
    package var count: Int?
    /// When the first of several equal attempts was made.
    package var first: Timestamp?
    /// When the last of several equal attempts was made.
    package var last: Timestamp?
    /// A sentence for people.
    package var note: String?
    /// Fields of a later version, in the order of the line.
    package var extra: [ExtraField] = []

    /// Makes a record; the other fields are set one by one, or filled in when it is stored.
    package init(kind: RecordKind, src: RecordSource? = nil, note: String? = nil) {
        self.kind = kind
        self.src = src
        self.note = note
    }
}

/// The policy that a record is about (`policy`): the file, the line and the content at that moment.
package struct PolicyReference: Hashable, Sendable {
    /// The policy identifier, if it is known (`id`).
    package var id: String?
    /// The path of the policy file (`file`).
    package var file: String?
    /// The line of the entry, counted from 1 (`line`).
    package var line: Int?
    /// The digest of the policy file's bytes (`sha256`).
    package var sha256: Digest?

    /// Makes a reference.
    package init(id: String? = nil, file: String? = nil, line: Int? = nil, sha256: Digest? = nil) {
        self.id = id
        self.file = file
        self.line = line
        self.sha256 = sha256
    }
}

/// A field of a record that this version does not know, retained so that the record is shown completely.
package struct ExtraField: Hashable, Sendable {
    /// The name of the field.
    package let name: String
    /// The value as compact JSON.
    package let json: String

    /// Makes a field.
    package init(name: String, json: String) {
        self.name = name
        self.json = json
    }
}

extension AuditRecord {
    /// Fills in what the kernel says about this process, if the fields are missing.
    package mutating func fillInProcess() {
        uid = uid ?? CurrentProcess.uid
        auid = auid ?? CurrentProcess.loginUID
        session = session ?? CurrentProcess.sessionID
        pid = pid ?? CurrentProcess.pid
        start = start ?? CurrentProcess.startTime
        exe = exe ?? CurrentProcess.executablePath
    }

    /// Fills in the host as seen from outside of the user namespace, and notes that the ids are those of the namespace.
    package mutating func fillIn(_ namespace: ForeignNamespace) {
        host = host ?? namespace.host
        // The ids of the namespace have the names of other people.
        user = nil
        note = AuditRecord.note(note, with: AuditRecord.unknownPerson)
    }

    /// Fills in time, boot and host, if the fields are missing.
    package mutating func fillInMachine(root: Root) {
        time = time ?? Clock.now()
        boot = boot ?? Machine.bootID()
        mono = mono ?? Int(Clock.monotonicMicroseconds())
        host = host ?? Machine.hostName(root: root).short
    }
}

extension AuditRecord {
    /// The remark that the user outside of the user namespace is unknown.
    private static let unknownPerson = "who this is outside of the user namespace is unknown"
    /// The remark that no log service accepted a duplicate.
    private static let noDuplicate = "no log service of this machine took a duplicate"
    /// The first words of the note about an entry that was set once.
    package static let setOnceNote = "set once"
    /// The remark that the record waits in a home that root's report does not read.
    package static let homeOfEnvironment = "the user database names no home that is here, so HOME says where this waits"

    /// A note followed by the remark that no log service accepted a duplicate.
    package static func notDuplicated(_ note: String?) -> String { self.note(note, with: noDuplicate) }

    /// A note followed by a remark.
    package static func note(_ note: String?, with remark: String) -> String {
        note.map { "\($0); \(remark)" } ?? remark
    }

    /// The beginning of the remark about what a record of a spool says and nothing proves.
    private static let unprovenClaims = "[the spool says "

    /// Adds what a record of a spool says about its host and its people, and what is not so as far as anybody can tell.
    package mutating func add(claims: [String]) {
        note = AuditRecord.note(note, with: AuditRecord.unprovenClaims + claims.joined(separator: ", ") + "]")
    }

    /// The note without the remark about what its spool says.
    private var noteWithoutClaims: String? {
        guard let note, note.hasSuffix("]"), let start = note.lastIndex(of: "["),
            note[start...].hasPrefix(AuditRecord.unprovenClaims)
        else { return note }
        let rest = note[..<start]
        return rest.isEmpty ? nil : String(rest.hasSuffix("; ") ? rest.dropLast(2) : rest)
    }

    /// The note without the remarks that the reporter and the taker of a spool add.
    package var noteOfOrigin: String? {
        [AuditRecord.homeOfEnvironment, AuditRecord.noDuplicate, AuditRecord.unknownPerson].reduce(noteWithoutClaims) {
            note, remark in
            guard let note, note.hasSuffix(remark) else { return note }
            let rest = note.dropLast(remark.count)
            return rest.isEmpty ? nil : String(rest.hasSuffix("; ") ? rest.dropLast(2) : rest)
        }
    }
}

extension AuditRecord {
    /// Removes the sender's times of the attempts (`first`, `last`) if they are impossible.
    ///
    /// - Parameters:
    ///   - earliest: the time before which the sender can have made none; `nil` if any is possible.
    ///   - latest: the time now.
    package mutating func boundClaimedTimes(from earliest: Timestamp? = nil, to latest: Timestamp) {
        let begin = first ?? earliest ?? latest
        let end = last ?? latest
        let isPossible = begin <= end && end <= latest && (earliest.map { $0 <= begin } ?? true)
        if !isPossible { (first, last) = (nil, nil) }
    }

    /// The first words of the note about a value that a constraint does not allow, and what follows if none may be shown.
    package static let (allowedNote, hiddenNote) = ("allowed: ", "what policy says")

    /// Replaces the values by what a record has of sensitive ones, and leaves out of the note what a constraint allows.
    ///
    /// - Parameter key: the key of the machine; `nil` if this process may not read it.
    package mutating func hideValues(under key: HostKey?) {
        (forced, tried) = (forced?.asSecret.digested(under: key), tried?.asSecret.digested(under: key))
        let hidden = AuditRecord.allowedNote + AuditRecord.hiddenNote
        if let note, note.hasPrefix(AuditRecord.allowedNote), !note.hasPrefix(hidden) { self.note = hidden }
    }
}

/// A user namespace that another user than root created; the ids of a process in it do not identify its user.
package struct ForeignNamespace: Sendable {
    /// The host that policy was merged for.
    let host: String

    /// Makes a value.
    package init(host: String) { self.host = host }
}

extension AuditRecord {
    /// The most bytes of a line, including its line feed.
    package static let longestLine = 65_535
    /// The most bytes of UTF-8 of a text in a record, and the most if the line is still too long: eleven texts of 512
    /// bytes, each byte a `\u` escape of six, are shorter than the longest line.
    private static let textLimits = (usual: 4_096, tight: 512)

    /// Encodes the record as one line of JSON.
    ///
    /// A text of more than 4,096 bytes is cut and ends in `… [N bytes, sha256 D]`: the size of the whole text and the first
    /// 16 digits of its digest. If the line is still too long, texts are cut to 512 bytes, and the size and digest of any
    /// fields of a later version replace them, as a field named `extra`.
    ///
    /// - Parameter isForService: whether only the audit service gets the line, which digests sensitive values.
    /// - Returns: the line without its line feed, at most 65,534 bytes.
    package func encoded(isForService: Bool = false) -> [UInt8] {
        let line = encoded(textLimit: AuditRecord.textLimits.usual, extra: extra, isForService: isForService)
        if line.count < AuditRecord.longestLine { return line }
        let names = extra.flatMap { Array("\($0.name)=\($0.json)\n".utf8) }
        let digest = ValueSummary(type: "fields", digesting: names)
        let replacement =
            extra.isEmpty
            ? []
            : [
                ExtraField(name: "extra", json: String(decoding: digest.json, as: UTF8.self))
            ]
        return encoded(textLimit: AuditRecord.textLimits.tight, extra: replacement, isForService: isForService)
    }

    /// Encodes the record as a line of any length.
    private func encoded(textLimit: Int, extra: [ExtraField], isForService: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        for member in RecordMember.order.members { write(member, to: &writer, textLimit, isForService) }
        for field in extra {
            writer.member(field.name)
            writer.raw(field.json)
        }
        writer.endObject()
        return writer.utf8
    }

    /// Encodes the members of a part of the line, each after a comma.
    ///
    /// - Parameters:
    ///   - first: the first member of the part.
    ///   - last: the last one.
    ///   - isForService: whether only the audit service gets the line, which digests sensitive values.
    /// - Returns: the bytes, which are empty if the record has none of the members.
    package func encoded(from first: RecordMember, to last: RecordMember, isForService: Bool = false) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        for member in RecordMember.order.members(from: first, to: last) {
            write(member, to: &writer, AuditRecord.textLimits.usual, isForService)
        }
        // In place of the brace there is a comma.
        return writer.utf8.count == 1 ? [] : [UInt8(ascii: ",")] + writer.utf8.dropFirst()
    }

    /// Writes a member, if the record has it.
    private func write(_ member: RecordMember, to writer: inout JSONWriter, _ textLimit: Int, _ isForService: Bool) {
        let name = member.rawValue
        /// Writes a text, cut if it is too long.
        func text(_ value: String?) {
            writer.field(name, value.map { AuditRecord.shorten($0, to: textLimit) })
        }
        /// Writes a value, or what the record has of it.
        func value(_ summary: ValueSummary?) {
            guard let summary else { return }
            writer.member(name)
            summary.write(to: &writer, isForService: isForService)
        }
        switch member {
        case .v: writer.field(name, v)
        case .seq: if seq > 0 { writer.field(name, seq) }
        case .time: writer.field(name, time?.rfc3339)
        case .boot: text(boot)
        case .mono: writer.field(name, mono)
        case .kind: text(kind.rawValue)
        case .src: text(src?.rawValue)
        case .host: text(host)
        case .uid: writer.field(name, uid.map(Int.init))
        case .user: text(user)
        case .auid: writer.field(name, auid.map(Int.init))
        case .session: writer.field(name, session.map(Int.init))
        case .pid: writer.field(name, pid.map(Int.init))
        case .start: writer.field(name, start.map(Int.init(clamping:)))
        case .exe: text(exe)
        case .unit: text(unit)
        case .via: text(via?.rawValue)
        case .domain: text(domain?.string)
        case .key: text(key?.string)
        case .forced: value(forced)
        case .tried: value(tried)
        case .policy:
            guard let policy else { return }
            writer.member(name)
            writer.beginObject()
            for member in PolicyMember.order.members {
                let name = member.rawValue
                switch member {
                case .id: writer.field(name, policy.id.map { AuditRecord.shorten($0, to: textLimit) })
                case .file: writer.field(name, policy.file.map { AuditRecord.shorten($0, to: textLimit) })
                case .line: writer.field(name, policy.line)
                case .sha256: writer.field(name, policy.sha256?.hex)
                }
            }
            writer.endObject()
        case .outcome: text(outcome?.rawValue)
        case .count: writer.field(name, count)
        case .first: writer.field(name, first?.rfc3339)
        case .last: writer.field(name, last?.rfc3339)
        case .note: text(note)
        }
    }

    /// Cuts a text of more bytes of UTF-8 than the limit, and appends the size and digest of the whole.
    package static func shorten(_ text: String, to limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        let digest = SHA256.hash(Array(text.utf8)).hex.prefix(16)
        let mark = "… [\(text.utf8.count) bytes, sha256 \(digest)]"
        var kept = String.UnicodeScalarView()
        var room = limit - mark.utf8.count
        for scalar in text.unicodeScalars {
            room -= UTF8.width(scalar)
            if room < 0 { break }
            kept.append(scalar)
        }
        return String(kept) + mark
    }
}

extension AuditRecord {
    /// The record for people: without a name of its own it has that of who had its uid at its time, if that is known.
    package func named(by names: PeopleNames) -> AuditRecord {
        guard user == nil, let name = names.name(of: uid, at: time) else { return self }
        var record = self
        record.user = name
        return record
    }
}
