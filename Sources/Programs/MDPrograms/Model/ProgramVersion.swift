package import MDPlatform
import MDPolicyModel
import MDPropertyList

extension Program {
    /// Where a program is installed.
    package func presence(in root: Root) -> ProgramPresence {
        if (executables + readers).contains(where: { root.mayExist($0) }) { return .installed }
        return sandboxes.contains { root.mayExist($0) } ? .sandboxed : .missing
    }

    /// Whether one of the program's executables, or a Flatpak or snap of it, exists.
    package func isInstalled(in root: Root) -> Bool { presence(in: root) != .missing }

    /// Whether the program can be started and asked; Flatpaks and snaps are not.
    package func canBeAsked(in root: Root) -> Bool {
        witness != nil && executables.contains { root.mayExist($0) }
    }

    /// Whether it is a Flatpak or snap with files of its own: one more place of a program of the same domains.
    package var isPlace: Bool { executables.isEmpty }

    /// What tells a version of the installed program from another one, without starting it.
    ///
    /// It is the digest of path, size, time and inode of its executables and of ``versionFiles``: an update, and any other
    /// exchange of these files, changes it.
    ///
    /// - Returns: the digest; `nil` if no such file can be found.
    package func version(in root: Root) -> Digest? {
        var hash = SHA256()
        var isFound = false
        for path in executables + versionFiles {
            guard let status = try? root.status(path, followingLinks: true) else { continue }
            isFound = true
            hash.update(Array("\(path)\n\(status.size) \(status.modified) \(status.inode)\n".utf8))
        }
        return isFound ? hash.finish() : nil
    }
}

/// Whether a program is on a machine.
package enum ProgramPresence: Sendable {
    /// One of its executables is where packages put it, or there is a Flatpak or snap that reads the same files.
    case installed
    /// There is only a Flatpak or a snap of it, which is not known to read the files that policy is written into.
    case sandboxed
    /// It is not in the places where packages put it.
    case missing
}

extension ProgramPolicy {
    /// The digest of what a program is asked about: domain, key, level and value of each entry, wherever it comes from and
    /// for whom it is.
    package var digest: Digest {
        var json = JSONWriter()
        json.beginArray()
        for entry in entries {
            json.beginArray()
            json.string(entry.domain.string)
            json.string(entry.key.string)
            json.level(entry.level)
            json.endArray()
        }
        for (domain, keys) in unsealed.sorted(by: { $0.key < $1.key }) {
            json.beginArray()
            json.string(domain.string)
            for key in keys.sorted() { json.string(key.string) }
            json.endArray()
        }
        json.endArray()
        return SHA256.hash(json.utf8)
    }
}

extension JSONWriter {
    /// Writes what is said of a key, so that two levels are the same text only if they make the same file.
    fileprivate mutating func level(_ level: ProgramEntry.Level) {
        string(level.word)
        switch level {
        case .forced(let value), .recommended(let value), .setOnce(let value): exactValue(value)
        case .constraint(let constraint):
            beginObject()
            if let minimum = constraint.minimum {
                member("Minimum")
                exactValue(minimum)
            }
            if let maximum = constraint.maximum {
                member("Maximum")
                exactValue(maximum)
            }
            if let values = constraint.oneOf {
                member("OneOf")
                exactValue(.array(values))
            }
            field("Pattern", constraint.pattern?.text)
            endObject()
        case .absent, .sealed, .unknown: break
        }
    }
}
