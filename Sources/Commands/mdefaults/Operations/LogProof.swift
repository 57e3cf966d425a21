import MDAuditClient
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDPlatform
import MDPropertyList

/// What the verbs that print proofs have in common.
enum LogProof {
    /// Opens the log of a machine for proofs.
    static func prover(_ context: Context) throws(Failure) -> LogProver {
        let root = try context.root()
        do {
            return try LogProver(root: root)
        } catch {
            throw failure(error)
        }
    }

    /// The failure of a proof.
    static func failure(_ error: ProofError) -> Failure {
        switch error {
        case .system(let error): .of(error)
        case .altered: Failure(code: .altered, message: error.description)
        case .noCheckpoint, .noSuchSize, .deleted: Failure(code: .no, message: error.description)
        }
    }

    /// Parses a number of records or of a record; `nil` for anything else.
    static func number(_ word: String) -> Int? {
        guard !word.isEmpty, word.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(word)
    }

    /// Writes hashes as an array of Base64.
    static func write(_ hashes: [Digest], as name: String, to json: inout JSONWriter) {
        json.member(name)
        json.beginArray()
        for hash in hashes {
            json.string(Base64.encode(hash.bytes))
        }
        json.endArray()
    }

    /// The hashes as lines of Base64.
    static func lines(_ hashes: [Digest]) -> String {
        hashes.reduce(into: "") { $0 += Base64.encode($1.bytes) + "\n" }
    }
}
