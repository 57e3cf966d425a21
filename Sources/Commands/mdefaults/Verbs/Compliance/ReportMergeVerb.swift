import MDEngine
import MDPlatform
import MDPropertyList
import MDReport
import MDTools

/// `report merge`: the reports of many machines as one.
enum ReportMergeVerb: Verb {
    static let name = ["report", "merge"]
    static let summary = "make one report of those of many machines"
    static let usage = [
        "report merge [--format text|json|csv|html|junit|xccdf|oscal|ocsf|prometheus] [--summary] [--title TEXT]",
        "       [--since TIME] [--expected FILE] [--signers FILE] [--fail-under N]",
        "       [-o FILE [--mode OCTAL] [--sign KEY]] FILE|FOLDER…",
    ]
    static let accepts: GlobalOptions.Kinds = [.root, .json]
    static let help = """
        FILE is a report that mdefaults report --format json has made on a machine; of a FOLDER every name in .json in it
        and in folders below counts. Any number of machines and of reports of each: the newest one of a machine counts,
        earlier ones only day by day. Rooms, rules and controls come with the worst first.

          --format F      text (80 columns; without it), json, html (one page that needs no network), csv, junit, ocsf (a
                          line, test or event for each machine, and one for each rule that does not hold there), xccdf
                          (a result for each rule, with the machines where it does not hold), oscal (assessment
                          results: an observation for each rule and machine), or prometheus (numbers by room)
          -o FOLDER       with xccdf a file for each room, and fleet.xccdf for all machines: of a folder that is there, or
                          a name that ends in a slash
          --summary       lists of ten names only (text)
          --since TIME    a machine whose newest report is earlier has not reported
          --expected FILE the machines that should report: a line for each, its name, and its room if the reports lack it
          --signers FILE  every report must have a signature in FILE.sig by its own machine, or by a collector, for the
                          purpose managed-defaults-report. FILE has the form of ssh-keygen's allowed_signers: the principal
                          of a machine's key is its host name (with or without the domain; no pattern), that of a
                          collector begins with collector@
          --fail-under N  exit 0 from N percent of the requirements of all machines on that are met or waived, if every
                          machine has reported, without an error, and has looked at everything
          --title, -o, --mode, --sign: as for mdefaults report; under --root SOURCE_DATE_EPOCH is the clock

        A machine's room is its first tag that begins with room. A machine has another policy if the digest of its policy
        is not the one that most machines of its room have.
        A report that is damaged, cut, of another version, changed after it was made, or not signed as asked is a finding,
        and the rest is reported. So is one that was made more than 5 minutes from now or before the last record of the
        log that it has read, and one as if at another time; the next one of that machine counts.
        Of two reports of one log the one that has seen more of it is newer. Between two reports of a machine the log
        only grows; a log with fewer or other records, another one or none is an error, also of two machines that name one
        log. The room of --expected counts; a report that says another one is named. Files are read one after the other, at most 256 MiB each.

        JSON: {"schema","kind":"merged","id","title","made","clock","signaturesChecked","engine","since","compliant","complete","limits","inputs",
        "summary":{"reports","refused","machines","compliant","notAllCovered","notAllLookedAt","notCompliant","nothing",
          "notReported","otherPolicy","attempts","claimed","dropped","claimedDropped","waivers","expiredWaivers"},
        "requirements":{"required","met","notMet","unknown","waived","notApplicable"},
        "rooms":[{"room","machines","compliant","notAllCovered","notAllLookedAt","notCompliant","nothing","notReported",
          "otherPolicy", the numbers of requirements, "attempts","claimed","hour":[24 numbers]}],
        "controls":[{"control","machines","holdsOn", the numbers of requirements}],
        "rules":[{"domain","key","title","machines","holdsOn", the numbers of requirements}],
        "machines":[{"host","machine","room","reported","result","complete", the numbers of requirements, "attempts","claimed",
          "hidden","errors","firstError","policyDigest","roomsPolicyDigest","logStatus","logVerified","report","sha256",
          "made","clock","signer","saidRoom","file"}],
        "missing":[{"host","room"}],
        "attemptsByUser", "attemptsByKey", "attemptsByProgram":[{"name","attempts","claimed"}],
        "attemptsByDay":[{"name","attempts"}],
        "trend":[{"day","machines","compliant", the numbers of requirements}],
        "waivers":[{"host","room","user","domain","key","state","until","reason","approvedBy"}],
        "findings":[{"severity","code","file","message"}],"digest"}
        "holdsOn" counts the machines on which a rule, or every rule of a control, is met or waived for all users. The first
        1,000 waivers are listed, the expired ones first.

        Exit 0 when every machine is compliant and has reported, 1 when not, 2 for a wrong command line, 4 where FILE
        cannot be read or written.
        """

    /// How many files are read at a time; more would only cost memory.
    private static let batch = 64

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let format = try ReportFormat(&arguments, context)
        let output = try ReportOutput(&arguments)
        let title = try arguments.option("--title")
        let isSummary = arguments.flag("--summary")
        let least = try ReportFormat.least(&arguments)
        let clock = try ReportTime.givenClock(context)
        let since = try TimeArgument.past("--since", &arguments, edge: .start, context)
        let expected = try arguments.option("--expected").map { word throws(Failure) in try hosts(word) }
        let signers = try arguments.option("--signers").map { word throws(Failure) in
            ReportSigners(try ReportFile.read(word, limit: ReportSignature.sizeLimit))
        }
        let words = try arguments.files()
        if words.isEmpty { throw .usage("A report is missing.", of: self) }
        var merged = MergedReport(
            MergedReport.Request(
                title: title, since: since, expected: expected, time: clock, isSignatureChecked: signers != nil,
                version: ToolVersion.current))
        var files: [String] = []
        for word in words { files += try self.files(word) }
        for start in stride(from: 0, to: files.count, by: batch) {
            let part = Array(files[start..<min(start + batch, files.count)])
            let results = Workers.map(part) { read($0, signers: signers) }
            for (file, result) in zip(part, results) {
                switch result {
                case .success(let report): merged.add(report, file: file)
                case .failure(let fault): merged.add(fault, file: file)
                }
            }
        }
        merged.finish()
        if try !output.writeRooms(of: merged, format, context) {
            try output.write(format.document(merged, isSummary: isSummary), context)
        }
        if let least, merged.isWhole {
            return (merged.requirements.tenthsWithWaivers ?? 0) >= least * 10 ? .success : .no
        }
        return merged.isCompliant ? .success : .no
    }

    /// Reads one report.
    private static func read(_ file: String, signers: ReportSigners?) -> Result<MachineReport, ReportFault> {
        do throws(ReportFault) {
            let bytes: [UInt8]
            let signature: [UInt8]?
            do throws(Failure) {
                bytes = try ReportFile.read(file)
                signature = signers == nil ? nil : try ReportFile.signature(of: file)
            } catch {
                throw ReportFault(withoutFullStop(error.message))
            }
            var report = try MachineReport(reading: bytes)
            if let signers {
                switch ReportSignature.check(bytes, signature: signature, signers: signers, host: report.host) {
                case .good(let signer): report.signer = signer
                case .bad(let reason): throw ReportFault(reason)
                case .unsigned, .noSigners: throw ReportFault("it is not signed")
                }
            }
            return .success(report)
        } catch {
            return .failure(error)
        }
    }

    private static func withoutFullStop(_ text: String) -> String {
        text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    /// The most folders inside each other.
    private static let deepest = 8

    /// The files that an argument names, in byte order.
    private static func files(_ word: String, depth: Int = 0) throws(Failure) -> [String] {
        do throws(SystemError) {
            let path = try CallerPath.absolute(word)
            guard let status = try? Root.system.status(path, followingLinks: depth == 0), status.kind == .directory
            else {
                return [word]
            }
            if depth >= deepest { return [] }
            let folder = word.hasSuffix("/") ? String(word.dropLast()) : word
            var files: [String] = []
            for name in try Root.system.names(in: path) {
                let own = "\(folder)/\(name)"
                let kind = try Root.system.status("\(path)/\(name)", followingLinks: false).kind
                if kind == .directory {
                    do throws(Failure) {
                        files += try self.files(own, depth: depth + 1)
                    } catch {
                        throw SystemError(operation: "list", path: own, code: 5, reason: error.message)
                    }
                } else if kind == .regular, name.hasSuffix(".json") {
                    files.append(own)
                }
            }
            return files
        } catch {
            throw .of(error)
        }
    }

    /// Reads the list of machines that should report.
    private static func hosts(_ word: String) throws(Failure) -> [MergedReport.ExpectedHost] {
        let bytes = try ReportFile.read(word, limit: 16 << 20)
        var hosts: [MergedReport.ExpectedHost] = []
        var known: Set<Key> = []
        for (index, line) in bytes.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
            let words = line.prefix { $0 != UInt8(ascii: "#") }.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }
            guard let first = words.first else { continue }
            let text = words.map { String(decoding: $0, as: UTF8.self) }
            guard words.count <= 2, HostName(text[0]) != nil else {
                throw Failure(
                    code: .badInput,
                    message: "\(Printable.escape(word)):\(index + 1): a line has the name of a machine, and its room.")
            }
            if known.insert(Key(String(decoding: first, as: UTF8.self))).inserted {
                hosts.append(MergedReport.ExpectedHost(host: Key(text[0]), room: words.count > 1 ? text[1] : nil))
            }
        }
        return hosts
    }
}
