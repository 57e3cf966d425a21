import MDCompliance
import MDPlatform

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

    /// Parses `--format` and `--json`.
    init(_ arguments: inout Arguments, _ context: Context) throws(Failure) {
        let verb = arguments.verb
        guard let word = try arguments.option("--format") else {
            self = context.options.json ? .json : .text
            return
        }
        let known = ReportFormat.allCases
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

    /// Renders a report of one machine.
    ///
    /// - Parameters:
    ///   - report: the report.
    ///   - isSummary: whether only the first page is wanted (text).
    ///   - grouping: by what keys are grouped (text and csv); `nil` for what is usual.
    /// - Returns: the document.
    func render(_ report: ComplianceReport, isSummary: Bool, by grouping: ReportGrouping?) -> [UInt8] {
        switch self {
        case .text: Array(TextReport.render(report, isSummary: isSummary, by: grouping ?? .user).utf8)
        case .csv where grouping != nil: CSVReport.render(report, by: grouping ?? .user)
        case .json: JSONReport.render(report) + [0x0a]
        case .csv: CSVReport.render(report)
        case .html: HTMLReport.render(report)
        case .junit: JUnitReport.render(report)
        case .xccdf: XCCDFReport.render(report)
        case .oscal: OSCALReport.render(report) + [0x0a]
        case .ocsf: OCSFReport.render(report)
        case .prometheus: PrometheusReport.render(report)
        }
    }

    /// Renders a report of many machines.
    func render(_ report: MergedReport, isSummary: Bool) -> [UInt8] {
        switch self {
        case .json: MergedJSON.render(report) + [0x0a]
        case .csv: MergedCSV.render(report)
        case .html: MergedHTML.render(report)
        case .junit: MergedJUnit.render(report)
        case .prometheus: MergedPrometheus.render(report)
        case .xccdf: MergedXCCDF.render(report)
        case .oscal: MergedOSCAL.render(report) + [0x0a]
        case .ocsf: MergedOCSF.render(report)
        case .text: Array(MergedText.render(report, isSummary: isSummary).utf8)
        }
    }
}
