import MDPlatform
import MDPropertyList

/// The list of databases that dconf reads for a user, one in each line.
///
/// The first database with a value decides, and of the locks the last: from a lock on, only the databases from its own
/// downwards are read. So a database of policy must come before those of others for its defaults, and after them for its
/// locks.
struct DconfProfile {
    /// Everybody's profile.
    static let path = "/etc/dconf/profile/user"
    /// Where dconf looks for one if that is missing, in this order.
    private static let fallbacks = ["/usr/local/share/dconf/profile/user", "/usr/share/dconf/profile/user"]
    /// What dconf reads without any profile.
    private static let standard = "user-db:user"
    /// The most bytes of a profile that are read.
    private static let sizeLimit = 64 << 10

    /// The lines, those without a database too.
    let theirs: [String]

    init(_ theirs: [String]) { self.theirs = theirs }

    /// The profile of everybody as others want it.
    ///
    /// - Parameters:
    ///   - root: the machine.
    ///   - database: the database of policy in it.
    /// - Throws: why the file, which is there, cannot be read.
    init(of root: Root, without database: String) throws(SystemError) {
        let lines = try DconfProfile.read(DconfProfile.path, in: root)
        let ours = DconfProfile.line(database)
        theirs = lines?.filter { !DconfProfile.trim($0).elementsEqual(ours.utf8) } ?? DconfProfile.hidden(in: root)
    }

    /// The lines of the profile that counts while ``path`` is missing.
    static func hidden(in root: Root) -> [String] {
        for path in fallbacks {
            if let lines = try? read(path, in: root) { return lines }
        }
        return []
    }

    /// The lines with a database of policy.
    func lines(with database: String) -> [String] {
        let ours = DconfProfile.line(database)
        var lines = theirs.filter { !DconfProfile.trim($0).elementsEqual(ours.utf8) }
        let sources = lines.indices.filter { !DconfProfile.trim(lines[$0]).isEmpty }
        guard let first = sources.first else { return lines + [DconfProfile.standard, ours] }
        if sources.count > 1 || !isWritable(lines[first]) { lines.append(ours) }
        lines.insert(ours, at: isWritable(lines[first]) ? first + 1 : first)
        return lines
    }

    /// Whether a line names a database that users change.
    private func isWritable(_ line: String) -> Bool {
        let text = DconfProfile.trim(line)
        return text.starts(with: "user-db:".utf8) || text.starts(with: "service-db:".utf8)
    }

    /// The line of a database.
    static func line(_ database: String) -> String { "system-db:\(database)" }

    /// The names of the databases of administrators in it, without those of policy.
    func foreignDatabases(without prefix: String) -> [String] {
        theirs.compactMap { line in
            let text = DconfProfile.trim(line)
            guard text.starts(with: "system-db:".utf8) else { return nil }
            let name = String(Substring(text.dropFirst("system-db:".utf8.count)))
            return name.utf8.starts(with: prefix.utf8) ? nil : name
        }
    }

    /// A line without its comment and the blanks around it.
    private static func trim(_ line: String) -> Substring.UTF8View {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
        var text = line.utf8.prefix { $0 != UInt8(ascii: "#") }.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
    }

    /// The lines of a file; `nil` if it is missing.
    private static func read(_ path: String, in root: Root) throws(SystemError) -> [String]? {
        do {
            let bytes = try root.read(path, limit: sizeLimit).bytes
            return bytes.split(separator: 0x0a).map { String(decoding: $0, as: UTF8.self) }
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }
}
