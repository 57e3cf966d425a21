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
            let git = "\(folder)/.git"
            if let head = line(of: "\(git)/HEAD") { return commit(head, in: [git]) }
            // A linked work tree or a submodule has a file that names the folder of its own HEAD.
            let start = "gitdir: "
            if let line = line(of: git), line.utf8.starts(with: start.utf8) {
                let own = path(String(line.dropFirst(start.count)), in: folder)
                let common = GitCheckout.line(of: "\(own)/commondir").map { path($0, in: own) }
                return GitCheckout.line(of: "\(own)/HEAD").flatMap {
                    commit($0, in: [own] + (common.map { [$0] } ?? []))
                }
            }
            guard let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")), slash > folder.startIndex else {
                return nil
            }
            folder = String(folder[..<slash])
        }
        return nil
    }

    private static func path(_ text: String, in folder: String) -> String {
        text.utf8.first == UInt8(ascii: "/") ? text : "\(folder)/\(text)"
    }

    /// The commit that a line of HEAD means, by the references of these folders.
    private static func commit(_ head: String, in folders: [String]) -> String? {
        let start = "ref: "
        guard head.utf8.starts(with: start.utf8) else { return isCommit(head) ? head : nil }
        let name = String(head.dropFirst(start.count))
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.first == "refs", parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else { return nil }
        for git in folders {
            if let commit = line(of: "\(git)/\(name)") { return isCommit(commit) ? commit : nil }
            for line in lines(of: "\(git)/packed-refs") {
                let words = line.split(separator: " ")
                if words.count == 2, words[1] == name[...] {
                    return isCommit(String(words[0])) ? String(words[0]) : nil
                }
            }
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
