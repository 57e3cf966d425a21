import MDAuditLog
import MDAuditReading
import MDEngine
import MDPlatform
import MDPropertyList

/// `audit verify`: whether the audit log agrees with its checkpoint.
enum AuditVerifyVerb: Verb {
    static let name = ["audit", "verify"]
    static let summary = "check the audit log against its checkpoint"
    static let usage = ["audit verify [FILE…] [--against CHECKPOINT] [--first-key KEYFILE] [--json]"]
    static let help = """
        Checks every record of the log against the checkpoint beside it and says what is proven. Without FILE it is the
        log of the machine, or of the folder of --root; with FILE, those logs. FILE is a path as the shell has it, also
        with --root; current-ID.jsonl is checked against checkpoint-ID beside it, any other name against checkpoint. Of
        several logs the gravest result counts.
        Nothing is written. A log that was put back together with its checkpoint passes: only a checkpoint that
        somebody else keeps betrays that. Root keeps one beside the policy record, which policy apply renews; the log of
        the machine is checked against it too, and a log that was removed is missed by it.

        --against CHECKPOINT   also checks that the log continues what this checkpoint covers, which you kept elsewhere
        --first-key KEYFILE    also checks the signature of the checkpoints by the first key, which mdefaults audit
                               checkpoint --new-key showed once

        Records that were deleted by age or for space are named; of them only the roots remain.

        JSON: {"status":"intact"|"altered"|"truncated"|"gaps"|"unchecked","records","claimed","firstBad","detail"}
        "claimed" counts the records of an unaltered log that users kept in spools, which are only what their senders say.
        "firstBad" is the number of the first record that is not as it was stored; it is missing where there is none.

        exit codes: 0 intact; 2 wrong command line; 4 the folder of --root could not be opened; 10 altered;
        11 truncated or rolled back; 12 intact, with gaps that the log declares; 13 could not check.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let against = try arguments.option("--against")
        let keyFile = try arguments.option("--first-key")
        let files = try arguments.files()
        let root = try context.machine().root
        var held = try against.map { word throws(Failure) in [try NoteFile.checkpoint(word)] } ?? []
        let key = try keyFile.map { word throws(Failure) in try NoteFile.firstKey(word) }
        var result: LogVerification
        if files.isEmpty {
            let kept = KeptLog(root)
            held += kept.checkpoints
            result = AuditVerifier.verify(root: root, held: held, expectedBy: kept.witness)
            if let problem = kept.problem { result = result.uncertain(problem) }
        } else {
            result = AuditVerifier.verify(root: .system, files: try paths(files), held: held)
        }
        if let key {
            let own =
                try files.isEmpty
                ? [NoteFile.ownCheckpoint(of: .current, in: root)]
                : paths(files).map { NoteFile.ownCheckpoint(of: LogFiles(log: $0), in: .system) }
            result = result.signed(by: key, own.compactMap { $0 } + held.prefix(against == nil ? 0 : 1))
        }
        if context.options.json {
            var json = JSONWriter()
            json.beginObject()
            json.field("status", result.status.rawValue)
            json.field("records", result.records)
            json.field("claimed", result.claimed)
            json.field("firstBad", result.firstBad)
            json.field("detail", result.detail)
            json.endObject()
            try context.print(json)
        } else {
            try print(result, context.console)
        }
        return code(of: result.status)
    }

    /// Prints the result for people.
    private static func print(_ result: LogVerification, _ console: Console) throws(Failure) {
        try console.line("status: \(words(for: result.status))")
        let claim = result.claimed > 0 ? ", \(result.claimed) of them claimed by senders, who kept them in spools" : ""
        try console.line("records: \(result.records)\(claim)")
        if let firstBad = result.firstBad { try console.line("first bad record: \(firstBad)") }
        for paragraph in result.detail.split(separator: "\n") {
            for line in Layout.wrap(Printable.escape(String(paragraph)), indent: 0) { try console.line(line) }
        }
    }

    /// A status in words.
    private static func words(for status: LogVerification.Status) -> String {
        switch status {
        case .intact: "intact"
        case .altered: "altered"
        case .truncated: "truncated or rolled back"
        case .gaps: "intact, with declared gaps"
        case .unchecked: "could not check"
        }
    }

    /// The exit code of a status.
    private static func code(of status: LogVerification.Status) -> ExitCode {
        switch status {
        case .intact: .success
        case .altered: .altered
        case .truncated: .truncated
        case .gaps: .gaps
        case .unchecked: .unchecked
        }
    }

    /// Makes the paths of files absolute.
    private static func paths(_ files: [String]) throws(Failure) -> [String] {
        var paths: [String] = []
        for file in files {
            do throws(SystemError) {
                paths.append(try CallerPath.absolute(file))
            } catch {
                throw .of(error)
            }
        }
        return paths
    }
}
