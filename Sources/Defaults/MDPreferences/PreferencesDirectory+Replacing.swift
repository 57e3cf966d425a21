import MDPlatform
import MDPropertyList

extension PreferencesDirectory {
    /// Replaces a domain's file by new content, after setting aside a damaged file.
    ///
    /// The content is written to a separate file and is on disk before that file replaces the old one in one step.
    /// Every reader, even after a power cut, finds either the old or the new file, complete. Once this returns, all
    /// readers see the new file, even if this process ends. The folder itself is not synced, because that would double
    /// the cost; a power cut may therefore bring back the old file during the seconds until the file system writes its
    /// journal.
    ///
    /// - Parameters:
    ///   - cache: what was found under the lock; afterwards it describes the new file.
    ///   - bytes: the new content.
    /// - Returns: the files that were set aside; `nil` if another program changed the domain meanwhile.
    /// - Throws: `notSetAside`, `notReplaced`, `system`; then the old file is unchanged.
    func replace(_ cache: inout CachedDomain, with bytes: [UInt8]) throws(PreferencesError) -> [DamagedFile]? {
        do {
            let file = try StagedFile.create(root: root, path: stagingPath, for: cache.target)
            try file.write(bytes)
            guard try areUnchanged(cache.states) else { return nil }
            guard let damage = cache.damage else {
                try install(file, bytes, &cache)
                return []
            }
            return [try replaceDamaged(damage) { () throws(SystemError) in try install(file, bytes, &cache) }]
        } catch let error as PreferencesError {
            throw error
        } catch let error as SystemError {
            throw .system(error)
        } catch {
            throw .unstable(path: root.display(cache.target))
        }
    }

    /// Renames a staged file to the domain's file.
    private func install(_ file: StagedFile, _ bytes: [UInt8], _ cache: inout CachedDomain) throws(SystemError) {
        do {
            let (status, isExact) = try file.replace(fileAt: cache.target)
            cache.states = [(cache.target, status)]
            cache.isReliable = isExact && cache.target == cache.source?.path
        } catch {
            // The target of a link may be on another file system: then the new file is written next to the target.
            guard error.isOtherFileSystem else { throw error }
            try root.replace(cache.target, with: bytes, mode: 0o600)
            cache.states = []
            cache.isReliable = false
        }
        cache.damage = nil
    }

    /// Gives a damaged file a second name before its first one is replaced, so that it always has a name.
    ///
    /// If the process is killed in between, both names remain, and the next writer repeats the steps.
    private func replaceDamaged(
        _ damage: CachedDomain.Damage, _ replace: () throws(SystemError) -> Void
    ) throws(PreferencesError) -> DamagedFile {
        let name: String
        do {
            name = try findFreeName(damage) { (name) throws(SystemError) in try root.link(damage.path, as: name) }
        } catch {
            guard error.isWithoutHardLinks else {
                throw .notSetAside(path: root.display(damage.path), error: damage.error, cause: error)
            }
            return try moveDamaged(damage, replace)
        }
        do {
            try replace()
        } catch {
            try? root.remove(name)
            throw .system(error)
        }
        // If the damaged file was read because the usual one is missing, it still has its own name.
        if let status = try? status(of: damage.path), let aside = try? self.status(of: name),
            status.isSameFile(as: aside)
        {
            try? root.remove(damage.path)
        }
        return damagedFile(damage, movedTo: name)
    }

    /// Renames a damaged file before its name is reused, for file systems without hard links.
    private func moveDamaged(
        _ damage: CachedDomain.Damage, _ replace: () throws(SystemError) -> Void
    ) throws(PreferencesError) -> DamagedFile {
        let (name, file) = try rename(damage)
        do {
            try replace()
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

    /// Gives a damaged file an unused name in its folder.
    func setAside(_ damage: CachedDomain.Damage) throws(PreferencesError) -> DamagedFile {
        try rename(damage).file
    }

    /// Renames a damaged file.
    private func rename(_ damage: CachedDomain.Damage) throws(PreferencesError) -> (name: String, file: DamagedFile) {
        do {
            let name = try findFreeName(damage) { (name) throws(SystemError) in
                try root.rename(damage.path, to: name, replacing: false)
            }
            return (name, damagedFile(damage, movedTo: name))
        } catch {
            throw .notSetAside(path: root.display(damage.path), error: damage.error, cause: error)
        }
    }

    /// Finds an unused name for a damaged file.
    private func findFreeName(
        _ damage: CachedDomain.Damage, _ use: (String) throws(SystemError) -> Void
    ) throws(SystemError) -> String {
        let stem = "\(damage.path).damaged-\(Clock.now().description.filter { $0 != "-" && $0 != ":" })"
        var number = 1
        while true {
            let name = number == 1 ? stem : "\(stem)-\(number)"
            do {
                try use(name)
                return name
            } catch {
                number += 1
                guard error.isTaken, number < 100 else { throw error }
            }
        }
    }

    /// The report of a damaged file.
    private func damagedFile(_ damage: CachedDomain.Damage, movedTo name: String) -> DamagedFile {
        DamagedFile(path: root.display(damage.path), setAsidePath: root.display(name), error: damage.error)
    }
}
