import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDReport

/// `policy lint`: findings about policy files, one by one and together, and fixes for some of them.
enum PolicyLintVerb: Verb {
    /// The forms of the output; the raw value is the value of `--format`.
    private enum OutputFormat: String, CaseIterable {
        /// A line for each finding.
        case text
        /// An array of findings.
        case json
        /// The format of code scanning services.
        case sarif
    }

    static let name = ["policy", "lint"]
    static let summary = "check policy files"
    static let usage = [
        "policy lint [FILE|FOLDER…|-] [--format text|json|sarif] [--fix]", "  [--strict] [--manifests FOLDER]",
        "policy lint - --as NAME [--format text|json|sarif] [--strict]",
    ]
    static var accepts: GlobalOptions.Kinds { [.root, .host, .time, .json] }
    static let help = """
        Without FILE: everything that is wrong with the policy of the machine, or of the folder of --root: each file,
        its owner and mode, names that are not read, files that contradict each other, times and waivers that are over,
        values outside of constraints and manifests, targets that nobody here meets.
        With FILE: those files as if they lay in one directory, in the order given; neither owners nor targets are
        looked at. Where the folder of FILE is called policies.d, or has nothing but policy in files of such names, and no
        profile, its other files are read too, so that FILE is seen as it will be in force: findings are those of FILE, and
        what FILE changes for the others, which are not checked by themselves. In other folders, and where there are
        profiles, which people collect that no machine has together, the others are not read.
        FILE is a path as the shell has it, also with --root. Of a FOLDER each policy file is
        checked, those of the folders in it too, each folder by itself; manifests in a folder manifests.d count for all
        of them. What is no policy file, such as a JSON schema, is named and not checked, and so is a policy file whose
        name is not read.

        With - --as NAME, standard input is checked as policy install would: as the file NAME of this machine, beside its
        other policy. Signatures are left to install.

        A FILE whose name does not tell its format, or - for standard input, is read by its content, so that Ansible's
        validate takes mdefaults policy lint %s. Of a FILE the keys are compared with the manifests of this machine (or of
        --root), or with those of --manifests FOLDER and the folders in it: a checkout of ProfileManifests as it is.
        A file acknowledges a warning that is meant by "Metadata": {"LintIgnore": {"CODE": "why"}}; errors stay.

        --strict        warnings are errors for the exit code, as for CI
        --manifests FOLDER   the manifests that keys are compared with
        --format text   a line for each finding on standard output: file:line:column: error|warning: sentence [code]
        --format json   the same as --json
        --format sarif  SARIF 2.1.0, with what each code means and what to do
        --fix           first mends what has one answer, keeps all other bytes, owner and mode, and says what it changed:
                        a misspelt field, day, operator or variable, another name of NSGlobalDomain, a truth value or
                        number in quotes, a single name in place of a list, what stands twice with the same value, NUL
                        bytes at the end. Files in XML and OpenStep text: spelling and NUL bytes only. Profiles and
                        binary files stay as they are, and no file is renamed.

        JSON: [{"file","line","column","severity":"error"|"warning","code","message"}]
        In a binary file "line" and "column" are 0 and "offset" counts. With json and sarif, what --fix changed is said
        on standard error.

        exit codes: 0 no errors, warnings allowed; 1 errors, or warnings with --strict; 2 wrong command line; 4 a file
        could not be read, or not be written by --fix.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let format = try format(&arguments, context)
        let isFixing = arguments.flag("--fix")
        let isStrict = arguments.flag("--strict")
        let manifests = try arguments.option("--manifests")
        if isFixing, context.options.at != nil {
            throw .usage("--at asks about another time, and --fix changes files now.", of: self)
        }
        let name = try arguments.option("--as")
        let files = try self.files(&arguments)
        if files.isEmpty, manifests != nil {
            throw .usage("--manifests goes with FILE; those of a machine are in its manifests.d.", of: self)
        }
        var input: [UInt8]?
        let findings: [Diagnostic]
        if let name {
            guard files == [Lint.standardInput], !isFixing, manifests == nil else {
                throw .usage("--as goes with - alone.", of: self)
            }
            let source = try PolicyInput.standardInput(as: name, of: self)
            input = source.installation.files.first?.bytes
            findings = try check(source, context)
        } else if files.isEmpty {
            let root = try context.root()
            if isFixing { try say(try FixWriter.write(files: Lint.fixes(root: root), in: root), format, context) }
            findings = Lint.run(
                root: root, at: try moment(context, root), host: context.options.host.flatMap { HostName($0) },
                judge: .catalog(root))
            if !PolicyStore(root: root).isManaged {
                let (etc, run) = (root.display("/etc/managed-defaults"), root.display("/run/managed-defaults"))
                context.console.say("There is no policy to check: neither \(etc) nor \(run) exists.")
            }
        } else {
            if files.contains(Lint.standardInput) {
                if isFixing { throw .usage("--fix changes files, and - is none.", of: self) }
                do throws(SystemError) {
                    input = try StandardInput.readAll(limit: PolicyFile.limits.bytes)
                } catch {
                    throw .of(error)
                }
            }
            if isFixing { try say(try FixWriter.write(files: Lint.fixes(files: files)), format, context) }
            let source = try manifests == nil ? Lint.ManifestSource.machine(context.root()) : .folder(manifests ?? "")
            findings = Lint.run(
                files: files, at: try moment(context, .system), manifests: source, standardInput: input,
                judge: .catalog(.system, ofFiles: true))
        }
        // An unreadable file of the machine is a finding about the machine; an unreadable FILE was not checked.
        let isComplete = files.isEmpty || !findings.contains { $0.code == LintCode.unreadable.rawValue }
        switch format {
        case .text: try print(findings, input, files.isEmpty ? try context.root() : nil, context.console)
        case .json: try context.print(document(findings))
        case .sarif:
            try context.print(SARIFLog.document(findings, version: ToolVersion.current, isComplete: isComplete))
        }
        guard isComplete else { return .inputOutput }
        return findings.contains { isStrict || $0.severity == .error } ? .no : .success
    }

    /// Checks a file as `policy install` does, beside the policy of the machine.
    private static func check(_ source: PolicyInput, _ context: Context) throws(Failure) -> [Diagnostic] {
        let machine = try context.machine(saying: false)
        return InstallationPreview(
            source.installation, shown: source.shownPaths, beside: machine.policies, mustBeSigned: false, on: machine
        ).findings.sorted()
    }

    /// Consumes the remaining arguments as names of files; `-` is standard input.
    private static func files(_ arguments: inout Arguments) throws(Failure) -> [String] {
        guard let place = arguments.remaining.firstIndex(of: Lint.standardInput) else { return try arguments.files() }
        var others = arguments
        _ = others.flag(Lint.standardInput)
        let names = try others.files()
        while arguments.next() != nil {}
        return Array(names.prefix(place)) + [Lint.standardInput] + names.dropFirst(place)
    }

    /// The moment of `--at`; `nil` is now.
    private static func moment(_ context: Context, _ root: Root) throws(Failure) -> Moment? {
        try context.at().map { Moment(time: $0, zones: ZoneDatabase(root: root)) }
    }

    /// Parses the value of `--format`.
    private static func format(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> OutputFormat {
        guard let word = try arguments.option("--format") else { return context.options.json ? .json : .text }
        guard let format = OutputFormat(rawValue: word) else {
            throw .usage("There is no format \(Printable.escape(word)); there are text, json and sarif.", of: self)
        }
        if context.options.json, format != .json {
            throw .usage("--json and --format \(word) contradict each other.", of: self)
        }
        return format
    }

    /// Prints what was fixed: with the text format on standard output, else on standard error.
    private static func say(_ lines: [String], _ format: OutputFormat, _ context: Context) throws(Failure) {
        guard format == .text else { return context.console.sayPlain(lines) }
        for line in lines.flatMap({ Layout.fold($0) }) { try context.console.line(line) }
    }

    /// Prints findings line by line, errors of syntax with their line, and counts them on standard error.
    private static func print(
        _ findings: [Diagnostic], _ input: [UInt8]?, _ root: Root?, _ console: Console
    ) throws(Failure) {
        var excerpt = SourceExcerpt(input: input, root: root)
        for finding in findings {
            for line in Layout.fold(line(of: finding, console.ink), to: Layout.width) { try console.line(line) }
            for line in excerpt.lines(of: finding) { try console.line(line) }
        }
        let errors = findings.count { $0.severity == .error }
        let warnings = findings.count - errors
        console.say(
            "\(errors) \(errors == 1 ? "error" : "errors") and \(warnings) \(warnings == 1 ? "warning" : "warnings").")
    }

    /// The line of a finding, with its severity in colour.
    private static func line(of finding: Diagnostic, _ ink: Ink) -> String {
        guard ink.isOn else { return Printable.escape(finding.description) }
        let gap = finding.position.isBinary ? " " : ""
        let place = "\(finding.file):\(gap)\(finding.position)"
        let severity = finding.severity == .error ? ink.red("error") : ink.yellow("warning")
        return "\(ink.bold(Printable.escape(place))): \(severity): \(Printable.escape(finding.message))"
            + " \(ink.dim("[\(finding.code)]"))"
    }

    /// The findings as JSON.
    private static func document(_ findings: [Diagnostic]) -> JSONWriter {
        var json = JSONWriter(pretty: true)
        json.findings(findings, withFile: true)
        return json
    }
}

/// Writes the files that `policy lint --fix` changes.
enum FixWriter {
    /// Replaces files; the links on a path that the caller names are followed as ``CallerFile`` does.
    ///
    /// - Parameters:
    ///   - files: the files, by the caller's paths or beneath a root.
    ///   - root: the root; `nil` for the caller's paths.
    /// - Returns: a line for each change.
    /// - Throws: the first file that cannot be replaced; those before it are.
    static func write(files: [FixedFile], in root: Root? = nil) throws(Failure) -> [String] {
        var lines: [String] = []
        for file in files {
            do throws(SystemError) {
                let path = root == nil ? try CallerPath.absolute(file.shownPath) : file.path
                let place = try CallerFile.open(path, in: root ?? .system)
                try replace(place, with: file)
                lines += describe(file) + signatureNote(place.path, of: file, in: root ?? .system)
            } catch {
                throw .of(error)
            }
        }
        return lines
    }

    /// Replaces one file in one step; keeps its owner, group and mode.
    private static func replace(_ place: CallerFile, with file: FixedFile) throws(SystemError) {
        guard let status = place.status, status == file.status else {
            throw SystemError(
                operation: "mend", path: file.shownPath, code: 11, reason: "it was changed while it was looked at")
        }
        // Only root may set the owner of a file, even to the one that it has.
        let isRoot = CurrentProcess.euid == 0
        let owner = isRoot ? (user: status.owner, group: status.group) : nil
        guard isRoot || status.owner == CurrentProcess.euid else {
            throw SystemError(
                operation: "mend", path: file.shownPath, code: 1, reason: "it would get another owner")
        }
        try place.write(CollectionOfOne(file.bytes), mode: status.mode, owner: owner)
    }

    /// A line about the signature beside a file, which no longer matches; none without a signature.
    private static func signatureNote(_ path: String, of file: FixedFile, in root: Root) -> [String] {
        guard root.mayExist("\(path).sig") else { return [] }
        let sentence =
            "\(file.shownPath).sig: does not match any more; sign the file anew: ssh-keygen -Y sign -n managed-defaults -f"
            + " KEY \(file.shownPath)"
        return [Printable.escape(sentence)]
    }

    /// A line for each fix in a file.
    private static func describe(_ file: FixedFile) -> [String] {
        file.fixes.map { fix in
            Printable.escape("\(file.shownPath):\(fix.position): fixed: \(fix.words) [\(fix.code.rawValue)]")
        }
    }
}
