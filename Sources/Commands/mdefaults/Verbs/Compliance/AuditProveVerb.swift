import MDAuditClient
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDPlatform
import MDPropertyList

/// `audit prove`: that a record is one of those that the newest checkpoint covers.
enum AuditProveVerb: Verb {
    static let name = ["audit", "prove"]
    static let summary = "prove that the newest checkpoint covers a record"
    static let usage = ["audit prove SEQ [--json]"]
    static let help = """
        Prints a proof that record SEQ is one of those that the newest checkpoint covers, in the form of C2SP
        (tlog-proof): the record's place, counted from 0, the hashes from the record's sibling up to the root (RFC 6962),
        and the checkpoint. Together with the line of the record it convinces who trusts the checkpoint, without the log.
        The digest of a record is SHA-256 over a zero byte and its line without the line feed.

        JSON: {"index","size","root","hashes":[Base64],"note"}

        exit codes: 0 printed; 1 the checkpoint does not cover it, its records were deleted, or there is no checkpoint;
        2 wrong command line; 4 the log could not be read; 10 the log is not what its checkpoint covers.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let word = try arguments.next("the number of a record")
        try arguments.requireEnd()
        guard let seq = LogProof.number(word), seq > 0 else {
            throw .usage("\(Printable.escape(word)) is not the number of a record.", of: self)
        }
        var prover = try LogProof.prover(context)
        let hashes: [Digest]
        do {
            hashes = try prover.inclusion(of: seq)
        } catch {
            throw LogProof.failure(error)
        }
        let checkpoint = prover.checkpoint
        guard context.options.json else {
            let text = "c2sp.org/tlog-proof@v1\nindex \(seq - 1)\n\(LogProof.lines(hashes))\n\(checkpoint.text)"
            try context.console.write(Array(text.utf8))
            return .success
        }
        var json = JSONWriter()
        json.beginObject()
        json.field("index", seq - 1)
        json.field("size", checkpoint.size)
        json.field("root", Base64.encode(checkpoint.root.bytes))
        LogProof.write(hashes, as: "hashes", to: &json)
        json.field("note", checkpoint.text)
        json.endObject()
        try context.print(json)
        return .success
    }
}
