import Platform

/// The name of a file of an exam: `00-exam-SET.FILE.until-20261121T110000Z.json`.
///
/// The files of an exam are those of a set, byte for byte, so that signatures of theirs stay good. What the exam adds is
/// in the name: it is `Enforced`, and it ends. A name is signed as little as the place of a file is; whoever can write
/// into `/run` could put a signed file there under any name, and take it away.
struct ExamName: Hashable, Sendable {
    /// What the names begin with.
    static let start = "00-exam-"
    /// What stands before the end.
    private static let mark = ".until-"

    /// The set.
    let set: String
    /// The name of the file in the set, with its suffix.
    let file: String
    /// When it ends; whole seconds.
    let end: Timestamp

    /// Makes a name; a part of a second counts as a whole one.
    init(set: String, file: String, end: Timestamp) {
        self.set = set
        self.file = file
        let second: Int64 = 1_000_000
        self.end = Timestamp(microseconds: (end.microseconds + second - 1) / second * second)
    }

    /// Reads the path of a file; `nil` for one that is not of an exam, or not in `/run`.
    init?(path: String) {
        let directory = "\(PolicyPlace.run.directory)/"
        guard path.utf8.starts(with: directory.utf8) else { return nil }
        self.init(name: String(Substring(path.utf8.dropFirst(directory.utf8.count))))
    }

    /// Reads a name; `nil` for one that is not of an exam.
    init?(name: String) {
        let start = ExamName.start.utf8
        guard name.utf8.starts(with: start), let suffix = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let rest = name.utf8[..<suffix].dropFirst(start.count)
        guard let point = rest.firstIndex(of: UInt8(ascii: ".")), point > rest.startIndex,
            let mark = rest.lastIndex(of: UInt8(ascii: ".")), mark > point,
            rest[mark...].starts(with: ExamName.mark.utf8),
            let end = ExamName.time(rest[mark...].dropFirst(ExamName.mark.utf8.count))
        else { return nil }
        set = String(Substring(rest[..<point]))
        file = String(Substring(rest[rest.index(after: point)..<mark])) + String(name[suffix...])
        self.end = end
    }

    /// The name.
    var name: String {
        let point = file.utf8.lastIndex(of: UInt8(ascii: ".")) ?? file.endIndex
        // Without the part of a second, which is nothing.
        let digits = end.rfc3339.utf8.prefix(19).filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }
        let time = "\(String(decoding: digits, as: UTF8.self))Z"
        return "\(ExamName.start)\(set).\(file[..<point])\(ExamName.mark)\(time)\(file[point...])"
    }

    /// Reads `20261121T110000Z`.
    private static func time(_ text: Substring.UTF8View) -> Timestamp? {
        guard text.count == 16 else { return nil }
        var bytes = Array(text)
        for (place, byte) in [(13, ":"), (11, ":"), (6, "-"), (4, "-")] {
            bytes.insert(contentsOf: byte.utf8, at: place)
        }
        return Timestamp(rfc3339: String(decoding: bytes, as: UTF8.self))
    }
}
