package import MDPlatform

/// A file `messages.LANG` that adds a language to ``MessageCatalog``.
///
/// It lies in `/usr/share/managed-defaults`, is trusted as policy is, and has a line `NAME = TEXT` for each text, with the
/// variables of the English one. A line that breaks these rules is a problem, and its text stays English: the sentence
/// must name the key and the person or office to ask in every language.
package struct MessageFile: Sendable {
    /// What is wrong with a file.
    package struct Problem: Error, CustomStringConvertible, Sendable {
        /// The path for messages.
        package let file: String
        /// The line, from 1; `nil` for the whole file.
        package let line: Int?
        /// What is wrong, as a clause.
        package let reason: String

        /// `FILE:LINE: REASON`.
        package var description: String {
            Printable.escape(line.map { "\(file):\($0): \(reason)" } ?? "\(file): \(reason)")
        }
    }

    /// The folder of the files.
    package static let folder = "/usr/share/managed-defaults"
    /// How the names of the files begin.
    private static let prefix = "messages."
    /// The languages that are built in.
    private static let builtIn: Set = ["en", "de"]
    /// The largest file, in bytes.
    private static let sizeLimit = 1 << 16

    /// The path.
    package let path: String
    /// The texts that can be used.
    let texts: [MessageCatalog.Name: String]
    /// What is wrong, in the order of the lines.
    package let problems: [Problem]

    /// How many texts the file has that can be used.
    package var count: Int { texts.count }
    /// How many texts there are.
    package static var countOfAll: Int { MessageCatalog.Name.allCases.count }

    /// Reads the file of a language; it has neither texts nor problems if there is none.
    init(language: String, in root: Root) {
        path = "\(MessageFile.folder)/\(MessageFile.prefix)\(language)"
        let shown = root.display(path)
        var reader = Reader(file: shown)
        do throws(TrustError) {
            let bytes = try root.readTrusted(path, limit: MessageFile.sizeLimit).bytes
            for line in bytes.split(separator: 0x0a, omittingEmptySubsequences: false) { reader.read(line) }
        } catch {
            let problem = Problem(file: shown, line: nil, reason: "cannot be used: \(error)")
            (texts, problems) = ([:], error.isMissing ? [] : [problem])
            return
        }
        (texts, problems) = (reader.texts, reader.problems)
    }

    /// A file that is never read.
    private init(unread name: String, in root: Root, reason: String) {
        path = "\(MessageFile.folder)/\(name)"
        texts = [:]
        problems = [Problem(file: root.display(path), line: nil, reason: reason)]
    }

    /// All files of the folder, by name.
    package static func all(in root: Root) -> [MessageFile] {
        let names = ((try? root.names(in: folder)) ?? []).filter { $0.utf8.starts(with: prefix.utf8) }
        return names.sorted().map { name in
            let language = String(Substring(name.utf8.dropFirst(prefix.utf8.count)))
            if !isLanguage(language) {
                return MessageFile(
                    unread: name, in: root, reason: "is never read: a language is two to eight small letters")
            }
            if builtIn.contains(language) {
                return MessageFile(unread: name, in: root, reason: "is never read: this language is built in")
            }
            return MessageFile(language: language, in: root)
        }
    }

    /// Whether a word can be a language: two to eight small letters.
    static func isLanguage(_ word: String) -> Bool {
        (2...8).contains(word.utf8.count)
            && word.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    }
}

/// Reads the lines of a file of messages.
private struct Reader {
    /// The path for messages.
    let file: String
    private(set) var texts: [MessageCatalog.Name: String] = [:]
    private(set) var problems: [MessageFile.Problem] = []
    /// The number of the last line.
    private var number = 0
    /// The lines of the names so far.
    private var lines: [MessageCatalog.Name: Int] = [:]

    init(file: String) { self.file = file }

    /// Reads the next line; blank lines and those that begin with `#` say nothing.
    mutating func read(_ line: ArraySlice<UInt8>) {
        number += 1
        let line = Reader.trimmed(line)
        if line.isEmpty || line.first == UInt8(ascii: "#") { return }
        do throws(MessageFile.Problem) {
            let (name, text) = try parts(of: line)
            if let earlier = lines[name] { throw problem("\(name.rawValue) is in line \(earlier) already") }
            lines[name] = number
            let own = try variables(of: text)
            let needed = Reader.variables(of: MessageCatalog.english[name] ?? "") ?? []
            if let stray = own.subtracting(needed).min() { throw problem("\(name.rawValue) has no %\(stray)%") }
            if let lost = needed.subtracting(own).min() { throw problem("\(name.rawValue) lacks %\(lost)%") }
            texts[name] = Printable.escape(text)
        } catch {
            problems.append(error)
        }
    }

    /// The name and the text of a line; quotation marks keep the blanks at the ends of a text.
    private func parts(of line: ArraySlice<UInt8>) throws(MessageFile.Problem) -> (MessageCatalog.Name, String) {
        guard String(validating: line, as: UTF8.self) != nil else { throw problem("the line is not valid UTF-8") }
        guard let sign = line.firstIndex(of: UInt8(ascii: "=")) else {
            throw problem("the line has no =; it must be NAME = TEXT")
        }
        let word = String(decoding: Reader.trimmed(line[..<sign]), as: UTF8.self)
        guard let name = MessageCatalog.Name(rawValue: word) else { throw problem("there is no text \(word)") }
        var text = Reader.trimmed(line[sign...].dropFirst())
        let mark = UInt8(ascii: "\"")
        if text.count > 1, text.first == mark, text.last == mark { text = text.dropFirst().dropLast() }
        if text.isEmpty { throw problem("\(word) has no text") }
        return (name, String(decoding: text, as: UTF8.self))
    }

    /// The variables of a text.
    private func variables(of text: String) throws(MessageFile.Problem) -> Set<String> {
        guard let names = Reader.variables(of: text) else { throw problem("a % has no partner") }
        return names
    }

    /// The names between signs of percent; `nil` if one of the signs is alone.
    private static func variables(of text: String) -> Set<String>? {
        let parts = text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
        guard parts.count % 2 == 1 else { return nil }
        return Set(parts.enumerated().filter { $0.offset % 2 == 1 }.map { String(Substring($0.element)) })
    }

    /// A problem of the last line.
    private func problem(_ reason: String) -> MessageFile.Problem {
        MessageFile.Problem(file: file, line: number, reason: reason)
    }

    /// Bytes without blanks at their ends.
    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes.drop { $0 == 0x20 || $0 == 0x09 }
        while let last = bytes.last, last == 0x20 || last == 0x09 || last == 0x0d { bytes.removeLast() }
        return bytes
    }
}
