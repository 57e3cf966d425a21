import Foundation

/// The `console` blocks of a document, and what has to happen between them.
///
/// A line that begins with `$ ` is a command; the lines below it are its output. Comments above a block, which readers
/// do not see, are steps of their own:
///
/// - `<!-- run: COMMAND -->` runs a command whose output the document does not show.
/// - `<!-- file: NAME -->` puts the block below it into a file.
/// - `<!-- not run: REASON -->` leaves the `console` block below it out.
struct ConsolePage {
    /// What happens, in order; lines count from 1.
    enum Step {
        /// A command, with the output that the document shows; `nil` if it shows none.
        case command(line: Int, String, output: String?)
        /// A file with its content.
        case file(String, content: String)
        /// A block that is left out.
        case skipped(line: Int, reason: String)
        /// A block that does not begin with a command.
        case malformed(line: Int)
    }

    /// What happens, in order.
    private(set) var steps: [Step] = []

    /// Reads a document.
    init(_ document: DocumentPage) {
        let lines = document.lines
        var file: String?
        var reason: String?
        var index = 0
        while index < lines.count {
            defer { index += 1 }
            let line = lines[index]
            if let command = ConsolePage.comment("run", line) {
                steps.append(.command(line: index + 1, command, output: nil))
            }
            file = ConsolePage.comment("file", line) ?? file
            reason = ConsolePage.comment("not run", line) ?? reason
            guard line.hasPrefix("```") else { continue }
            let end = lines[(index + 1)...].firstIndex(of: "```") ?? lines.count
            let body = Array(lines[(index + 1)..<end])
            if let name = file { steps.append(.file(name, content: body.joined(separator: "\n") + "\n")) }
            if line == "```console" {
                if let reason {
                    steps.append(.skipped(line: index + 1, reason: reason))
                } else {
                    add(body, line: index + 2)
                }
            }
            (file, reason) = (nil, nil)
            index = end
        }
    }

    /// The text of a comment of this kind; `nil` if the line is another one.
    private static func comment(_ kind: String, _ line: String) -> String? {
        let (start, end) = ("<!-- \(kind): ", " -->")
        guard line.hasPrefix(start), line.hasSuffix(end) else { return nil }
        return String(line.dropFirst(start.count).dropLast(end.count))
    }

    /// Adds the commands of a block that begins at this line.
    private mutating func add(_ body: [String], line: Int) {
        guard body.first?.hasPrefix("$ ") == true else { return steps.append(.malformed(line: line)) }
        let starts = body.indices.filter { body[$0].hasPrefix("$ ") }
        for (start, end) in zip(starts, starts.dropFirst() + [body.count]) {
            let output = body[(start + 1)..<end].joined(separator: "\n")
            steps.append(.command(line: line + start, String(body[start].dropFirst(2)), output: output))
        }
    }

    /// Whether an output is what a document shows, in which `…` stands for any text.
    ///
    /// Words count and not where a line breaks, which depends on the terminal and on the folder of the machine.
    static func matches(_ output: String, _ shown: String) -> Bool {
        let parts = shown.components(separatedBy: "…").map(words)
        var rest = words(output)[...]
        guard let first = parts.first, rest.hasPrefix(first) else { return false }
        rest = rest.dropFirst(first.count)
        guard parts.count > 1, let last = parts.last else { return rest.isEmpty }
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last)
    }

    /// The words of a text, each behind one space.
    private static func words(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
