package import MDPlatform
import MDPolicyModel
import MDPropertyList

/// What recording commands know of the people of a directory, for when it does not answer: which groups it said last that
/// hold somebody, and since when it denies an account.
///
/// Only root reads it. The row of a local account is there only if a group of a directory holds it.
package struct KnownPeople: Hashable, Sendable {
    /// What is known of one user.
    package struct Row: Hashable, Sendable {
        /// The name.
        package var name: String
        /// The service that has the user; `nil` for a local account, and if unknown.
        package var service: String?
        /// Since when every service says in every run that there is no such user.
        package var missing: Timestamp?
        /// The ids of the groups that policy asked about, without those of the machine's own files.
        package var groups: [UInt32]?

        package init(name: String, service: String? = nil, missing: Timestamp? = nil, groups: [UInt32]? = nil) {
            (self.name, self.service, self.missing, self.groups) = (name, service, missing, groups)
        }
    }

    /// The rows by user id.
    package var rows: [UInt32: Row] = [:]

    package init() {}

    /// The file; recording commands write it under their lock.
    package static let path = "\(StorePath.home)/people.directory"
    /// The first line; the number at its end grows with every change of the format.
    private static let header = "managed-defaults people of directories 1"
    /// The most bytes that are read.
    private static let limit = 8 << 20

    /// Reads the file of a root; empty if there is none.
    ///
    /// - Throws: why what it holds is unknown.
    package init(root: Root) throws(TrustError) {
        do throws(TrustError) {
            let bytes = try root.readTrusted(KnownPeople.path, limit: KnownPeople.limit).bytes
            var rows: [UInt32: Row] = [:]
            // A damaged file is as good as none: the next run writes it again.
            let isRead =
                (try? ChecksummedLines.read(bytes, headers: [KnownPeople.header]) {
                    KnownPeople.read($0.fields, into: &rows)
                }) != nil
            self.rows = isRead ? rows : [:]
        } catch {
            guard error.isMissing else { throw error }
        }
    }

    /// Reads one line; returns whether it is valid.
    private static func read(_ fields: [String], into rows: inout [UInt32: Row]) -> Bool {
        guard fields.count >= 5, let uid = UInt32(fields[0]), let name = ChecksummedLines.unescape(fields[1]) else {
            return false
        }
        var row = Row(name: name)
        row.service = fields[2] == "-" ? nil : ChecksummedLines.unescape(fields[2])
        row.missing = Int64(fields[3]).map { Timestamp(microseconds: $0) }
        if fields[4] != "-" {
            let ids = fields[4...].filter { $0 != "none" }.compactMap { UInt32($0) }
            guard ids.count == (fields[4] == "none" ? 0 : fields.count - 4) else { return false }
            row.groups = ids
        }
        return rows.updateValue(row, forKey: uid) == nil
    }

    /// The file's bytes.
    package func encoded() -> [UInt8] {
        var lines = ChecksummedLines(header: KnownPeople.header)
        for (uid, row) in rows.sorted(by: { $0.key < $1.key }) {
            let groups = row.groups.map { $0.isEmpty ? ["none"] : $0.map { "\($0)" } } ?? ["-"]
            lines.add(
                [
                    "\(uid)", ChecksummedLines.escape(row.name), row.service.map(ChecksummedLines.escape) ?? "-",
                    row.missing.map { "\($0.microseconds)" } ?? "-",
                ] + groups)
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
