import MDPlatform
import MDPropertyList
import MDTools

/// Pictures that policy names and that the machine does not have.
enum MissingPictures {
    /// The names of keys that have the path or the address of a picture.
    private static let keys: Set<Key> = [
        "picture-uri", "picture-uri-dark", "picture-filename", "Image", "last-image", "image-path",
    ]

    /// The findings about a policy, which say nothing against what its keys are in force.
    static func findings(in policy: ProgramPolicy, for program: some Program, _ root: Root) -> [ProgramFinding] {
        policy.entries.reduce(into: []) { findings, entry in
            guard let name = SlashPath(entry.key).names.last, keys.contains(Key(name)),
                let path = path(entry.level), isMissing(path, root)
            else { return }
            let finding = ProgramFinding(
                .unsupported, program: program.name, origin: entry.origin, "there is no picture \(path) on this machine"
            )
            if !findings.contains(finding) { findings.append(finding) }
        }
    }

    /// The path that a value names; `nil` for anything else.
    private static func path(_ level: ProgramEntry.Level) -> String? {
        guard case .forced(.string(let text)) = level else {
            guard case .recommended(.string(let text)) = level else { return nil }
            return path(text)
        }
        return path(text)
    }

    /// The path in an address or a path; `nil` if it is none, or has a variable.
    private static func path(_ text: String) -> String? {
        let prefix = "file://"
        let isAddress = text.utf8.starts(with: prefix.utf8)
        let rest = Substring(isAddress ? text.utf8.dropFirst(prefix.utf8.count) : text.utf8[...])
        guard rest.utf8.first == UInt8(ascii: "/"), !rest.utf8.contains(UInt8(ascii: "$")) else { return nil }
        // In an address a percent sign begins an escape, and both spellings are used.
        return isAddress && rest.utf8.contains(UInt8(ascii: "%")) ? nil : String(rest)
    }

    /// Whether it is known that there is nothing; file systems of users and of a network are not touched.
    private static func isMissing(_ path: String, _ root: Root) -> Bool {
        guard root.isSystem else { return !root.mayExist(path) }
        do throws(SystemError) {
            _ = try MountTable.read().localPath(of: path)
            return false
        } catch {
            return error.isMissing
        }
    }
}
