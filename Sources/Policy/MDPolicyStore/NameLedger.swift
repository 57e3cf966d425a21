package import MDPlatform
package import MDPolicyModel
package import MDPropertyList

/// What recording commands know of names that a directory service has, beside the ids in the policy record: which service
/// has them, how it spells them, and since when it does not answer or denies them.
///
/// Only recording commands, lint and `doctor` read it. If it is lost, what was in force stays so, and times begin again.
package struct NameLedger: Hashable, Sendable {
    /// A kind of name; the raw value is the word in the file.
    package enum Kind: String, Sendable {
        case user
        case group
    }

    /// A name as policy has it.
    package struct Name: Hashable, Sendable, Comparable {
        package let kind: Kind
        package let name: Key

        package init(_ kind: Kind, _ name: Key) {
            (self.kind, self.name) = (kind, name)
        }

        package static func < (left: Name, right: Name) -> Bool {
            left.kind == right.kind ? left.name < right.name : left.kind.rawValue < right.kind.rawValue
        }
    }

    /// What is known of a name.
    package struct Entry: Hashable, Sendable {
        /// The service that has it; `nil` if unknown.
        package var service: String?
        /// The spelling of the service, if it is another one.
        package var spelling: String?
        /// Since when every service says in every run that it does not exist.
        package var missing: Timestamp?
        /// Since when no service says anything of it that counts.
        package var silent: Timestamp?
        /// Since when it has another id.
        package var changed: Timestamp?

        package init() {}
    }

    /// The names with an id that the machine's own files lack.
    package var entries: [Name: Entry] = [:]
    /// The services that do not answer, each with the time since when.
    package var services: [Key: Timestamp] = [:]

    package init() {}
}

extension NameLedger {
    /// The file; recording commands write it under their lock.
    package static let path = "\(StorePath.home)/names"
    /// The first line; the number at its end grows with every change of the format.
    private static let header = "managed-defaults names 1"

    /// Reads the file of a root; empty if there is none that can be used.
    package init(root: Root) {
        guard let file = try? root.readTrusted(NameLedger.path, limit: PolicyRecord.sizeLimit),
            let ledger = try? NameLedger(decoding: file.bytes)
        else { return }
        self = ledger
    }

    /// Decodes the file.
    ///
    /// - Throws: why it cannot be decoded.
    package init(decoding bytes: [UInt8]) throws(StoredFileError) {
        try ChecksummedLines.read(bytes, headers: [NameLedger.header]) { read($0.fields) }
    }

    /// Reads one line; returns whether it is valid.
    private mutating func read(_ fields: [String]) -> Bool {
        if fields.count == 3, fields[0] == "service" {
            guard let name = ChecksummedLines.unescape(fields[1]), let time = Int64(fields[2]) else { return false }
            services[Key(name)] = Timestamp(microseconds: time)
            return true
        }
        guard fields.count == 7, let kind = Kind(rawValue: fields[0]), let name = ChecksummedLines.unescape(fields[1])
        else { return false }
        let texts = fields[2...3].map { $0 == "-" ? nil : ChecksummedLines.unescape($0) }
        let times = fields[4...6].map { Int64($0).map { Timestamp(microseconds: $0) } }
        for (field, isRead) in zip(fields[2...], texts.map { $0 != nil } + times.map { $0 != nil }) {
            guard isRead || field == "-" else { return false }
        }
        var entry = Entry()
        (entry.service, entry.spelling) = (texts[0], texts[1])
        (entry.missing, entry.silent, entry.changed) = (times[0], times[1], times[2])
        return entries.updateValue(entry, forKey: Name(kind, Key(name))) == nil
    }

    /// The file's bytes.
    package func encoded() -> [UInt8] {
        var lines = ChecksummedLines(header: NameLedger.header)
        for (service, since) in services.sorted(by: { $0.key < $1.key }) {
            lines.add("service", ChecksummedLines.escape(service.string), "\(since.microseconds)")
        }
        for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
            let texts = [entry.service, entry.spelling].map { $0.map(ChecksummedLines.escape) ?? "-" }
            let times = [entry.missing, entry.silent, entry.changed].map { $0.map { "\($0.microseconds)" } ?? "-" }
            lines.add([name.kind.rawValue, ChecksummedLines.escape(name.name.string)] + texts + times)
        }
        return lines.sealed
    }
}
