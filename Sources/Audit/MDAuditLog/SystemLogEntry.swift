import MDAuditRecord
import MDPlatform
import MDPropertyList

/// A line of the log, or of a record that is in no log, as an entry for the system's log.
struct SystemLogEntry {
    /// The identifier of all messages of this program, to find them with `journalctl MESSAGE_ID=…`.
    static let identifier = "797335c5eded4ac2bb88ff6eaca8f8f2"
    /// The name of the sender.
    private static let tag = "mdefaults"
    /// The severity: normal but significant condition (RFC 5424, 6.2.1).
    private static let severity = 5
    /// The facility `authpriv`: security messages that only some users may read.
    private static let facility = 10
    /// The most bytes of a line (RFC 3164, section 4.1).
    private static let longestLine = 1_024
    /// The most bytes of the sentence.
    private static let longestSentence = 4_096
    /// The first fields of every message.
    private static let head = Array(
        """
        MESSAGE_ID=\(identifier)
        PRIORITY=\(severity)
        SYSLOG_FACILITY=\(facility)
        SYSLOG_IDENTIFIER=\(tag)

        """.utf8)

    /// The fields of the record that are shown to people.
    private(set) var record = AuditRecord(kind: RecordKind(rawValue: ""))
    /// The message in journald's native protocol: fields, each followed by a line feed.
    ///
    /// The fields of the line follow those of the log in the order of the line, by their names in capitals; those of
    /// the policy have names of their own. journald stamps the sender of the message, which may be the log's writer.
    /// The user that the record is about is one of the fields.
    ///
    /// Source: systemd.io, "Native Journal Protocol".
    private(set) var journal = SystemLogEntry.head

    /// Makes the entry of a line.
    ///
    /// - Parameters:
    ///   - line: the line, without its line feed.
    ///   - log: the name of the log; `nil` if the record is in none.
    init(_ line: ArraySlice<UInt8>, of log: String?) {
        journal.reserveCapacity(SystemLogEntry.head.count + 2 * line.count + 512)
        if let log { add("LOG", text: log) }
        var members = JSONMembers(line)
        while let member = members.next() { add(member) }
        let sentence = AuditRecord.shorten(record.sentence, to: SystemLogEntry.longestSentence)
        journal += "MESSAGE=\(sentence)\n".utf8
    }

    /// Adds a field of the line.
    private mutating func add(_ member: JSONMembers.Member) {
        switch member.name {
        case "policy":
            var members = JSONMembers(member.value)
            record.policy = PolicyReference()
            while let member = members.next() {
                add("POLICY_\(member.name.uppercased())", member)
                switch member.name {
                case "id": record.policy?.id = member.text
                case "file": record.policy?.file = member.text
                default: break
                }
            }
            return
        // As they are written: the text "1" is another value than the number.
        case "forced", "tried": add(member.name.uppercased(), raw: member.value)
        default: add(member.name.uppercased(), member)
        }
        switch member.name {
        case "time": record.time = member.text.flatMap { Timestamp(rfc3339: $0) }
        case "kind": record.kind = RecordKind(rawValue: member.text ?? "")
        case "src": record.src = member.text.map(RecordSource.init(rawValue:))
        case "uid": record.uid = UInt32(String(decoding: member.value, as: UTF8.self))
        case "via": record.via = member.text.map(WriteVia.init(rawValue:))
        case "domain": record.domain = member.text.map { Key($0) }
        case "key": record.key = member.text.map { Key($0) }
        case "outcome": record.outcome = member.text.map(AttemptOutcome.init(rawValue:))
        case "count": record.count = Int(String(decoding: member.value, as: UTF8.self))
        case "note": record.note = member.text
        default: break
        }
    }

    /// Adds a field with the text of a member, or with its JSON if the value is not a text.
    private mutating func add(_ name: String, _ member: JSONMembers.Member) {
        if let plain = member.plainText {
            add(name, raw: plain)
        } else if let text = member.text {
            add(name, text: text)
        } else {
            add(name, raw: member.value)
        }
    }

    /// Adds a field with a text.
    ///
    /// A text with a line feed is written with its length before it, so that no text can begin another field.
    private mutating func add(_ name: String, text: String) {
        guard text.utf8.contains(0x0a) else { return add(name, raw: Array(text.utf8)[...]) }
        guard begin(name) else { return }
        journal.append(0x0a)
        let length = UInt64(text.utf8.count)
        journal += (0..<8).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
        journal += text.utf8
        journal.append(0x0a)
    }

    /// Adds a field with bytes that have no line feed.
    private mutating func add(_ name: String, raw bytes: ArraySlice<UInt8>) {
        guard begin(name) else { return }
        journal.append(UInt8(ascii: "="))
        journal += bytes
        journal.append(0x0a)
    }

    /// Adds the name of a field.
    ///
    /// - Returns: false if a field cannot have it.
    private mutating func begin(_ name: String) -> Bool {
        let isName = name.utf8.allSatisfy { byte in
            (0x41...0x5a).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
        }
        guard isName else { return false }
        journal += "MDEFAULTS_".utf8
        journal += name.utf8
        return true
    }

    /// The entry as a line of the system's log (RFC 3164), with the zero byte that ends it on a connection.
    func syslog(root: Root) -> [UInt8] {
        let time = record.time ?? Clock.now()
        let zone = (try? ZoneDatabase(root: root).zone(named: nil)) ?? .utc
        let head =
            "<\(SystemLogEntry.facility * 8 + SystemLogEntry.severity)>\(zone.local(at: time).syslog) \(SystemLogEntry.tag)"
            + "[\(CurrentProcess.pid)]: "
        // The service stamps the process, which may be the log's writer, or have ended when the line is read; hence the user.
        let user = record.uid.map { "uid \($0): " } ?? ""
        let room = SystemLogEntry.longestLine - head.utf8.count - user.utf8.count - 1
        return Array((head + user + AuditRecord.shorten(record.sentence, to: room)).utf8) + [0]
    }
}

/// The members of a JSON object that this program wrote, one after the other, without a tree of their values.
///
/// What is not written as expected ends them.
struct JSONMembers {
    /// A member.
    struct Member {
        /// The name, as it is written.
        let name: String
        /// The value, as it is written.
        let value: ArraySlice<UInt8>

        /// The text of a value that has no escapes; `nil` for any other value.
        var plainText: ArraySlice<UInt8>? {
            guard value.count >= 2, value.first == UInt8(ascii: "\""), value.last == UInt8(ascii: "\""),
                !value.contains(UInt8(ascii: "\\"))
            else { return nil }
            return value.dropFirst().dropLast()
        }

        /// The text; `nil` if the value is not a text.
        var text: String? {
            if let plainText { return String(decoding: plainText, as: UTF8.self) }
            guard value.first == UInt8(ascii: "\""), let source = try? SourceText(decoding: Array(value)),
                let document = try? JSONReader.readPlain(source), case .string(let text) = document.root.value
            else { return nil }
            return text
        }
    }

    /// The object.
    private let bytes: ArraySlice<UInt8>
    /// The next byte.
    private var index: Int

    /// Begins with the first member.
    init(_ object: ArraySlice<UInt8>) {
        (bytes, index) = (object, object.startIndex)
    }

    /// The next member; `nil` at the end.
    mutating func next() -> Member? {
        // A brace, or the comma behind the one before.
        let start = index + 1
        guard start < bytes.endIndex, let endOfName = endOfText(at: start), endOfName < bytes.endIndex,
            bytes[endOfName] == UInt8(ascii: ":")
        else { return nil }
        var (depth, next) = (0, endOfName + 1)
        scan: while next < bytes.endIndex {
            switch bytes[next] {
            case UInt8(ascii: "\""):
                guard let end = endOfText(at: next) else { return nil }
                next = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { break scan }
                depth -= 1
            case UInt8(ascii: ","):
                if depth == 0 { break scan }
            default: break
            }
            next += 1
        }
        index = next
        return Member(
            name: String(decoding: bytes[(start + 1)..<(endOfName - 1)], as: UTF8.self),
            value: bytes[(endOfName + 1)..<next])
    }

    /// The place behind the quote that ends a text; `nil` if none begins there, or it does not end.
    private func endOfText(at start: Int) -> Int? {
        guard bytes[start] == UInt8(ascii: "\"") else { return nil }
        var next = start + 1
        while next < bytes.endIndex {
            switch bytes[next] {
            case UInt8(ascii: "\""): return next + 1
            case UInt8(ascii: "\\"): next += 2
            default: next += 1
            }
        }
        return nil
    }
}
