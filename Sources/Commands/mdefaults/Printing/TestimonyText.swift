import MDCare
import MDPlatform
import MDPrograms
import MDPropertyList
import MDReport

/// What is printed of programs' answers.
enum TestimonyText {
    /// A program that was to be asked, and how it answered.
    struct Answer {
        let inquiry: ProgramInquiry
        let outcome: ProgramInquiry.Outcome

        /// The user whose policy a program was asked about that ran as another user.
        func subject(as user: String) -> String? {
            inquiry.audience.user.flatMap { Key($0.name) == Key(user) ? nil : $0.name }
        }
    }

    /// The user that asked: root, where a service answers others only about themselves.
    private static func asker(of inquiry: ProgramInquiry, as user: String) -> String {
        inquiry.program.isAskedByRoot && CurrentProcess.uid == 0 ? "root" : user
    }

    /// The exit code of `programs check`.
    static func code(of answers: [Answer]) -> ExitCode {
        var code = ExitCode.success
        for answer in answers {
            switch answer.outcome {
            case .testimony(let testimony):
                if !testimony.answers.allSatisfy(\.result.isInForce), code == .success { code = .no }
            case .notInstalled: continue
            case .noWitness, .failed: code = .inputOutput
            }
        }
        return code
    }

    /// The lines of `programs check`.
    static func lines(of answers: [Answer], as user: String, in root: Root) -> [String] {
        answers.flatMap { answer -> [String] in
            let title = answer.inquiry.program.title
            let names = [asker(of: answer.inquiry, as: user), answer.subject(as: user)].compactMap {
                $0.map(Printable.escape)
            }
            let user = names.joined(separator: ", for ")
            switch answer.outcome {
            case .notInstalled: return ["\(title): not installed"]
            case .noWitness: return ["\(title): there is no way to ask it"]
            case .failed(let reason): return Layout.wrap("\(title), as \(user): \(Printable.escape(reason))", indent: 0)
            case .testimony(let testimony):
                return ["\(title), as \(user)"] + lines(of: testimony, answer.inquiry, in: root)
            }
        }
    }

    private static func lines(of testimony: Testimony, _ inquiry: ProgramInquiry, in root: Root) -> [String] {
        if testimony.answers.isEmpty, testimony.foreign.isEmpty {
            // A service that is asked about single keys says nothing of all others.
            return [inquiry.program.isAskedByRoot ? "  no policy" : "  no policy, and none is in force"]
        }
        var rows = testimony.answers.map { answer in
            [
                name(of: answer.entry, inquiry), required(answer.entry),
                answer.value.map { ValueText.line($0, isSensitive: answer.entry.isSensitive) } ?? "–",
                answer.result.rawValue, "",
            ]
        }
        rows += testimony.foreign.map { [Printable.escape($0.key.string), "–", ValueText.line($0.value), "foreign"] }
        let head = ["key", "required", "effective", "result", ""]
        let places = testimony.answers.map { $0.entry.origin.place(in: root) }
        var lines: [String] = []
        let table = Layout.table([head] + rows)
        if table.allSatisfy({ Layout.columns(of: $0) + 2 <= Layout.tableWidth }) {
            // A place that does not fit beside its row is printed below it.
            for (row, place) in zip(table, ["origin"] + places) {
                lines += Layout.beside("  \(row)", place, gap: 0, indent: 6)
            }
            lines += table.dropFirst(1 + places.count).map { "  \($0)" }
        } else {
            for (index, row) in rows.enumerated() {
                lines += Layout.wrap("\(row[0]): \(row[3])", indent: 2)
                for column in [1, 2] { lines += Layout.fold("      \(Layout.pad(head[column], to: 11))\(row[column])") }
                if index < places.count { lines += Layout.fold("      \(places[index])") }
            }
        }
        for answer in testimony.answers where !answer.note.isEmpty {
            lines += Layout.wrap(
                "\(name(of: answer.entry, inquiry)): \(Printable.escape(answer.note))", indent: 4)
        }
        for remark in testimony.remarks { lines += Layout.wrap(Printable.escape(remark), indent: 4) }
        return lines
    }

    /// The key, after its domain where the entries have several.
    private static func name(of entry: ProgramEntry, _ inquiry: ProgramInquiry) -> String {
        let key = Printable.escape(entry.key.string)
        let isOnly = inquiry.policy.entries.allSatisfy { $0.domain == entry.domain }
        return isOnly ? key : "\(Printable.escape(entry.domain.string)) \(key)"
    }

    /// What an entry says, in one line.
    private static func required(_ entry: ProgramEntry) -> String {
        switch entry.level {
        case .forced(let value): ValueText.line(value, isSensitive: entry.isSensitive)
        default:
            [entry.level.word, entry.level.value.map { ValueText.line($0, isSensitive: entry.isSensitive) }]
                .compactMap { $0 }.joined(separator: " ")
        }
    }

    /// The JSON of `programs check`.
    static func document(of answers: [Answer], as user: String, in root: Root) -> JSONWriter {
        var json = JSONWriter(pretty: true)
        json.beginArray()
        for answer in answers {
            json.beginObject()
            json.field("program", answer.inquiry.program.name)
            json.field("title", answer.inquiry.program.title)
            json.field("user", asker(of: answer.inquiry, as: user))
            json.field("for", answer.subject(as: user))
            var testimony = Testimony()
            switch answer.outcome {
            case .testimony(let given):
                json.field("state", "asked")
                testimony = given
            case .notInstalled: json.field("state", "not installed")
            case .noWitness: json.field("state", "no witness")
            case .failed(let reason):
                json.field("state", "not asked")
                json.field("message", reason)
            }
            json.testimony(testimony, in: root)
            json.endObject()
        }
        json.endArray()
        return json
    }
}

extension ProgramEntry.Level {
    /// The value that it gives.
    fileprivate var value: Value? {
        switch self {
        case .forced(let value), .recommended(let value), .setOnce(let value): value
        default: nil
        }
    }
}

extension JSONWriter {
    /// Writes the members `entries`, `foreign` and `remarks`.
    fileprivate mutating func testimony(_ testimony: Testimony, in root: Root) {
        member("entries")
        beginArray()
        for answer in testimony.answers {
            beginObject()
            field("domain", answer.entry.domain.string)
            field("key", answer.entry.key.string)
            field("level", answer.entry.level.word)
            if answer.entry.isSensitive {
                field("sensitive", true)
            } else {
                field("required", answer.entry.level.value)
                field("effective", answer.value)
            }
            field("result", answer.result.rawValue)
            field("note", answer.note.isEmpty ? nil : answer.note)
            origin(answer.entry.origin, in: root)
            endObject()
        }
        endArray()
        member("foreign")
        beginArray()
        for (key, value) in testimony.foreign {
            beginObject()
            field("key", key.string)
            field("effective", value)
            endObject()
        }
        endArray()
        member("remarks")
        beginArray()
        for remark in testimony.remarks { string(remark) }
        endArray()
    }
}
