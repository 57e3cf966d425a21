import Platform
import PropertyList

/// Names of files in `/run` that are nearly those of exams or grants, and so end nothing and are not found.
enum LintTemporaryName {
    /// The finding of such a file; `nil` for any other.
    static func finding(of file: LoadedFile, root: Root) -> Diagnostic? {
        guard file.path.utf8.starts(with: "\(TemporaryPolicy.directory)/".utf8),
            let message = message(about: LintInput.name(of: file.path))
        else { return nil }
        return Diagnostic(
            file: root.display(file.path), severity: .warning, code: .temporaryName, message: message)
    }

    /// What is said of a name; `nil` for that of an exam or a grant, and for one that is far from both.
    private static func message(about name: String) -> String? {
        let isGrant = name.utf8.starts(with: TemporaryPolicy.grantPrefix.utf8)
        if isGrant || TemporaryPolicy.isOfExam(name) { return nil }
        let bytes = name.utf8.map(ByteSet.lowercase)
        if isNearlyOfExam(bytes) {
            let reason =
                name.utf8.starts(with: TemporaryPolicy.examPrefix.utf8)
                ? "SET, NAME and the end do not stand there as in 00-exam-math.10-a.until-20261121T110000Z.json"
                : "it does not begin with \(TemporaryPolicy.examPrefix)"
            return "this name is nearly that of an exam's file, and is none: \(reason); it neither ends the file nor"
                + " makes it Enforced, and policy exam stop leaves it"
        }
        guard isNear(TemporaryPolicy.grantPrefix, bytes) else { return nil }
        return "this name is nearly that of a grant, and is none: it does not begin with"
            + " \(TemporaryPolicy.grantPrefix); the file counts while the clock cannot be trusted, and policy grant --stop leaves it"
    }

    /// Whether a name in lower case looks as if it ended the file: by the mark of an end, or a time behind the beginning of
    /// an exam's.
    ///
    /// An administrator's own `00-exam-today.json` says nothing of an end.
    private static func isNearlyOfExam(_ bytes: [UInt8]) -> Bool {
        if contains(bytes, ".until-") { return true }
        return isNear(TemporaryPolicy.examPrefix, bytes) && (contains(bytes, "until") || hasTime(bytes))
    }

    /// Whether a name in lower case begins with a text, or with one that differs from it by one letter.
    private static func isNear(_ text: String, _ bytes: [UInt8]) -> Bool {
        let wanted = Array(text.utf8)
        let lines = bytes.map { $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: " ") ? UInt8(ascii: "-") : $0 }
        return (wanted.count - 1...wanted.count + 1).contains { count in
            count < lines.count && Suggestion.distance(Array(lines.prefix(count)), wanted) <= 1
        }
    }

    /// Whether a name holds a text.
    private static func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: text.utf8) }
    }

    /// Whether a name in lower case holds a day and an hour: eight digits, `t`, a digit.
    private static func hasTime(_ bytes: [UInt8]) -> Bool {
        let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        return bytes.indices.dropLast(9).contains { start in
            bytes[start..<start + 8].allSatisfy(isDigit) && bytes[start + 8] == UInt8(ascii: "t")
                && isDigit(bytes[start + 9])
        }
    }
}
