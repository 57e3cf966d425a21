import Glibc

/// What `getent` says.
enum GetentAnswer {
    /// How long an answer is waited for, in milliseconds (design.md, "Names become ids").
    private static let timeout = 250
    /// The most bytes of an answer: a group line of ten thousand members.
    private static let limit = 1 << 20
    /// How long a whole list is waited for, in milliseconds.
    private static let listTimeout = 2_000
    /// The most bytes of a whole list.
    private static let listLimit = 32 << 20

    /// Asks one question.
    ///
    /// - Returns: what the tool printed; `nil` where it says that nobody knows the key (exit code 2).
    /// - Throws: ETIMEDOUT after 250 ms; EIO where the tool could not ask.
    static func ask(tool: String, _ database: String, _ key: String) throws(SystemError) -> [UInt8]? {
        try answer(tool, [database, key], "look up \(key) with", timeout, limit)
    }

    /// Asks for all lines of a database.
    ///
    /// - Returns: what the tool printed.
    /// - Throws: ETIMEDOUT after two seconds; EIO where the tool could not ask.
    static func list(tool: String, _ database: String) throws(SystemError) -> [UInt8] {
        try answer(tool, [database], "list \(database) with", listTimeout, listLimit) ?? []
    }

    /// Runs the tool; `nil` where it says that there is nothing.
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

    /// Whether a name can stand in a question at all.
    static func isKey(_ key: String) -> Bool {
        !key.isEmpty && key.utf8.count <= 256 && !key.utf8.contains { $0 < 0x20 || $0 == 0x3a || $0 == 0x7f }
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
