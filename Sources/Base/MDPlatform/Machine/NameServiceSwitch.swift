import Glibc

/// The sources of users and groups of a machine's C library: `passwd`, `group` and `initgroups` of nsswitch.conf(5).
package struct NameServiceSwitch {
    /// Whether the file could be read, or is not there.
    package let isKnown: Bool
    /// Whether each of the sources lists all of its users and groups.
    ///
    /// Name services over the network mostly do not: sssd(8) lists nothing by default.
    let areListed: Bool
    /// Whether the files of the machine are the only source.
    let areFilesTheOnlySource: Bool
    /// The sources of users besides the files of the machine and the users that systemd(1) defines, in order.
    package let networkSources: [String]
    /// The sources of users besides the files of the machine, in order.
    let users: [String]
    /// The sources of groups besides the files of the machine, in order.
    let groups: [String]
    /// The sources of the groups of a user besides the files of the machine, in order.
    let memberships: [String]

    /// The sources that are stored on the machine and can be listed completely.
    private static let listed = ["files", "systemd", "altfiles", "extrausers", "db", "cache"]
    /// The sources of users that do not use the network.
    private static let ownSources = ["files", "compat", "systemd", "altfiles", "db"]
    /// The databases that matter.
    private static let databases = ["passwd", "group", "initgroups"]
    /// The path of the file.
    static let path = "/etc/nsswitch.conf"
    /// The most bytes of the file that are read.
    private static let limit = 1 << 16

    /// Reads the file of a root.
    ///
    /// A missing file counts as an empty one: all default sources of the C library list their users.
    package init(root: Root) {
        do throws(SystemError) {
            self.init(text: try root.read(NameServiceSwitch.path, limit: NameServiceSwitch.limit).bytes)
        } catch {
            self.init(text: error.isMissing ? [] : nil)
        }
    }

    /// Parses the text of the file; `nil` for a file that cannot be read, so that the sources are unknown.
    init(text: [UInt8]?) {
        let lines = text?.split(separator: 0x0a).compactMap { NameServiceSwitch.sources(in: $0) }
        isKnown = text != nil
        areListed = lines?.allSatisfy { $0.sources.allSatisfy(NameServiceSwitch.listed.contains) } ?? false
        areFilesTheOnlySource = lines?.allSatisfy { $0.sources.allSatisfy { $0 == "files" } } ?? false
        networkSources = (lines ?? []).filter { $0.database == "passwd" }.flatMap(\.sources)
            .filter { !NameServiceSwitch.ownSources.contains($0) }
        /// The sources of a database, each once.
        func others(_ database: String) -> [String]? {
            guard let line = lines?.first(where: { $0.database == database }) else { return nil }
            var seen: Set<String> = ["files"]
            return line.sources.filter { seen.insert($0).inserted }
        }
        users = others("passwd") ?? []
        groups = others("group") ?? []
        memberships = others("initgroups") ?? groups
    }

    /// The database that a line is about, and the sources that it names; `nil` for a line about anything else.
    private static func sources(in line: ArraySlice<UInt8>) -> (database: String, sources: [String])? {
        let line = line.prefix { $0 != UInt8(ascii: "#") }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = line[..<colon].filter { $0 != 0x20 && $0 != 0x09 }
        guard let database = databases.first(where: { $0.utf8.elementsEqual(name) }) else { return nil }
        var sources: [String] = []
        var isAction = false
        for word in line[line.index(after: colon)...].split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }) {
            if word.first == UInt8(ascii: "[") { isAction = true }
            if !isAction { sources.append(String(decoding: word, as: UTF8.self)) }
            if word.last == UInt8(ascii: "]") { isAction = false }
        }
        return (database, sources)
    }
}

/// Runs `getent`.
enum Getent {
    /// How long an answer is waited for, in milliseconds: recording policy must not hang with a directory.
    private static let timeout = 250
    /// The most bytes of an answer: a group line of 100,000 members has 2.4 MB.
    private static let limit = 8 << 20
    /// How long a whole list is waited for, in milliseconds.
    private static let listTimeout = 2_000
    /// The most bytes of a whole list.
    private static let listLimit = 32 << 20

    /// Looks up one key.
    ///
    /// - Returns: the output; `nil` if no source has the key (exit code 2).
    /// - Throws: ETIMEDOUT after 250 ms; EIO if no source answered.
    static func ask(tool: String, _ database: String, _ key: String) throws(SystemError) -> [UInt8]? {
        try answer(tool, [database, key], "look up \(key) with", timeout, limit)
    }

    /// Lists all lines of a database.
    ///
    /// - Returns: the output.
    /// - Throws: ETIMEDOUT after two seconds; EIO if no source answered.
    static func list(tool: String, _ database: String) throws(SystemError) -> [UInt8] {
        try answer(tool, [database], "list \(database) with", listTimeout, listLimit) ?? []
    }

    /// Runs the tool; `nil` if it found nothing.
    private static func answer(
        _ tool: String, _ words: [String], _ operation: String, _ timeout: Int, _ limit: Int
    ) throws(SystemError) -> [UInt8]? {
        let result = try Subprocess.run(tool, ["--"] + words, timeoutMilliseconds: timeout, limit: limit)
        switch result.status {
        case 0: return result.output
        case 2: return nil
        default:
            throw SystemError(
                operation: operation, path: tool, code: EIO, reason: "the directory service gives no answer")
        }
    }

    /// Whether a name can be a key.
    static func isKey(_ key: String) -> Bool {
        !key.isEmpty && key.utf8.count <= 256 && !key.utf8.contains { $0 < 0x20 || $0 == 0x3a || $0 == 0x7f }
    }

    /// Whether the tool takes a name for an id, as strtoul(3) reads it.
    static func isNumber(_ name: String) -> Bool {
        let digits = name.utf8.drop { $0 == 0x20 || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
        return digits.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// The ids in a line of `getent initgroups`: the name, then ids between blanks.
    static func groups(in bytes: [UInt8], of name: String) -> [UInt32]? {
        guard bytes.starts(with: name.utf8) else { return nil }
        let rest = bytes.dropFirst(name.utf8.count).prefix { $0 != 0x0a }
        var ids: [UInt32] = []
        for field in rest.split(separator: 0x20) {
            guard let id = UInt32(String(decoding: field, as: UTF8.self)), id != .max else { return nil }
            ids.append(id)
        }
        return ids
    }
}
