import MDCompliance
import MDEngine
import MDPlatform
import MDPropertyList

/// `report`: every forced key of every user, the values that it hides, and the recorded override attempts.
enum ReportVerb: Verb {
    static let name = ["report"]
    static let summary = "say what is forced on whom, what that hides, and who tried to override it"
    static let usage = [
        "report [--format text|json|csv|html|prometheus] [--summary] [--title TEXT] [-o FILE]",
        "       [--since TIME] [--until TIME] [--fail-under N]",
    ]
    static let help = """
        For every user of the machine: each forced key, its value, the policy file and line that say so, the values
        that the user has stored beneath (they are kept and have no effect), and the override attempts on record.
        Before that: the machine, the policy's digest, what is wrong, and what could not be looked at. Neither policy nor
        preferences are changed. Where policy sets something once, root's report also looks whether the marks that say so
        still stand in users' state folders: it keeps what it saw in /var/lib/managed-defaults/set-once.register, and a mark
        that was there and is gone or changed is a finding and a record in the audit log.

          --format text   for people, 80 columns wide (without it, text)
          --format json   for programs; the same as --json
          --format csv    a line for each key of each user, for spreadsheets
          --format html   one page that needs no network, to read, print and file
          --format prometheus
                          the numbers as metrics, for the textfile collector of Prometheus; whoever may read metrics
                          may read the file of -o
          --summary       the first page only (text)
          --title TEXT    the title
          --since TIME    attempts from this time on only: 7d (ago), Mon, 2026-11-01, or 2026-11-20T08:00:00Z
          --until TIME    attempts up to this time only; a day without an hour up to its end
          --fail-under N  exit 0 from N percent of covered keys on (waived ones count as covered), if nothing is broken
          -o FILE         write to FILE, readable by its owner only; - is standard output

        Three results are kept apart. A key is in force as written when it is forced as its policy file says now; it is
        broken when only the last good copy keeps it in force, or when the user cannot read the file and what was recorded
        of it before is in force. It is observed when a program of the user asked the library for the domain since the boot
        (the audit service remembers that), written when a program's own files have it, and not covered when neither is so:
        then nothing here is known to enforce it, and it does not count as compliant. Values and files are those that users' programs obey, whatever root reads. A file that never was good
        forces nothing and is a finding. Values that users have stored beneath forced keys are counted as hidden; they do
        not count against compliance.
        While it cannot be told what is forced, because policy could not be read, no key is compliant and none is not, the
        digest is not known, and the keys are those that are known. A key is neither where its value cannot be told here.
        Root reads each home as the user whose it is, four at a time, in 5 s each and 60 s in all; a user whose home does
        not answer is named, and the report is not compliant. Homes that the caller may not read are named under "Complete".
        Records that wait in users' homes until root's policy apply takes them into the log are counted apart, as unproven.
        Payloads of profiles that nothing here carries out, a firewall's for example, are errors. Where no key is forced or
        constrained for anybody there is nothing to comply with.

        JSON: {"title","host","machine","generated","engine","since","until","managed","policyDigest",
        "result":"compliant"|"not all covered"|"not compliant"|"nothing to comply with","inForceAsWritten":bool,"complete":bool,"limits":[sentence],
        "summary":{"hosts","users","keys","inForce","observed","written","notCovered","unobserved","broken","unknown","waived",
          "outside","attempts","dropped","unproven","hidden","equal","brokenFiles","payloads"},
        "files":[{"policy","version","file","sha256","trusted","valid","inForce":"current"|"last good"|"no",
          "recorded"}],
        "keys":[{"host","user","uid","domain","key","level":"forced"|"absent","value","compliant","source":"forced"|
          "happens to match"|"user"|"absent","coverage":"asked"|"written"|"not covered"|"unknown","enforcedBy","inForce",
          "origin":{"policy","file","line","column"},"sha256",
          "hidden":[{"domain","value","file","thisHost","equal"}],"losers":[{"level","value","origin"}]}],
        "attempts":[records, as audit list prints them],
        "outside":[{"host","user","uid","domain","key","value","clamped","allowed","file","thisHost","origin"}],
        "waivers":[{"host","user","uid","domain","key","state":"in force"|"expired"|"in doubt"|"without effect",
          "until","reason","approvedBy","origin","lifted":[origins],"heldBy":origin}],
        "findings":[{"severity":"error"|"warning"|"note","code","user","file","line","column","message"}],
        "log":{"verified":bool,"status":"intact"|"altered"|"truncated"|"gaps"|"unchecked"|"none","records","dropped",
          "firstBad","detail"}}. The status "none" means that nothing was ever recorded; that counts as verified.
        "verified" is missing where the caller may not read the log: then nobody knows.

        "policyDigest", and "compliant" of a key, are missing where nobody can tell; "unknown" counts such keys. A key whose
        value nobody can tell has "shortfall", as in policy show.
        A sealed domain is a key that is empty, with "sealed":true. "title","description","controls","contributors" stand
        where policy gives them. In the place of a sensitive value stands "sensitive":true, and (sensitive) in text.
        "outside" has what users have stored and a constraint does not allow, with what counts instead.

        Exit 0 when policy is in force as written and the log verifies, or cannot be read by the caller, 1 when it is not:
        a policy file cannot be used as it is, lint has an error, a payload is not carried out, a home does not answer, the
        log does not verify, a key is not covered, or there is nothing to comply with. Damaged preference files and hidden values are findings with
        exit 0. 2 for a wrong command line, 4 where the machine or FILE cannot be opened.
        """

    /// The formats of the report.
    private enum OutputFormat {
        /// For people.
        case text
        /// For programs.
        case json
        /// For spreadsheets.
        case csv
        /// For people, as one page.
        case html
        /// For monitoring.
        case prometheus
    }

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let format = try format(try arguments.option("--format"), context)
        let output = try arguments.option("-o")
        let title = try arguments.option("--title")
        let isSummary = arguments.flag("--summary")
        let least = try least(try arguments.option("--fail-under"))
        let since = try TimeArgument.past("--since", &arguments, edge: .start, context)
        let until = try TimeArgument.past("--until", &arguments, edge: .end, context)
        try arguments.requireEnd()
        if let since, let until, until < since {
            throw .usage("--until is earlier than --since.", of: ReportVerb.self)
        }
        if let output, output.isEmpty { throw .usage("-o needs the name of a file.", of: ReportVerb.self) }
        let machine = try context.machine(saying: false)
        let request = ReportRequest(
            title: title, since: since, until: until, time: Clock.now(), version: ToolVersion.current)
        let end = HomeAccess.end()
        let report = ComplianceReport(
            of: machine, request, MarkComparison(of: machine, isRecording: false, until: end), until: end)
        var bytes: [UInt8]
        switch format {
        case .text: bytes = Array(TextReport.render(report, isSummary: isSummary).utf8)
        case .json: bytes = JSONReport.render(report) + [0x0a]
        case .csv: bytes = CSVReport.render(report)
        case .html: bytes = HTMLReport.render(report)
        case .prometheus: bytes = PrometheusReport.render(report)
        }
        if let output, output != "-" {
            try OutputFile.write(bytes, to: output, mode: format == .prometheus ? 0o644 : 0o600, context, for: self)
        } else {
            try context.console.write(bytes)
        }
        if let least, report.verdict == .compliant || report.verdict == .notCovered {
            return (report.rates?.tenths ?? 0) >= least * 10 ? .success : .no
        }
        return report.isCompliant ? .success : .no
    }

    /// Parses the value of `--format`.
    private static func format(_ word: String?, _ context: Context) throws(Failure) -> OutputFormat {
        let known = "text, json, csv, html and prometheus are known"
        switch word {
        case nil: return context.options.json ? .json : .text
        case "json": return .json
        case "text":
            if context.options.json {
                throw .usage("--json and --format text contradict each other.", of: ReportVerb.self)
            }
            return .text
        case "csv": return .csv
        case "html": return .html
        case "prometheus": return .prometheus
        case "junit", "xccdf", "oscal", "ocsf":
            throw .usage("The format \(word ?? "") is not supported yet; \(known).", of: ReportVerb.self)
        case .some(let word):
            throw .usage("There is no format \(Printable.escape(word)); \(known).", of: ReportVerb.self)
        }
    }

    /// Parses the value of `--fail-under`: a whole number of percent.
    private static func least(_ word: String?) throws(Failure) -> Int? {
        guard let word else { return nil }
        guard let number = Int(word), (0...100).contains(number) else {
            throw .usage(
                "--fail-under needs a number from 0 to 100, not \(Printable.escape(word)).", of: ReportVerb.self)
        }
        return number
    }
}
