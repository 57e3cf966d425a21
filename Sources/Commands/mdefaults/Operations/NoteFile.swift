import MDAuditLog
import MDAuditReading
import MDPlatform

/// Files that somebody kept of a log: checkpoints and first keys, at paths as the shell has them.
enum NoteFile {
    /// Reads a checkpoint.
    ///
    /// - Throws: exit 4 if the file cannot be read, exit 5 if it is not a checkpoint.
    static func checkpoint(_ word: String) throws(Failure) -> HeldCheckpoint {
        let bytes = try read(word, limit: Checkpoint.longestText)
        guard let checkpoint = Checkpoint(text: bytes) else {
            throw Failure(code: .badInput, message: "\(Printable.escape(word)) is no checkpoint of a log.")
        }
        return HeldCheckpoint(checkpoint, holder: Printable.escape(word))
    }

    /// Reads the first key of a log's checkpoints.
    ///
    /// - Throws: exit 4 if the file cannot be read, exit 5 if it is not such a key.
    static func firstKey(_ word: String) throws(Failure) -> FirstKey {
        guard let key = FirstKey(text: try read(word, limit: FirstKey.longestText)) else {
            throw Failure(
                code: .badInput,
                message: "\(Printable.escape(word)) is no first key as mdefaults audit checkpoint --new-key shows it.")
        }
        return key
    }

    /// The checkpoint beside a log; `nil` if it cannot be read, which checking the log says.
    static func ownCheckpoint(of files: LogFiles, in root: Root) -> HeldCheckpoint? {
        guard let bytes = try? root.read(files.checkpoint, limit: Checkpoint.longestText).bytes,
            let checkpoint = Checkpoint(text: bytes)
        else { return nil }
        return HeldCheckpoint(checkpoint, holder: Printable.escape(root.display(files.checkpoint)))
    }

    /// Reads a file.
    private static func read(_ word: String, limit: Int) throws(Failure) -> [UInt8] {
        do throws(SystemError) {
            return try Root.system.read(try CallerPath.absolute(word), limit: limit).bytes
        } catch {
            throw .of(error)
        }
    }
}
