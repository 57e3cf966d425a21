import MDAuditLog
import MDAuditReading
import MDPlatform
import MDPropertyList

/// `audit consistency`: that a later state of the log continues an earlier one.
enum AuditConsistencyVerb: Verb {
    static let name = ["audit", "consistency"]
    static let summary = "prove that a later state of the log continues an earlier one"
    static let usage = ["audit consistency OLD [NEW] [--json]"]
    static let help = """
        Prints a proof (RFC 6962) that the first NEW records of the log begin with the first OLD ones. OLD and NEW are
        numbers of records, or files with checkpoints; without NEW it is the newest checkpoint. A checkpoint whose root is
        not that of the log is answered with exit code 10 in place of a proof.

        The form is that of C2SP (tlog-witness): a line "old" with the smaller number, the hashes, an empty line and
        the checkpoint of the larger number, which has no signature unless it is the newest or was given as a file.

        JSON: {"old","new","oldRoot","newRoot","hashes":[Base64]}; the roots are Base64.

        exit codes: 0 printed; 1 the newest checkpoint does not cover as many, the records in question were deleted, or
        there is no checkpoint; 2 wrong command line; 4 a file could not be read; 5 a file is no checkpoint; 10 the log
        does not continue OLD, or NEW is not a state of it.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let words = (try arguments.next("a number of records or a checkpoint"), arguments.next())
        try arguments.requireEnd()
        var prover = try LogProof.prover(context)
        let old = try state(words.0, &prover)
        let new = try words.1.map { word throws(Failure) in try state(word, &prover) } ?? prover.checkpoint
        guard old.size <= new.size else {
            throw .usage("OLD has \(old.size) records and NEW only \(new.size).", of: self)
        }
        let hashes: [Digest]
        do {
            hashes = try prover.consistency(from: old.size, to: new.size)
        } catch {
            throw LogProof.failure(error)
        }
        guard context.options.json else {
            try context.console.write(Array("old \(old.size)\n\(LogProof.lines(hashes))\n\(new.text)".utf8))
            return .success
        }
        var json = JSONWriter()
        json.beginObject()
        json.field("old", old.size)
        json.field("new", new.size)
        json.field("oldRoot", Base64.encode(old.root.bytes))
        json.field("newRoot", Base64.encode(new.root.bytes))
        LogProof.write(hashes, as: "hashes", to: &json)
        json.endObject()
        try context.print(json)
        return .success
    }

    /// The state of the log that a word means, compared with the log.
    private static func state(_ word: String, _ prover: inout LogProver) throws(Failure) -> Checkpoint {
        let number = LogProof.number(word)
        let given = number == nil ? try NoteFile.checkpoint(word).checkpoint : nil
        let size = given?.size ?? number ?? 0
        let root: Digest
        do {
            root = try prover.root(at: size)
        } catch {
            throw LogProof.failure(error)
        }
        let newest = prover.checkpoint
        guard let given else {
            return size == newest.size ? newest : Checkpoint(origin: newest.origin, size: size, root: root)
        }
        guard given.origin == newest.origin, given.root == root else {
            let reason = given.origin == newest.origin ? "its root is another one" : "it is of another log"
            throw Failure(
                code: .altered, message: "\(Printable.escape(word)) is not a state of this log: \(reason).")
        }
        return given
    }
}
