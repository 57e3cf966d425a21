import Glibc

/// A path beneath a root, split for calls that need the directory and the last name.
enum RootPath {
    /// Directory and last name of a path; `nil` where the last name is empty, `.` or `..`.
    static func split(_ path: String) -> (directory: String, name: String)? {
        let utf8 = path.utf8
        let start = utf8.lastIndex(of: UInt8(ascii: "/")).map { utf8.index(after: $0) } ?? utf8.startIndex
        let name = String(path[start...])
        if name.isEmpty || name == "." || name == ".." { return nil }
        return (String(path[..<start]), name)
    }

    /// The path without slashes at its beginning; `.` where nothing is left.
    static func relative(_ path: String) -> String {
        guard let start = path.utf8.firstIndex(where: { $0 != UInt8(ascii: "/") }) else { return "." }
        return String(path[start...])
    }

    /// The path without slashes at its end.
    static func trimmed(_ path: String) -> String {
        var bytes = path.utf8[...]
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        return String(Substring(bytes))
    }
}
