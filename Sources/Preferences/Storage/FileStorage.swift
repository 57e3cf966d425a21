import Platform
package import PropertyList

/// The persistent domains of a user in files.
package final class FileStorage: DomainStorage {
    /// The folder of the files.
    package let directory: PreferencesDirectory
    /// What each place held when it was last read or written.
    private let memory = Guarded<[StoredPlace: Memory]>([:])

    /// What a place held.
    private struct Memory {
        /// The state of the file.
        let status: FileStatus?
        /// Its values.
        let values: [Key: Value]
    }

    /// Keeps domains in a folder, which need not exist.
    package init(_ directory: PreferencesDirectory) {
        self.directory = directory
    }

    /// Reads a domain.
    package func read(_ place: StoredPlace) throws(PreferencesError) -> StorageReading {
        do {
            guard let domain = try directory.read(place.domain, host: place.host) else {
                memory.withLock { $0[place] = Memory(status: nil, values: [:]) }
                return .missing
            }
            let isUnchanged = memory.withLock { memory in
                let isSame = memory[place].map { $0.status == domain.status && $0.values == domain.values } ?? false
                memory[place] = Memory(status: domain.status, values: domain.values)
                return isSame
            }
            return isUnchanged ? .unchanged : .values(domain.values, path: domain.path)
        } catch {
            memory.withLock { $0[place] = nil }
            throw error
        }
    }

    /// Changes or replaces a domain.
    package func save(
        _ place: StoredPlace, _ changes: [Key: Value?], replacing: Bool
    ) throws(PreferencesError) -> StorageSave {
        let result: UpdateResult
        if replacing {
            result = try directory.replace(place.domain, host: place.host, with: changes.compactMapValues { $0 })
            remember(result.after, at: place)
            return StorageSave(
                foreign: [:], damaged: result.damaged, isWritten: result.isWritten, path: result.path)
        }
        result = try directory.update(place.domain, host: place.host, changes)
        return finish(result, changes, at: place)
    }

    /// Changes a domain depending on what it holds.
    package func modify(
        _ place: StoredPlace, _ body: ([Key: Value]) -> [Key: Value?]
    ) throws(PreferencesError) -> StorageSave {
        var changes: [Key: Value?] = [:]
        let result = try directory.modify(place.domain, host: place.host) { values in
            changes = body(values)
            return changes
        }
        return finish(result, changes, at: place)
    }

    /// Remembers what a write left, and tells what others had changed.
    private func finish(_ result: UpdateResult, _ changes: [Key: Value?], at place: StoredPlace) -> StorageSave {
        let known = memory.withLock { $0[place]?.values ?? [:] }
        remember(result.after, at: place)
        var foreign: [Key: Value?] = [:]
        for (key, value) in result.before where changes[key] == nil {
            if known[key].map({ value.isIdentical(to: $0) }) != true { foreign[key] = .some(value) }
        }
        for key in known.keys where changes[key] == nil && result.before[key] == nil {
            foreign[key] = .some(nil)
        }
        return StorageSave(
            foreign: foreign, damaged: result.damaged, isWritten: result.isWritten, path: result.path)
    }

    /// Keeps the values of a place.
    private func remember(_ values: [Key: Value], at place: StoredPlace) {
        memory.withLock { $0[place] = Memory(status: nil, values: values) }
    }

    /// The domains that have a file for any host.
    package func domains() throws(PreferencesError) -> [Key] {
        let domains = try directory.domains()
        let names = DomainName.fileNames(of: DomainName.global)
        for name in names where try directory.status(of: "\(directory.directory)/\(name)") != nil {
            return (domains + [DomainName.global]).sorted()
        }
        return domains
    }

    /// The file of a domain.
    package func path(of place: StoredPlace) -> String? {
        try? directory.path(of: place.domain, host: place.host)
    }

    /// The folder, and the one of the files for one host.
    package var folders: [String] { [directory.directory, directory.directory + "/ByHost"] }

    /// The domain that a file is.
    package func place(ofName name: String, inFolder folder: String) -> StoredPlace? {
        let folders = folders
        guard let index = folders.firstIndex(of: folder),
            let found = directory.place(named: name, isPerHost: index == 1), let host = found.host
        else { return nil }
        return StoredPlace(domain: found.domain, host: host)
    }
}
