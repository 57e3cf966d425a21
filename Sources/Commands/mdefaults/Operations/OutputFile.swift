import MDPlatform
import MDPreferences
import MDPropertyList

/// Writes the file that a command line names for output.
enum OutputFile {
    /// Writes a file in one step, or a pipe or device directly; links are followed as ``CallerFile`` does.
    ///
    /// - Parameters:
    ///   - pieces: the new content.
    ///   - word: the path as the caller wrote it.
    ///   - context: the machine whose preference files are refused.
    ///   - verb: the verb whose usage an error prints.
    ///   - mode: the permission bits, by those that an older file of the caller has; `nil` for any other file.
    /// - Throws: a usage failure for a user's preference file, else the error of the system.
    static func write(
        _ pieces: some Sequence<[UInt8]>, to word: String, _ context: Context, for verb: any Verb.Type,
        mode: (UInt32?) -> UInt32
    ) throws(Failure) {
        let file: CallerFile
        do throws(SystemError) {
            file = try CallerFile.open(try CallerPath.absolute(word), in: .system)
        } catch {
            throw .of(error)
        }
        if let owner = try PreferenceOwner.find(file.path, in: .system, context.machine(), for: verb) {
            throw .usage(
                "\(Printable.escape(word)) is the preference file of \(Printable.escape(owner.place.domain.string)) of "
                    + "\(Printable.escape(owner.account.name)); import and write change it under policy.", of: verb)
        }
        // The file may be standard output.
        try context.console.flush()
        do throws(SystemError) {
            try file.write(pieces, mode: mode(file.keptMode))
        } catch {
            throw .of(error)
        }
    }
}
