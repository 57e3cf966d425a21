import MDEngine
import MDPlatform
import MDPropertyList

/// The facts of many hosts: a folder of files that `policy facts` wrote, one for each.
struct HostFactsFolder {
    /// The facts in byte order of the files' names.
    private(set) var facts: [HostFacts] = []
    /// The files that do not read, each with the place of what is wrong.
    private(set) var broken: [(file: String, error: String)] = []

    /// The most hosts of one question.
    private static let bound = 10_000

    /// Reads a folder; names that begin with a dot, and folders in it, are left out.
    ///
    /// A file that does not read is one finding, and the others count.
    ///
    /// - Throws: exit 4 if the folder cannot be read, exit 5 if it has no file, or more than are taken.
    init(_ word: String) throws(Failure) {
        let (folder, names): (String, [String])
        do throws(SystemError) {
            folder = try CallerPath.absolute(word)
            names = try Root.system.names(in: folder).map { Key($0) }.sorted().map(\.string)
        } catch {
            throw .of(error)
        }
        for name in names where name.utf8.first != UInt8(ascii: ".") {
            let path = "\(folder)/\(name)"
            if let kind = try? Root.system.status(path, followingLinks: true).kind, kind != .regular { continue }
            guard facts.count < HostFactsFolder.bound else {
                throw Failure(
                    code: .badInput,
                    message: "\(Printable.escape(word)) has facts of more than \(HostFactsFolder.bound) hosts.")
            }
            do {
                let bytes = try Root.system.read(path, limit: HostFacts.sizeLimit).bytes
                facts.append(try HostFacts(reading: bytes))
            } catch let error as HostFactsError {
                broken.append(("\(word)/\(name)", "\(error.position): \(error.message)"))
            } catch let error as SystemError {
                broken.append(("\(word)/\(name)", error.text))
            } catch {
                broken.append(("\(word)/\(name)", "\(error)"))
            }
        }
        guard facts.isEmpty, broken.isEmpty else { return }
        throw Failure(
            code: .badInput,
            message: "There are no facts in \(Printable.escape(word)); mdefaults policy facts writes them on each host."
        )
    }
}
