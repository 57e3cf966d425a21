import MDEngine
import MDPlatform
import MDPropertyList

/// The facts of many hosts: a folder of files that `policy facts` wrote, one for each.
struct HostFactsFolder {
    /// The facts in byte order of the files' names.
    private(set) var facts: [HostFacts] = []

    /// The most hosts of one question.
    private static let bound = 10_000

    /// Reads a folder; names that begin with a dot, and folders in it, are left out.
    ///
    /// - Throws: exit 4 if something cannot be read, exit 5 with its place for a file that does not parse.
    init(_ word: String) throws(Failure) {
        do throws(SystemError) {
            let folder = try CallerPath.absolute(word)
            for name in try Root.system.names(in: folder).map({ Key($0) }).sorted().map(\.string) {
                let path = "\(folder)/\(name)"
                guard name.utf8.first != UInt8(ascii: "."), facts.count < HostFactsFolder.bound,
                    try Root.system.status(path, followingLinks: true).kind == .regular
                else { continue }
                let bytes = try Root.system.read(path, limit: HostFacts.sizeLimit).bytes
                do throws(HostFactsError) {
                    facts.append(try HostFacts(reading: bytes))
                } catch {
                    throw SystemError(
                        operation: "read", path: "\(word)/\(name)", code: 74,
                        reason: "\(error.position): \(error.message)")
                }
            }
        } catch {
            throw .of(error)
        }
        guard !facts.isEmpty else {
            throw Failure(
                code: .badInput,
                message: "There are no facts in \(Printable.escape(word)); mdefaults policy facts writes them on each"
                    + " host.")
        }
    }
}
