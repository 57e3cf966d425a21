import Platform
import Preferences
import PropertyList

/// A file that the caller names for output.
enum OutputFile {
    /// Writes a file in one step, where the last link of its path leads.
    ///
    /// What is no regular file stays what it is: a device that root names would become a file.
    ///
    /// - Parameters:
    ///   - bytes: what the file holds afterwards.
    ///   - word: the path as the caller wrote it.
    ///   - mode: the permission bits; `nil` keeps those of an older file, and a new one is its owner's alone.
    ///   - context: the machine whose preference files are spared.
    ///   - verb: whose usage a mistake shows.
    /// - Throws: a usage failure for some user's preference file, else what the system says.
    static func write(
        _ bytes: [UInt8], to word: String, mode: UInt32? = nil, _ context: Context, for verb: any Verb.Type
    ) throws(Failure) {
        let root = Root.system
        let path: String
        do throws(SystemError) {
            path = try CallerPath.followingLast(try CallerPath.absolute(word), in: root)
        } catch {
            throw .of(error)
        }
        if let owner = try DomainPlace.owner(of: path, in: root, context.machine(), for: verb) {
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
            try root.replace(path, with: bytes, mode: mode ?? status?.mode ?? 0o600)
        } catch {
            throw .of(error)
        }
    }
}
