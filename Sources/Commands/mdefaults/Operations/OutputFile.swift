import MDPlatform
import MDPreferences
import MDPropertyList

/// Writes the file that a command line names for output.
enum OutputFile {
    /// Writes a file in one step; follows a link at the end of its path.
    ///
    /// Refuses anything but a regular file, because replacing a device, for example, would make a file of it.
    ///
    /// - Parameters:
    ///   - pieces: the new content.
    ///   - word: the path as the caller wrote it.
    ///   - mode: the permission bits; `nil` keeps those of an older file, and only the owner may read a new one.
    ///   - context: the machine whose preference files are refused.
    ///   - verb: the verb whose usage an error prints.
    /// - Throws: a usage failure for a user's preference file, else the error of the system.
    static func write(
        _ pieces: some Sequence<[UInt8]>, to word: String, mode: UInt32? = nil, _ context: Context,
        for verb: any Verb.Type
    ) throws(Failure) {
        let root = Root.system
        let path: String
        do throws(SystemError) {
            path = try CallerPath.followingLast(try CallerPath.absolute(word), in: root)
        } catch {
            throw .of(error)
        }
        if let owner = try PreferenceOwner.find(path, in: root, context.machine(), for: verb) {
            throw .usage(
                "\(Printable.escape(word)) is the preference file of \(Printable.escape(owner.place.domain.string)) of "
                    + "\(Printable.escape(owner.account.name)); import and write change it under policy.", of: verb)
        }
        do throws(SystemError) {
            let status = try? root.status(path, followingLinks: false)
            if let status, status.kind != .regular {
                throw SystemError(
                    operation: "replace", path: word, code: 22, reason: "it is a \(status.kind.rawValue), not a file")
            }
            try root.replace(path, withPieces: pieces, mode: mode ?? status?.mode ?? 0o600)
        } catch {
            throw .of(error)
        }
    }
}
