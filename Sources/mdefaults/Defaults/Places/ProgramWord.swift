import Engine
import Platform
import PropertyList

/// What stands behind `-app`: a program, by its path or by its name.
enum ProgramWord {
    /// Where programs of a machine in a folder are looked for; nobody's `PATH` speaks of it.
    private static let folders = ["/usr/local/bin", "/usr/bin", "/bin"]

    /// The domain that a program has as an application, unless its code says another.
    ///
    /// - Parameters:
    ///   - word: a path, which has a slash, or a name that is looked for in `PATH`.
    ///   - root: the machine.
    /// - Returns: the identifier in an Info.plist beside the program, else the name of its file.
    /// - Throws: exit 1 in Apple's words where there is no such program.
    static func domain(of word: String, in root: Root) throws(Failure) -> Key {
        for path in try paths(of: word, in: root) {
            guard let path = try? CallerPath.followingLast(path, in: root),
                let status = try? root.status(path, followingLinks: true), status.kind == .regular,
                status.mode & 0o111 != 0
            else { continue }
            return ApplicationIdentity.ofProgram(at: path, in: root).domain
        }
        throw Failure(
            code: .no, message: "Couldn't find an application named \"\(Printable.escape(word))\"; defaults unchanged")
    }

    /// The places where a program may be.
    private static func paths(of word: String, in root: Root) throws(Failure) -> [String] {
        guard !word.isEmpty, !word.utf8.contains(0) else { return [] }
        if word.contains("/") {
            do throws(SystemError) {
                return [root.isSystem ? try CallerPath.absolute(word) : word]
            } catch {
                throw .of(error)
            }
        }
        var folders = Self.folders
        if root.isSystem, let path = Environment.values(of: ["PATH"])["PATH"] {
            folders = path.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        }
        return folders.map { $0 + "/" + word }
    }
}
