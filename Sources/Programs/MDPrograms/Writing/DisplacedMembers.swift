package import MDPlatform
import MDPropertyList

extension ProgramsPlan.Part {
    /// What other products have in files that are shared with them, and policy has otherwise.
    ///
    /// - Parameters:
    ///   - written: what was written into programs' files.
    ///   - root: the machine.
    /// - Returns: a finding for each key.
    package func displaced(_ written: WrittenFiles, in root: Root) -> [ProgramFinding] {
        rendering.files.flatMap { file -> [ProgramFinding] in
            guard case .members(let path, let ours) = file.content else { return [] }
            var bytes = WrittenFiles.content(written.files[Key(file.path)]?.original, root: root)
            if written.files[Key(file.path)] == nil {
                bytes = try? root.read(file.path, limit: PlainJSON.sizeLimit).bytes
            }
            guard let members = bytes.flatMap({ try? PlainJSON.object($0) }) else { return [] }
            let theirs = SharedFile.object(at: path[...], of: members)
            let isSecret = policy.entries.contains(where: \.isSensitive)
            return ours.keys.filter { theirs[$0] != nil }.sorted().compactMap { key in
                guard let our = ours[key], let their = theirs[key] else { return nil }
                return ForeignValue(key: key, ours: our, theirs: their, reason: nil, isSecret: isSecret)
                    .finding(about: program.name, file.path)
            }
        }
    }
}
