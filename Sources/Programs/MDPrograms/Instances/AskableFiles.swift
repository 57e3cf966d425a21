package import MDPlatform
package import MDPropertyList
import MDTools

/// A copy of a program's policy folder without the settings with which the program lets nothing ask it.
package enum AskableFiles {
    /// Makes the copy, for the time of some work.
    ///
    /// - Parameters:
    ///   - source: the folder.
    ///   - witness: the witness that is to ask the program.
    ///   - body: the work; it gets the folder of the copy and the names of the settings that are left out of it, or no
    ///     folder where nothing keeps the program from answering.
    /// - Returns: what the work returns.
    /// - Throws: if the copy cannot be made.
    package static func around<Answer>(
        _ source: String, for witness: any Witness, _ body: (_ copy: String?, _ withheld: Set<Key>) -> Answer
    ) throws(SystemError) -> Answer {
        let root = Root.system
        var (files, withheld): ([Key: [UInt8]], Set<Key>) = ([:], [])
        do throws(SystemError) {
            files = try InstanceFolder.files(in: source, of: root)
        } catch {
            if !error.isMissing { throw error }
        }
        for (name, bytes) in files { files[name] = without(witness.silencers, bytes, &withheld) }
        if withheld.isEmpty { return body(nil, []) }
        let folder = try PrivateFolder.make(named: "mdefaults-policy", in: "/run")
        // Seen where it is mounted; the folder above lets no other user in.
        let copy = "\(folder.path)/files"
        let result: Result<Answer, SystemError>
        do throws(SystemError) {
            for (name, bytes) in files {
                let path = "\(copy)/\(name.string)"
                try root.createDirectory(ProgramFile.folder(of: path), mode: 0o755)
                try root.replace(path, with: bytes, mode: 0o644, durable: false)
            }
            result = .success(body(copy, withheld))
        } catch {
            result = .failure(error)
        }
        try folder.remove()
        return try result.get()
    }

    /// A file without the settings, whose names are noted; as it is if none is in it.
    static func without(
        _ silencers: [(path: [Key], value: Value)], _ bytes: [UInt8], _ withheld: inout Set<Key>
    ) -> [UInt8] {
        guard var members = try? PlainJSON.object(bytes) else { return bytes }
        var isChanged = false
        for (path, value) in silencers where Value?.some(.dictionary(members)).value(at: path) == value {
            guard let name = path.last else { continue }
            members = SharedFile.changing(members, at: path.dropLast()) { $0[name] = nil }
            withheld.insert(name)
            isChanged = true
        }
        return isChanged ? PlainJSON.encode(.dictionary(members)) ?? bytes : bytes
    }
}
