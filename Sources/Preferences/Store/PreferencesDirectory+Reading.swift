import Platform
package import PropertyList

extension PreferencesDirectory {
    /// How often a file is read again that changed in between, before the reader gives up.
    ///
    /// A writer that knows the lock replaces the file in one step, which one more attempt settles.
    private static let attempts = 100

    /// How long a damaged file that was only just written is read again, in microseconds.
    ///
    /// Foundation writes in place: for a moment its file is empty or cut short. Taking that moment for damage would set
    /// aside a file that is whole a millisecond later.
    private static let settlingMicroseconds: Int64 = 20_000

    /// How young a damaged file must be to be read again, in nanoseconds.
    private static let freshNanoseconds: Int64 = 1_000_000_000

    /// Reads a domain; takes no lock and changes nothing.
    ///
    /// - Returns: the domain, or `nil` where it has no file.
    /// - Throws: `invalidDomain`, `refused`, `damaged`, `unstable`, `system`.
    package func read(_ domain: Key, host: HostScope) throws(PreferencesError) -> StoredDomain? {
        let paths = try paths(of: domain, host: host)
        for path in [paths.written] + paths.alternatives {
            let (path, file) = try load(path)
            switch file {
            case .missing, .followed: continue
            case .intact(let domain): return domain
            case .damaged(let error, _): throw .damaged(path: root.display(path), error: error)
            }
        }
        return nil
    }

    /// Reads and parses a file; a damaged one that somebody may be writing in place gets a moment to become whole.
    ///
    /// - Returns: the file's own path, and what it is.
    func load(_ path: String) throws(PreferencesError) -> (path: String, file: PreferenceFile) {
        var text: XMLDictionaryText?
        return try load(path, following: &text)
    }

    /// Reads a file, and parses only what differs from its known text where there is one that it can follow.
    func load(
        _ path: String, following text: inout XMLDictionaryText?
    ) throws(PreferencesError) -> (path: String, file: PreferenceFile) {
        let start = Clock.monotonicMicroseconds()
        while true {
            let loaded = try loadOnce(path, following: &text)
            guard case .damaged(_, let status) = loaded.file else { return loaded }
            let (age, overflow) = (Clock.now().microseconds).subtractingReportingOverflow(status.modified / 1_000)
            let isFresh = !overflow && abs(age) < PreferencesDirectory.freshNanoseconds / 1_000
            guard isFresh, Clock.monotonicMicroseconds() - start < PreferencesDirectory.settlingMicroseconds else {
                return loaded
            }
        }
    }

    /// Reads and parses a file as it is at this moment.
    private func loadOnce(
        _ path: String, following text: inout XMLDictionaryText?
    ) throws(PreferencesError) -> (path: String, file: PreferenceFile) {
        for _ in 0..<PreferencesDirectory.attempts {
            let place = try place(of: path)
            guard let expected = place.status else { return (place.path, .missing) }
            let file: (bytes: [UInt8], status: FileStatus)
            do {
                file = try root.read(place.path, limit: Limits.standard.bytes)
            } catch  where error.isMissing || error.isStale {
                continue
            } catch {
                throw .system(error)
            }
            // What was opened must be what was checked; a file that was replaced in between is looked at again.
            guard file.status.device == expected.device, file.status.inode == expected.inode,
                file.status.owner == owner
            else { continue }
            if let changes = text?.follow(file.bytes) { return (place.path, .followed(changes, file.status)) }
            switch PreferenceFile.parse(file.bytes, path: place.path, status: file.status) {
            case .success(let domain): return (place.path, .intact(domain))
            case .failure(let error): return (place.path, .damaged(error, file.status))
            }
        }
        throw .unstable(path: root.display(path))
    }
}
