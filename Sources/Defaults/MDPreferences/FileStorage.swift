import MDPlatform
package import MDPropertyList

/// Stores the persistent domains of a user in files.
///
/// The content of each file is cached. Reading an unchanged file therefore costs one status call, and writing one key
/// costs little more than writing the bytes of the file.
package final class FileStorage: DomainStorage {
    /// The folder of the files.
    package let directory: PreferencesDirectory
    /// The cached content of each place; its lock admits one thread at a time.
    private let places = Guarded<[StoredPlace: Guarded<CachedDomain?>]>(resettable: [:])

    /// Stores domains in a folder, which need not exist.
    package init(_ directory: PreferencesDirectory) {
        self.directory = directory
    }

    /// The cached content of a place.
    private func cache(of place: StoredPlace) -> Guarded<CachedDomain?> {
        places.withLock { places in
            if let cache = places[place] { return cache }
            let cache = Guarded<CachedDomain?>(resettable: nil)
            places[place] = cache
            return cache
        }
    }

    /// Reads a domain, without a lock that another process could hold.
    package func read(_ place: StoredPlace) throws(PreferencesError) -> StorageReading {
        let paths = try directory.paths(of: place.domain, host: place.host)
        return try cache(of: place).withLock { (cache) throws(PreferencesError) in
            do throws(PreferencesError) {
                let refreshed = try directory.refresh(&cache, paths)
                if let damage = cache?.damage {
                    throw PreferencesError.damaged(path: directory.root.display(damage.path), error: damage.error)
                }
                guard let path = cache?.source?.path, let values = cache?.values else { return .missing }
                return refreshed.isNew(in: values) ? .values(values, path: path) : .unchanged
            } catch {
                if !error.isHomeMissing { cache = nil }
                throw error
            }
        }
    }

    /// Changes or replaces a domain.
    package func save(
        _ place: StoredPlace, _ changes: [Key: Value?], replacing: Bool
    ) throws(PreferencesError) -> SaveResult {
        if replacing {
            let values = changes.compactMapValues { $0 }
            let save = try write(place, removesOnly: values.isEmpty) { _ in .whole(values) }
            return SaveResult(foreign: [:], damaged: save.damaged, isWritten: save.isWritten, path: save.path)
        }
        let removesOnly = changes.values.allSatisfy { $0 == nil }
        let save = try write(place, removesOnly: removesOnly) { _ in .partial(changes) }
        return save.without(changes)
    }

    /// Changes a domain depending on what it holds.
    package func modify(
        _ place: StoredPlace, _ body: ([Key: Value]) -> [Key: Value?]
    ) throws(PreferencesError) -> SaveResult {
        var changes: [Key: Value?] = [:]
        let save = try write(place, removesOnly: false) { values in
            changes = body(values)
            return .partial(changes)
        }
        return save.without(changes)
    }

    /// Writes, and returns everything that others changed.
    private func write(
        _ place: StoredPlace, removesOnly: Bool, _ body: ([Key: Value]) -> DomainChange
    ) throws(PreferencesError) -> SaveResult {
        let paths = try directory.paths(of: place.domain, host: place.host)
        return try cache(of: place).withLock { (cache) throws(PreferencesError) in
            // Removing keys that do not exist creates no folder.
            if removesOnly, try directory.missing(place.domain, host: place.host) != nil {
                let refreshed = try directory.refresh(&cache, paths)
                return SaveResult(
                    foreign: refreshed.foreign(in: cache?.values ?? [:]), damaged: [], isWritten: false,
                    path: paths.written)
            }
            let result = try directory.write(paths, &cache, body)
            return SaveResult(
                foreign: result.foreign, damaged: result.damaged, isWritten: result.isWritten,
                path: cache?.source?.path ?? paths.written)
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

    /// The folder, and its folder of files for one host.
    ///
    /// Targets of links in other folders are not included; they are compared when they are read.
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
    /// Whether the home does not exist at the moment; the state of its files is then unknown.
    fileprivate var isHomeMissing: Bool {
        if case .homeMissing = self { true } else { false }
    }
}

extension SaveResult {
    /// The same result without the keys that the writer itself changed.
    fileprivate func without(_ changes: [Key: Value?]) -> SaveResult {
        guard !foreign.isEmpty else { return self }
        return SaveResult(
            foreign: foreign.filter { changes[$0.key] == nil }, damaged: damaged, isWritten: isWritten, path: path)
    }
}
