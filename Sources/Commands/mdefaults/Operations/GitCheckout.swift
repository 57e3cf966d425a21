import MDPlatform

/// The commit of a git checkout that policy is taken from, for the reason that people read later.
enum GitCheckout {
    /// The most folders upwards that are looked at.
    private static let depth = 8
    /// The most bytes of a file.
    private static let limit = 1 << 20

    /// The commit that is checked out where a folder is; `nil` outside of a checkout.
    ///
    /// Files may differ from it.
    static func commit(of folder: String) -> String? {
        var folder = folder
        for _ in 0..<depth {
            if let head = line(of: "\(folder)/.git/HEAD") { return commit(head, in: "\(folder)/.git") }
            guard let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")), slash > folder.startIndex else {
                return nil
            }
            folder = String(folder[..<slash])
        }
        return nil
    }

    /// The commit that a line of HEAD means.
    private static func commit(_ head: String, in git: String) -> String? {
        let start = "ref: "
        guard head.utf8.starts(with: start.utf8) else { return isCommit(head) ? head : nil }
        let name = String(head.dropFirst(start.count))
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.first == "refs", parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else { return nil }
        if let commit = line(of: "\(git)/\(name)") { return isCommit(commit) ? commit : nil }
        for line in lines(of: "\(git)/packed-refs") {
            let words = line.split(separator: " ")
            if words.count == 2, words[1] == name[...] { return isCommit(String(words[0])) ? String(words[0]) : nil }
        }
        return nil
    }

    private static func isCommit(_ text: String) -> Bool {
        (text.utf8.count == 40 || text.utf8.count == 64)
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static func lines(of path: String) -> [String] {
        guard let bytes = try? Root.system.read(path, limit: limit).bytes else { return [] }
        return bytes.split(separator: 0x0a).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func line(of path: String) -> String? { lines(of: path).first }
}
