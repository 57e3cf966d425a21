/// One line of a file of locks.
struct LockLine: Hashable {
    /// The path that it locks; `nil` where dconf passes over the line.
    let path: String?
    /// Why dconf passes over it, or does not do what it seems to say; `nil` where nothing is wrong.
    let objection: String?
    /// The line, counted from 1.
    let line: Int

    /// The lines of a file of locks that say something, or seem to.
    ///
    /// dconf takes each line that begins with a slash as the path of a key, byte for byte.
    static func all(_ bytes: [UInt8]) -> [LockLine] {
        var lines: [LockLine] = []
        for (index, line) in bytes.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
            let blanks = line.prefix { $0 == 0x20 || (0x09...0x0d).contains($0) }
            let rest = line.dropFirst(blanks.count)
            guard let first = rest.first, first != UInt8(ascii: "#") else { continue }
            let text = String(decoding: line, as: UTF8.self)
            let objection: String?
            if !blanks.isEmpty {
                objection = "begins with a blank, so dconf passes over it"
            } else if first != UInt8(ascii: "/") {
                objection = "does not begin with '/', so dconf passes over it"
            } else if let last = line.last, last == 0x20 || (0x09...0x0d).contains(last) {
                objection = "ends in a blank, so it locks no key that there is"
            } else if line.last == UInt8(ascii: "/") {
                objection = "is a directory, and dconf locks keys only"
            } else if zip(line, line.dropFirst()).contains(where: { $0 == UInt8(ascii: "/") && $1 == $0 }) {
                objection = "has two slashes in a row, so it locks no key that there is"
            } else if line.contains(UInt8(ascii: "=")) {
                objection =
                    "has a value behind '=', and a lock is a path alone, so it locks no key that there is"
            } else {
                objection = nil
            }
            lines.append(LockLine(path: objection == nil ? text : nil, objection: objection, line: index + 1))
        }
        return lines
    }
}
