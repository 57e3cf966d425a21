package import MDPlatform
import MDPolicyModel
import MDPropertyList

/// What root's commands know of the people of directories: what everybody may read of it, ``PeopleRegister``, and what only
/// root reads: when a person was seen, which groups that policy names hold him or her, and since when the directory denies
/// the account.
///
/// The row of a local account is there only if a group of a directory holds it.
package struct KnownPeople: Hashable, Sendable {
    /// What is known of one user.
    package struct Row: Hashable, Sendable {
        /// The name, as the directory spells it.
        package var name: String
        /// The home; `nil` for a local account.
        package var home: String?
        /// The id of the primary group; `nil` if unknown.
        package var gid: UInt32?
        /// The service that has the user; `nil` for a local account, and if unknown.
        package var service: String?
        /// Since when every service says in every run that there is no such user.
        package var missing: Timestamp?
        /// When the user was first seen here; `nil` for a local account.
        package var first: Timestamp?
        /// When the user was last seen, to the day.
        package var seen: Timestamp?
        /// The ids of the groups that policy asked about, without those of the machine's own files.
        package var groups: [UInt32]?
        /// When these were last answered, to the day.
        package var asked: Timestamp?

        package init(name: String, service: String? = nil, missing: Timestamp? = nil, groups: [UInt32]? = nil) {
            (self.name, self.service, self.missing, self.groups) = (name, service, missing, groups)
        }
    }

    /// The rows by user id.
    package var rows: [UInt32: Row] = [:]
    /// The people whose uid another person has now.
    package var earlier: [PeopleRegister.Row] = []

    package init() {}

    /// What only root reads; recording commands write it under their lock.
    package static let path = "\(StorePath.home)/people.private"
    /// The first line; the number at its end grows with every change of the format.
    private static let header = "managed-defaults private part of people 1"
    /// The most bytes that are read.
    private static let limit = 64 << 20

    /// Reads the files of a root; empty if there are none.
    ///
    /// - Throws: why what they hold is unknown.
    package init(root: Root) throws(TrustError) {
        do throws(TrustError) {
            let bytes = try root.readTrusted(KnownPeople.path, limit: KnownPeople.limit).bytes
            var known = KnownPeople()
            let isRead =
                (try? ChecksummedLines.read(bytes, headers: [KnownPeople.header]) { known.read($0.fields) }) != nil
            self = isRead ? known : KnownPeople(public: root)
        } catch {
            guard error.isMissing else { throw error }
            self.init(public: root)
        }
    }

    /// Takes what the public part has, because the private one is lost.
    private init(public root: Root) {
        for row in (try? PeopleRegister(root: root).all()) ?? [] {
            if row.until != nil {
                earlier.append(row)
                continue
            }
            var known = Row(name: row.name)
            known.home = row.home
            known.first = Timestamp(microseconds: row.from.microseconds &+ KnownPeople.day)
            known.seen = Clock.now()
            rows[row.uid] = known
        }
    }

    /// A day, in microseconds.
    package static let day: Int64 = 86_400 * 1_000_000

    /// Whether a time lies less than a day back.
    ///
    /// What is written every day, and not with every program that starts, does not wear the disk.
    package static func isOfToday(_ time: Timestamp?, _ now: Timestamp) -> Bool {
        time.map { $0 <= now && now.microseconds - $0.microseconds < day } ?? false
    }

    /// Reads one line; returns whether it is valid.
    private mutating func read(_ fields: [String]) -> Bool {
        if fields.count == 6, fields[0] == "earlier" {
            guard let uid = UInt32(fields[1]), let name = ChecksummedLines.unescape(fields[2]),
                let home = ChecksummedLines.unescape(fields[3]), let from = Int64(fields[4]),
                let until = Int64(fields[5])
            else { return false }
            earlier.append(
                PeopleRegister.Row(
                    uid: uid, name: name, home: home, from: Timestamp(microseconds: from),
                    until: Timestamp(microseconds: until)))
            return true
        }
        guard fields.count >= 10, let uid = UInt32(fields[0]), let name = ChecksummedLines.unescape(fields[1]) else {
            return false
        }
        var row = Row(name: name)
        row.home = fields[2] == "-" ? nil : ChecksummedLines.unescape(fields[2])
        row.gid = UInt32(fields[3])
        row.service = fields[4] == "-" ? nil : ChecksummedLines.unescape(fields[4])
        let times = fields[5...8].map { Int64($0).map { Timestamp(microseconds: $0) } }
        (row.missing, row.first, row.seen, row.asked) = (times[0], times[1], times[2], times[3])
        if fields[9] != "-" {
            let ids = fields[9...].filter { $0 != "none" }.compactMap { UInt32($0) }
            guard ids.count == (fields[9] == "none" ? 0 : fields.count - 9) else { return false }
            row.groups = ids
        }
        return rows.updateValue(row, forKey: uid) == nil
    }

    /// The bytes of the private part.
    package func encoded() -> [UInt8] {
        /// A text that may be missing.
        func text(_ text: String?) -> String { text.map(ChecksummedLines.escape) ?? "-" }
        /// A time that may be missing.
        func time(_ time: Timestamp?) -> String { time.map { "\($0.microseconds)" } ?? "-" }
        var lines = ChecksummedLines(header: KnownPeople.header)
        for (uid, row) in rows.sorted(by: { $0.key < $1.key }) {
            let groups = row.groups.map { $0.isEmpty ? ["none"] : $0.map { "\($0)" } } ?? ["-"]
            lines.add(
                [
                    "\(uid)", text(row.name), text(row.home), row.gid.map { "\($0)" } ?? "-", text(row.service),
                    time(row.missing), time(row.first), time(row.seen), time(row.asked),
                ] + groups)
        }
        for row in earlier {
            lines.add("earlier", "\(row.uid)", text(row.name), text(row.home), time(row.from), time(row.until))
        }
        return lines.sealed
    }
}

extension Timestamp {
    /// The time of a user whom an administrator told the machine to forget: the files go as soon as no service has the user.
    package static let forgotten = Timestamp(microseconds: 0)
    /// The time of a user of a directory that was migrated: the files go as soon as every service denies the user.
    package static let settled = Timestamp(microseconds: 1)
}
