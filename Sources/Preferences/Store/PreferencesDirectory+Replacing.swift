import Platform
import PropertyList

/// The last steps of a write.
extension PreferencesDirectory {
    /// Puts new content in the place of a domain's file, after setting aside what is damaged.
    ///
    /// The content goes to a file of its own and is on disk before that file takes the place in one step: whoever reads,
    /// and whoever reads after a power cut, finds the old file or the new one, whole. Once this returns, the new one is
    /// what everybody reads, and the end of this process changes nothing about it. The folder itself is not synced,
    /// which would cost as much again: so a power cut may bring back the old file for the seconds until the file system
    /// writes its journal.
    ///
    /// - Parameters:
    ///   - memory: what was found under the lock; afterwards it knows the new file.
    ///   - bytes: the new content.
    /// - Returns: the files that were set aside; `nil` where another program changed the domain meanwhile.
    /// - Throws: `notSetAside`, `notReplaced`, `system`; then the old file is what it was.
    func replace(_ memory: inout DomainMemory, with bytes: [UInt8]) throws(PreferencesError) -> [DamagedFile]? {
        do {
            let file = try StagedFile(root: root, path: stagingPath, for: memory.target)
            try file.write(bytes)
            guard try isAsFound(memory.states) else { return nil }
            guard let damage = memory.damage else {
                try take(file, bytes, &memory)
                return []
            }
            return [try replaceDamaged(damage) { () throws(SystemError) in try take(file, bytes, &memory) }]
        } catch let error as PreferencesError {
            throw error
        } catch let error as SystemError {
            throw .system(error)
        } catch {
            throw .unstable(path: root.display(memory.target))
        }
    }

    /// Lets a staged file take the domain's place.
    private func take(_ file: StagedFile, _ bytes: [UInt8], _ memory: inout DomainMemory) throws(SystemError) {
        do {
            let (status, isExact) = try file.take(placeOf: memory.target)
            memory.states = [(memory.target, status)]
            memory.isCertain = isExact && memory.target == memory.source?.path
        } catch {
            // A link to another file system: the new file is then written beside the target.
            guard error.isOtherFileSystem else { throw error }
            try root.replace(memory.target, with: bytes, mode: 0o600)
            memory.states = []
            memory.isCertain = false
        }
        memory.damage = nil
    }

    /// Gives a damaged file a second name before its first one is taken, so that it always has one.
    ///
    /// A process that is killed in between leaves both names, and the next writer does the same again.
    private func replaceDamaged(
        _ damage: DomainMemory.Damage, _ take: () throws(SystemError) -> Void
    ) throws(PreferencesError) -> DamagedFile {
        let name: String
        do {
            name = try nameAside(damage) { (name) throws(SystemError) in try root.link(damage.path, as: name) }
        } catch {
            guard error.isWithoutHardLinks else {
                throw .notSetAside(path: root.display(damage.path), error: damage.error, cause: error)
            }
            return try moveDamaged(damage, take)
        }
        do {
            try take()
        } catch {
            try? root.remove(name)
            throw .system(error)
        }
        // Where the damaged file was read in the stead of one that is missing, it still has its own name.
        if let status = try? status(of: damage.path), let aside = try? self.status(of: name),
            status.isSameFile(as: aside)
        {
            try? root.remove(damage.path)
        }
        return report(damage, keptAs: name)
    }

    /// Renames a damaged file before its name is taken, where a file cannot have two names.
    private func moveDamaged(
        _ damage: DomainMemory.Damage, _ take: () throws(SystemError) -> Void
    ) throws(PreferencesError) -> DamagedFile {
        let (name, file) = try rename(damage)
        do {
            try take()
        } catch let failure {
            do {
                try root.rename(name, to: damage.path, replacing: false)
            } catch {
                throw .notReplaced(file, cause: failure)
            }
            throw .system(failure)
        }
        return file
    }

    /// Gives a damaged file another name in its folder, one that nobody has.
    func moveAside(_ damage: DomainMemory.Damage) throws(PreferencesError) -> DamagedFile {
        try rename(damage).file
    }

    /// Renames a damaged file.
    private func rename(_ damage: DomainMemory.Damage) throws(PreferencesError) -> (name: String, file: DamagedFile) {
        do {
            let name = try nameAside(damage) { (name) throws(SystemError) in
                try root.rename(damage.path, to: name, replacing: false)
            }
            return (name, report(damage, keptAs: name))
        } catch {
            throw .notSetAside(path: root.display(damage.path), error: damage.error, cause: error)
        }
    }

    /// Finds a name that nobody has for a damaged file.
    private func nameAside(
        _ damage: DomainMemory.Damage, _ give: (String) throws(SystemError) -> Void
    ) throws(SystemError) -> String {
        let stem = "\(damage.path).damaged-\(Clock.now().description.filter { $0 != "-" && $0 != ":" })"
        var number = 1
        while true {
            let name = number == 1 ? stem : "\(stem)-\(number)"
            do {
                try give(name)
                return name
            } catch {
                number += 1
                guard error.isTaken, number < 100 else { throw error }
            }
        }
    }

    /// What is said of a damaged file.
    private func report(_ damage: DomainMemory.Damage, keptAs name: String) -> DamagedFile {
        DamagedFile(path: root.display(damage.path), keptAs: root.display(name), error: damage.error)
    }
}
