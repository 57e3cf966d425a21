import MDCare
import MDEngine
import MDPlatform
import MDPropertyList
import MDReport
import MDTools

/// `report`: every forced key of every user, the values that it hides, and the recorded override attempts.
enum ReportVerb: Verb {
    static let name = ["report"]
    static let summary = "say what is forced on whom, what that hides, and who tried to override it"
    static let usage = [
        "report [--format text|json|csv|html|junit|xccdf|oscal|ocsf|prometheus] [--summary] [--title TEXT]",
        "       [--by user|room|key|control] [--since TIME] [--until TIME] [--users FILE]",
        "       [--baseline FILE [--other-machine]] [--fail-under N | --exit-zero]",
        "       [-o FILE [--mode OCTAL] [--sign KEY]]",
        "report --verify FILE [--signers FILE]",
    ]
    static let accepts: GlobalOptions.Kinds = [.root, .time, .json]
    static let help = """
        For every user of the machine: each forced key, its value, the policy file and line that say so, the values
        that the user has stored beneath (they are kept and have no effect), and the override attempts on record.
        Before that: the machine, the policy's digest, what is wrong, and what could not be looked at. Neither policy nor
        preferences are changed.

          --format text   for people, 80 columns wide (without it, text)
          --format json   for programs; the same as --json
          --format csv    for spreadsheets: a line for the result, one for each rule about the machine, and one for each
                          requirement of each user
          --format html   one page that needs no network, to read, print and file
          --format junit  for the tools that build and test: a test for each of these lines. What was not looked at is an
                          error; what is waived, or not applicable, is skipped
          --format xccdf  a benchmark of XCCDF 1.2 with one result of it, for the tools of SCAP; what is waived is
                          informational
          --format oscal  assessment results of OSCAL 1.1.2, for tools of governance; what is unknown or waived is not
                          satisfied
          --format ocsf   events of OCSF 1.8: a Compliance Finding for each of these lines, then the attempts
          --format prometheus
                          the numbers as metrics, for the textfile collector of Prometheus, which reads the file of -o
                          with --mode 644
          --summary       the first page only (text)
          --by WHAT       keys by user (without it), room, key or control: numbers of each (text and csv)
          --title TEXT    the title
          --users FILE    also cover these users: a name on each line, what follows a colon is left out
          --since TIME    attempts from this time on only: 7d (ago), Mon, 2026-11-01, or 2026-11-20T08:00:00Z
          --until TIME    attempts up to this time only; a day without an hour up to its end
          --fail-under N  exit 0 from N percent of requirements on that are met or waived, if all rules about the
                          machine hold: the log verifies, everything was looked at, no finding is an error
          --exit-zero     exit 0 if the report was written, whatever its result is: for a timer, whose unit failed only if
                          there is no report
          --baseline FILE what changed since an earlier report of --format json, of this machine
          --other-machine FILE may be of another one; without it that is exit 5
          -o FILE         write to FILE, readable by its owner only; - is standard output. A link of somebody else, where
                          others may write a folder on the way, is replaced and not followed
          --mode OCTAL    the permission bits of FILE: 644 lets everybody read it
          --sign KEY      sign the report by ssh-keygen for the purpose managed-defaults-report: the signature is FILE.sig.
                          KEY is a private key, or a public one whose private one an agent has
          --verify FILE   whether a report is as it was made: its digest, FILE.sig, and, where its audit log is here,
                          that the log continues what the report has seen. Exit 0 only if it has a good signature and
                          nothing contradicts it
          --signers FILE  who may sign, in the form of ssh-keygen's allowed_signers; without it
                          /etc/managed-defaults/trusted-signers

        With --at, policy is that of a moment to come, and everything else that of now: a report "as if" has no result, is
        not signed, not merged, and only text, JSON or a page; exit 0. A moment that is past is refused: what was then say
        reports that were kept.
        Under --root, and only there, SOURCE_DATE_EPOCH is the clock, in seconds since 1970: the same inputs then make the
        same bytes, and the head says that the clock was given. A clock that is earlier than what was recorded is an error.
        A file that applies at other times only is listed with those and the number of its keys, which do not count.
        A report ends in a digest of everything before; that shows damage, and a signature shows who made it.

        Covered are the users of the account files, the owners of homes, who logged in by wtmp and lastlog, and whom records
        are about, each asked for by getent; so the users of a directory are there once they have been on the machine. An id
        that nothing knows any more is a remark. What could not be asked stands under "Complete".
        A requirement is a forced or absent key, a sealed domain, or a constraint on a key that is not forced, counted for
        each user. Each is met, not met, unknown, waived or not applicable, and "required" is all but the last.
        A key is met if it is forced as its file says now, and it is observed (a program of the user opened the domain since
        the boot, which the audit service remembers) or confirmed (a program said so when programs check asked it last).
        Observed is a fact about the domain. Only programs count that Metadata, Programs names for the key or, without that,
        that belong to root and do not run what their caller writes, as a shell does; where manifests describe the domain and
        none knows the key, it is unknown. A key is not met if a program denied it, if nothing here is known to enforce it,
        or if only an earlier version of a file keeps it in force. It is unknown if programs' own files have it and nobody
        asked the programs, and not applicable if the only programs that take it are not installed.
        A stored value that a constraint does not allow is not met, unless a program opened the domain that it is stored in:
        the library gives programs an allowed value. Values beneath forced keys are counted as hidden and have no effect.
        Values and files are those that users' programs obey, whatever root reads. A file that never was good forces nothing
        and is a finding. While it cannot be told what is forced, because policy could not be read, the keys that are known
        are unknown, and the digest is not known.
        Root reads each home as the user whose it is, four at a time, in 5 s each and 60 s in all; a user whose home does
        not answer is named, and the report is not compliant. Homes that the caller may not read are named under "Complete".
        Each preference file, and each file of a program's own, that is there and cannot be read stands under "Complete", at
        most 64 of a user one by one; so does a log that was not read to its end or does not verify. Records that wait in
        users' homes until root's policy apply takes them into the log are a finding, and unproven.
        "attempts" are those that the service saw. "claimed" are those beyond that only senders say there were: by the counts
        of their records, and by records that were in spools. "dropped" was counted and not stored by the service, and
        "claimedDropped" only by senders.
        Payloads of profiles that nothing here carries out, a firewall's for example, are errors. Where no key is forced or
        constrained for anybody there is nothing to comply with.

        JSON, by the schema of Policies/report.schema.json:
        {"schema":1,"kind":"machine","id","title","host","machine":{"id","room","tags","folder"},
        "system":{"name","kernel","architecture"},"made","clock":"machine"|"given","asIf","engine","since","until","managed",
        "policyDigest","result":"compliant"|"not all covered"|"not all looked at"|"not compliant"|"nothing to comply with"|
          "as if","inForceAsWritten":bool,"complete":bool,"limits":[sentence],
        "people":{"accounts","homes","logins","records","list","unknown":[words],"directories":[name]},"inputs":[{"name","sha256"}],
        "summary":{"hosts","users","outside","attempts","claimed","dropped","claimedDropped","unproven","hidden","equal",
          "brokenFiles","payloads"},
        "requirements":{"required","met","notMet","unknown","waived","notApplicable"},"reasons":{reason: number},
        "machineRules":[{"rule":"log-verifies"|"policy-in-force"|"no-errors"|"everything-looked-at"|"clock",
          "result":"met"|"not met"|"unknown","words"}],
        "files":[{"policy","version","file","sha256","trusted","valid","inForce":"current"|"last good"|"unknown"|"no"|
          "not now","recorded","keys","when","next"}],
        "keys":[{"host","user","uid","domain","key","level":"forced"|"absent"|"constraint"|"waived","value","allowed",
          "state":"met"|"not met"|"unknown"|"waived"|"not applicable","reason","words","source":"forced"|"happens to match"|
          "user"|"absent","coverage":"observed"|"confirmed"|"denied"|"first state only"|"written"|"not installed"|
          "not covered"|"unknown",
          "enforcedBy","inForce","origin":{"policy","file","line","column"},"since","sha256",
          "hidden":[{"domain","value","file","thisHost","equal"}],"losers":[{"level","value","origin"}]}],
        "rules":[{"domain","key","title","controls","severity", the numbers of requirements, "hidden"}],
        "controls":[{"control","keys", the same numbers}],
        "attemptsBy":{"user","program","way","outcome":[{"name","attempts","claimed","keys"}],
          "key":[{"domain","key","attempts","claimed"}],
          "day":[{"day","attempts"}],"hour":[24 numbers],"before":{"since","attempts"}},
        "attempts":[records, as audit list prints them],
        "changes":[{"kind":"intended"|"granted"|"corrective"|"suspicious","seq","time","user","file","sha256","note"}],
        "claims":[{"seq","time","user","file","sha256","note"}],
        "baseline":{"id","host","made","sha256","policyDigest","attempts","differences":[{"kind","user","domain","key"}]},
        "outside":[{"host","user","uid","domain","key","value","clamped","allowed","file","thisHost","origin"}],
        "waivers":[{"host","user","uid","domain","key","state":"in force"|"expired"|"in doubt"|"without effect",
          "until","reason","approvedBy","origin","lifted":[origins],"heldBy":origin}],
        "findings":[{"severity":"error"|"warning"|"note","code","user","file","line","column","message"}],
        "log":{"verified":bool,"status":"intact"|"altered"|"truncated"|"gaps"|"unchecked"|"none","records","dropped",
          "firstBad","detail","head":{"origin","size","root"},"last"},"digest"}. The status "none" means that nothing was ever
        recorded; that counts as verified.
        "verified" is missing where the caller may not read the log: then nobody knows. "machine"."id" is a digest of the
        machine's id. "since" of a key is when its file came into force as it is, by the log.

        "required" is "met", "notMet", "unknown" and "waived" together, and the number of "keys" with a "state", but for those
        that are not applicable. "policyDigest" is missing where nobody can tell it. A key whose value nobody can tell has
        "shortfall", as in policy show.
        A sealed domain is a key that is empty, with "sealed":true; what users have stored in it has no "state" of its own.
        "title","description","controls","contributors" stand
        where policy gives them. In the place of a sensitive value stands "sensitive":true, and (sensitive) in text.
        "outside" has what users have stored and a constraint does not allow, with what counts instead.

        Exit 0 with --exit-zero, or when the result is compliant: every requirement is met or waived, no finding is an error and everything was
        looked at. Else 1, also where there is nothing to comply with. 2 for a wrong command line, 4 where the machine or FILE
        cannot be opened.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        if let file = try arguments.option("--verify") { return try verify(file, &arguments, context) }
        let format = try ReportFormat(&arguments, context)
        let output = try ReportOutput(&arguments)
        let title = try arguments.option("--title")
        let isSummary = arguments.flag("--summary")
        let least = try ReportFormat.least(&arguments)
        let isExitZero = arguments.flag("--exit-zero")
        let baseline = try arguments.option("--baseline")
        let isOtherMachine = arguments.flag("--other-machine")
        let grouping = try format.grouping(&arguments)
        let users = try arguments.option("--users").map { word throws(Failure) in try ReportFile.names(word) } ?? []
        let clock = try ReportTime.givenClock(context)
        let asIf = try ReportTime.asIf(context, of: self)
        let since = try TimeArgument.past("--since", &arguments, edge: .start, context)
        let until = try TimeArgument.past("--until", &arguments, edge: .end, context)
        try arguments.requireEnd()
        if let since, let until, until < since {
            throw .usage("--until is earlier than --since.", of: ReportVerb.self)
        }
        if isExitZero, least != nil {
            throw .usage("--exit-zero says success of any result, so that --fail-under N has no effect.", of: self)
        }
        if asIf != nil { try refuseResult(format, output, least) }
        if isOtherMachine, baseline == nil { throw .usage("--other-machine needs --baseline FILE.", of: self) }
        let earlier = try baseline.map { word throws(Failure) in try ReportFile.read(word) }
        let machine = try context.machine(saying: false)
        let request = ReportRequest(
            title: title, since: since, until: until, time: clock, asIf: asIf, users: users,
            isSummary: isSummary && format == .text && baseline == nil,
            version: ToolVersion.current)
        var report = ComplianceReport(of: machine, request)
        if let baseline, let earlier {
            do throws(ReportFault) {
                try report.compare(with: earlier, JSONReport.render(report), isOtherMachine: isOtherMachine)
            } catch {
                let place = error.line > 0 ? ":\(error.line):\(error.column)" : ""
                throw Failure(code: .badInput, message: "\(Printable.escape(baseline))\(place): \(error.message).")
            }
        }
        try output.write(format.document(report, isSummary: isSummary, by: grouping), context)
        if asIf != nil || isExitZero { return .success }
        if !machine.isManaged { context.console.sayPlain(Beginning.lines(context)) }
        if let least, report.verdict != .nothing, report.machineRules.allSatisfy({ $0.state == .met }) {
            return (report.summary.requirements.tenthsWithWaivers ?? 0) >= least * 10 ? .success : .no
        }
        return report.isCompliant ? .success : .no
    }

    /// Refuses what only a report with a result has.
    private static func refuseResult(
        _ format: ReportFormat, _ output: ReportOutput, _ least: Int?
    ) throws(Failure) {
        if output.isSigned { throw .usage("With --at there is no result that could be signed.", of: self) }
        if least != nil { throw .usage("With --at there is no result for --fail-under.", of: self) }
        if ![.text, .json, .html].contains(format) {
            throw .usage(
                "\(format.rawValue) has results only, and with --at there is none; text, json and html say so.",
                of: self)
        }
    }

    /// Checks a report that was made before.
    private static func verify(
        _ file: String, _ arguments: inout Arguments, _ context: Context
    ) throws(Failure) -> ExitCode {
        let list = try arguments.option("--signers")
        try arguments.requireEnd()
        let result = ReportVerification(
            try ReportFile.read(file), signature: try ReportFile.signature(of: file),
            signers: try ReportFile.signers(list, context), root: try context.root())
        if context.options.json {
            var json = JSONWriter()
            json.beginObject()
            json.field("file", file)
            json.field("good", result.isGood)
            json.field("findings", .array(result.sentences.map { .string($0) }))
            json.endObject()
            try context.print(json)
        } else {
            for sentence in result.sentences {
                for line in Layout.wrap(Printable.escape(sentence), indent: 0) { try context.console.line(line) }
            }
        }
        return result.isGood ? .success : .no
    }
}
