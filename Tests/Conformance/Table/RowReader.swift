import Foundation

/// Reads the lines of one file of rows.
///
/// A row begins with `row NAME` and ends before the next one. `at`, `says`, `decision`, `args`, `file`,
/// `host-file`, `other-file`, `policy`, `machine`, `unprivileged`, `patience`, `only` and `like` prepare it; every other line is a step.
struct RowReader {
    /// The group.
    private let group: String
    /// The file's name, for messages.
    private let file: String
    /// The rows that are complete.
    private var rows: [Row] = []
    /// The row whose lines are being read.
    private var current: Row?

    /// Prepares to read a file.
    init(group: String, file: String) {
        self.group = group
        self.file = file
    }

    /// The rows of the file.
    mutating func finish() -> [Row] {
        if let current { rows.append(current) }
        current = nil
        return rows
    }

    /// Reads one line.
    ///
    /// - Parameters:
    ///   - line: the line.
    ///   - number: its number in the file.
    /// - Throws: what is wrong with it, in a sentence.
    mutating func read(_ line: Substring, number: Int) throws {
        var reader = WireReader(line)
        if reader.isAtEnd || line.first == "#" { return }
        let whole = reader.rest
        let word = try reader.word()
        if word == "row" {
            if let current { rows.append(current) }
            current = Row(id: try reader.word(), group: group)
            return
        }
        guard var row = current else { throw WireReader.Mistake(description: "A row begins with its name.") }
        switch word {
        case "at": row.place = reader.rest
        case "says": row.statement = reader.rest
        case "decision": row.decision = reader.rest
        case "args":
            while !reader.isAtEnd {
                if case .string(let text) = try reader.value() { row.arguments.append(text) }
            }
        case "file", "host-file", "other-file":
            guard row.steps.isEmpty, let kind = PreparedFile.Kind(rawValue: word) else {
                row.steps.append(try step(whole, number))
                break
            }
            guard case .string(let domain) = try reader.value() else { break }
            row.files.append(PreparedFile(domain: domain, kind: kind, content: try reader.value()))
        case "policy":
            row.policies.append(reader.rest)
            row.isMachine = true
        case "machine": row.isMachine = true
        case "unprivileged": row.isUnprivileged = true
        case "patience": row.patience = Double(try reader.word())
        case "only":
            row.only = Set(
                reader.rest.split(separator: ",")[0].split(separator: " ").compactMap { Subject(rawValue: String($0)) })
        case "like":
            row.model = try reader.word()
        default: row.steps.append(try step(whole, number))
        }
        current = row
    }

    /// Reads a step.
    private func step(_ line: String, _ number: Int) throws -> Step {
        var words = Substring(line)
        var process = "A"
        if let mark = words.firstIndex(of: ">"), words.distance(from: words.startIndex, to: mark) == 1 {
            process = String(words.prefix(1))
            words = words.dropFirst(2).drop { $0 == " " }
        }
        let isAwaited = words.hasPrefix("await ")
        if isAwaited { words = words.dropFirst(6) }
        let (request, rest) = RowReader.split(words)
        var expectation = Expectation.done
        if let rest {
            var reader = WireReader(rest)
            expectation = try Expectation(&reader)
        }
        return Step(
            process: process, isAwaited: isAwaited, request: request, expectation: expectation, line: number)
    }

    /// A line in front of and behind the equals sign outside of quotation marks.
    private static func split(_ line: Substring) -> (request: String, expectation: String?) {
        var isQuoted = false
        var previous: Character = " "
        for index in line.indices {
            let character = line[index]
            if character == "\"", previous != "\\" { isQuoted.toggle() }
            if character == "=", !isQuoted, previous == " " {
                let request = line[..<index].reversed().drop { $0 == " " }.reversed()
                return (String(request), String(line[line.index(after: index)...]))
            }
            previous = character
        }
        return (String(line), nil)
    }
}

extension Row {
    /// Takes over preparation and steps of a row that is seen in the same way.
    mutating func takeSteps(of other: Row) {
        arguments = other.arguments
        files = other.files
        policies = other.policies
        isMachine = other.isMachine
        isUnprivileged = other.isUnprivileged
        patience = other.patience
        only = other.only
        steps = other.steps
    }
}

/// All rows, as the files of `Tests/Conformance/Rows` have them.
package struct Table: Sendable {
    /// What is wrong with a file of rows.
    package struct Mistake: Error, CustomStringConvertible {
        /// File, line and a sentence.
        package let description: String
    }

    /// The rows, in the order of files and lines.
    package let rows: [Row]

    /// Reads the files of a folder.
    ///
    /// - Parameter folder: the folder with the `.rows` files.
    /// - Throws: ``Mistake`` with the place of the first one.
    package init(folder: String) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".rows") }
        var rows: [Row] = []
        for name in names.sorted() {
            let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")), as: UTF8.self)
            var reader = RowReader(group: String(name.dropLast(5)), file: name)
            for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                do { try reader.read(line, number: number + 1) } catch {
                    throw Mistake(description: "\(name):\(number + 1): \(error)")
                }
            }
            rows += reader.finish()
        }
        for index in rows.indices where !rows[index].model.isEmpty {
            guard let model = rows.first(where: { $0.id == rows[index].model }), model.model.isEmpty else {
                throw Mistake(description: "The row \(rows[index].id) is like a row that has no steps of its own.")
            }
            rows[index].takeSteps(of: model)
        }
        var seen: Set<String> = []
        for row in rows {
            guard seen.insert(row.id).inserted else { throw Mistake(description: "The row \(row.id) stands twice.") }
            guard !row.place.isEmpty, !row.statement.isEmpty, !row.steps.isEmpty else {
                throw Mistake(description: "The row \(row.id) lacks its place, what it says, or steps.")
            }
        }
        self.rows = rows
    }

    /// The folder of the rows, beside the sources.
    package static let folder = String(#filePath.dropLast("Table/RowReader.swift".count)) + "Rows"
}
