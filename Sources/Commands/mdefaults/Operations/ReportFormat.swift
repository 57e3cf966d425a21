import MDPlatform
import MDReport

/// The format of a report.
enum ReportFormat: String, CaseIterable {
    /// For people.
    case text
    /// For programs.
    case json
    /// For spreadsheets.
    case csv
    /// For people, as one page.
    case html
    /// For the tools of tests.
    case junit
    /// For the tools of SCAP.
    case xccdf
    /// For tools of governance.
    case oscal
    /// For the systems that collect events.
    case ocsf
    /// For monitoring.
    case prometheus

    /// Parses `--format` and `--json`; `known` are the formats that the verb has.
    init(
        _ arguments: inout Arguments, _ context: Context, among known: [ReportFormat] = ReportFormat.allCases
    ) throws(Failure) {
        let verb = arguments.verb
        guard let word = try arguments.option("--format") else {
            self = context.options.json ? .json : .text
            return
        }
        guard let format = known.first(where: { $0.rawValue.utf8.elementsEqual(word.utf8) }) else {
            let names = known.map(\.rawValue)
            let list = "\(names.dropLast().joined(separator: ", ")) and \(names.last ?? "") are known"
            throw .usage("There is no format \(Printable.escape(word)); \(list).", of: verb)
        }
        if context.options.json, format != .json {
            throw .usage("--json and --format \(format.rawValue) contradict each other.", of: verb)
        }
        self = format
    }

    /// Parses `--by`, which has a meaning for texts and tables; other formats have all groups.
    func grouping(_ arguments: inout Arguments) throws(Failure) -> ReportGrouping? {
        guard let word = try arguments.option("--by") else { return nil }
        guard let grouping = ReportGrouping(rawValue: word) else {
            throw .usage(
                "--by needs user, room, key or control, not \(Printable.escape(word)).", of: arguments.verb)
        }
        guard self == .text || self == .csv else {
            throw .usage("--by is for text and csv; \(rawValue) has all groups.", of: arguments.verb)
        }
        return grouping
    }

    /// Parses `--fail-under`: a whole number of percent.
    static func least(_ arguments: inout Arguments) throws(Failure) -> Int? {
        guard let word = try arguments.option("--fail-under") else { return nil }
        guard let number = Int(word), (0...100).contains(number) else {
            throw .usage(
                "--fail-under needs a number from 0 to 100, not \(Printable.escape(word)).", of: arguments.verb)
        }
        return number
    }

    /// The document of a report of one machine; events are made piece by piece, because there can be many.
    ///
    /// - Parameters:
    ///   - report: the report.
    ///   - isSummary: whether only the first page is wanted (text).
    ///   - grouping: by what keys are grouped (text and csv); `nil` for what is usual.
    /// - Returns: the document.
    func document(_ report: ComplianceReport, isSummary: Bool, by grouping: ReportGrouping?) -> DocumentPieces {
        switch self {
        case .text: .init(whole: Array(TextReport.render(report, isSummary: isSummary, by: grouping ?? .user).utf8))
        case .csv where grouping != nil: .init(whole: CSVDocument.render(report, by: grouping ?? .user))
        case .json: .init(whole: JSONReport.render(report) + [0x0a])
        case .html: .init(whole: HTMLReport.render(report))
        case .csv, .junit, .xccdf, .oscal, .ocsf, .prometheus: document(ResultTable(report))
        }
    }

    /// The document of a report of many machines; what grows with machines and rules is made piece by piece.
    func document(_ report: MergedReport, isSummary: Bool) -> DocumentPieces {
        switch self {
        case .json: .init(whole: MergedJSON.render(report) + [0x0a])
        case .html: .init(whole: MergedHTML.render(report))
        case .text: .init(whole: Array(MergedText.render(report, isSummary: isSummary).utf8))
        case .csv, .junit, .xccdf, .oscal, .ocsf, .prometheus: document(ResultTable(report))
        }
    }

    /// The documents of the rooms of a report, each with the name of its file, and last that of all machines.
    func rooms(of report: MergedReport) -> some Sequence<(name: String, pieces: DocumentPieces)> {
        let rooms: [String?] = report.rooms.map(\.name) + [nil]
        return rooms.lazy.map { room in
            ("\(ResultTable.fileName(ofRoom: room)).\(rawValue)", document(ResultTable(report, room: room)))
        }
    }

    /// The document of a table of results, for the formats that are written from one; others have none.
    private func document(_ table: ResultTable) -> DocumentPieces {
        switch self {
        case .text, .json, .html: .init(whole: [])
        case .csv: CSVDocument.pieces(table)
        case .junit: JUnitDocument.pieces(table)
        case .xccdf: XCCDFDocument.pieces(table)
        case .oscal: .init(whole: OSCALDocument.render(table) + [0x0a])
        case .ocsf: OCSFDocument.pieces(table)
        case .prometheus: .init(whole: PrometheusDocument.render(table))
        }
    }
}
