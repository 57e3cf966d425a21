import Platform
package import PropertyList

/// The persistent domains of a user in files.
///
/// What a file held is remembered, so that reading an unchanged file costs a look at its state, and writing one key
/// costs little more than writing the bytes of the file.
package final class FileStorage: DomainStorage {
    /// The folder of the files.
    package let directory: PreferencesDirectory
    /// What each place held when it was last read or written; one user of a place at a time.
    private let places = Guarded<[StoredPlace: Guarded<DomainMemory?>]>([:])

    /// Keeps domains in a folder, which need not exist.
    package init(_ directory: PreferencesDirectory) {
        self.directory = directory
    }

    /// What a place held.
    private func memory(of place: StoredPlace) -> Guarded<DomainMemory?> {
        places.withLock { places in
            if let memory = places[place] { return memory }
            let memory = Guarded<DomainMemory?>(nil)
            places[place] = memory
            return memory
        }
    }

    /// Reads a domain; takes no lock that another process could hold.
    package func read(_ place: StoredPlace) throws(PreferencesError) -> StorageReading {
        let paths = try directory.paths(of: place.domain, host: place.host)
        return try memory(of: place).withLock { (memory) throws(PreferencesError) in
            do throws(PreferencesError) {
                let refreshed = try directory.refresh(&memory, paths)
                if let damage = memory?.damage {
                    throw PreferencesError.damaged(path: directory.root.display(damage.path), error: damage.error)
                }
                guard let path = memory?.source?.path, let values = memory?.values else { return .missing }
                return refreshed.isNew(in: values) ? .values(values, path: path) : .unchanged
            } catch {
                if !error.isHomeMissing { memory = nil }
                throw error
            }
        }
    }

    /// Changes or replaces a domain.
    package func save(
        _ place: StoredPlace, _ changes: [Key: Value?], replacing: Bool
    ) throws(PreferencesError) -> StorageSave {
        if replacing {
            let values = changes.compactMapValues { $0 }
            let save = try write(place, removesOnly: values.isEmpty) { _ in .all(values) }
            return StorageSave(foreign: [:], damaged: save.damaged, isWritten: save.isWritten, path: save.path)
        }
        let removesOnly = changes.values.allSatisfy { $0 == nil }
        let save = try write(place, removesOnly: removesOnly) { _ in .some(changes) }
        return save.without(changes)
    }

    /// Changes a domain depending on what it holds.
    package func modify(
        _ place: StoredPlace, _ body: ([Key: Value]) -> [Key: Value?]
    ) throws(PreferencesError) -> StorageSave {
        var changes: [Key: Value?] = [:]
        let save = try write(place, removesOnly: false) { values in
            changes = body(values)
            return .some(changes)
        }
        return save.without(changes)
    }

    /// Writes, and tells everything that others changed.
    private func write(
        _ place: StoredPlace, removesOnly: Bool, _ body: ([Key: Value]) -> DomainChange
    ) throws(PreferencesError) -> StorageSave {
        let paths = try directory.paths(of: place.domain, host: place.host)
        return try memory(of: place).withLock { (memory) throws(PreferencesError) in
            // Removing what is not there makes no folder.
            if removesOnly, try directory.missing(place.domain, host: place.host) != nil {
                let refreshed = try directory.refresh(&memory, paths)
                return StorageSave(
                    foreign: refreshed.foreign(in: memory?.values ?? [:]), damaged: [], isWritten: false,
                    path: paths.written)
            }
            let report = try directory.write(paths, &memory, body)
            return StorageSave(
                foreign: report.foreign, damaged: report.damaged, isWritten: report.isWritten,
                path: memory?.source?.path ?? paths.written)
        }
    }
}

extension FileStorage {
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
    ///
    /// A file that a link leads to elsewhere is not in them; it is compared when it is read.
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

extension PreferencesError {
    /// Whether the home is not there at the moment, which says nothing about what it holds.
    fileprivate var isHomeMissing: Bool {
        if case .homeMissing = self { true } else { false }
    }
}

extension StorageSave {
    /// The same without what the writer itself changed.
    fileprivate func without(_ changes: [Key: Value?]) -> StorageSave {
        guard !foreign.isEmpty else { return self }
        return StorageSave(
            foreign: foreign.filter { changes[$0.key] == nil }, damaged: damaged, isWritten: isWritten, path: path)
    }
}
