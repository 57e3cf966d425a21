import Platform
package import PropertyList

extension PreferencesDirectory {
    /// Changes some keys of a domain and leaves all others as they are.
    ///
    /// - Parameters:
    ///   - domain: the domain.
    ///   - host: which of its files.
    ///   - changes: the new values; `nil` removes a key.
    /// - Returns: what was before and is now. A file that was damaged was set aside, and is in the result: report it.
    /// - Throws: `PreferencesError`; then nothing was written.
    package func update(
        _ domain: Key, host: HostScope, _ changes: [Key: Value?]
    ) throws(PreferencesError) -> UpdateResult {
        // Removing a key that never was makes no folder.
        if changes.values.allSatisfy({ $0 == nil }), let result = try missing(domain, host: host) { return result }
        return try modify(domain, host: host) { _ in changes }
    }

    /// Changes some keys of a domain depending on what it holds, while nobody else writes: counters, lists that grow.
    ///
    /// - Parameters:
    ///   - domain: the domain.
    ///   - host: which of its files.
    ///   - body: takes the stored values and returns the changes; `nil` removes a key. It runs under the folder's lock,
    ///     so it must be short and must not write to this folder. It runs again where a program that does not know the
    ///     lock changed the file meanwhile.
    /// - Returns: what was before and is now.
    /// - Throws: `PreferencesError`; then nothing was written.
    package func modify(
        _ domain: Key, host: HostScope, _ body: ([Key: Value]) -> [Key: Value?]
    ) throws(PreferencesError) -> UpdateResult {
        try write(domain, host: host) { .some(body($0)) }
    }

    /// Gives a domain exactly these values.
    ///
    /// - Returns: what was before and is now.
    /// - Throws: `PreferencesError`; then nothing was written.
    package func replace(
        _ domain: Key, host: HostScope, with values: [Key: Value]
    ) throws(PreferencesError) -> UpdateResult {
        if values.isEmpty, let result = try missing(domain, host: host) { return result }
        return try write(domain, host: host) { _ in .all(values) }
    }

    /// Changes a domain of which nothing is known, and tells its values before and after.
    private func write(
        _ domain: Key, host: HostScope, _ body: ([Key: Value]) -> DomainChange
    ) throws(PreferencesError) -> UpdateResult {
        let paths = try paths(of: domain, host: host)
        var memory: DomainMemory?
        var before: [Key: Value] = [:]
        let report = try write(paths, &memory) { values in
            before = values
            return body(values)
        }
        return UpdateResult(
            before: before, after: memory?.values ?? [:], isWritten: report.isWritten, damaged: report.damaged,
            path: memory?.source?.path ?? memory?.target ?? paths.written)
    }

    /// Merges under the lock and replaces the file, and begins again where another program wrote meanwhile.
    ///
    /// - Parameters:
    ///   - paths: the domain's files.
    ///   - memory: what is known of the domain; afterwards it knows what is stored. Where this throws, it is what it was,
    ///     or nothing where others had changed something.
    ///   - body: takes the stored values and returns what to do; may run more than once.
    /// - Returns: what others had changed, and what was done.
    /// - Throws: `PreferencesError`; then nothing was written.
    func write(
        _ paths: (written: String, alternatives: [String]), _ memory: inout DomainMemory?,
        _ body: ([Key: Value]) -> DomainChange
    ) throws(PreferencesError) -> WriteReport {
        try prepareFolder(of: paths.written)
        return try underLock { () throws(PreferencesError) in
            var report = WriteReport(foreign: [:])
            do throws(PreferencesError) {
                for _ in 0..<PreferencesDirectory.writeAttempts {
                    report.take(try refresh(&memory, paths, isLocked: true), memory?.values ?? [:])
                    let changes = memory?.changes(by: body) ?? [:]
                    if changes.isEmpty, memory?.damage == nil { return report }
                    if let damaged = try store(changes, &memory, paths.written) {
                        report.damaged = damaged
                        report.isWritten = true
                        return report
                    }
                }
                throw PreferencesError.unstable(path: root.display(paths.written))
            } catch {
                // What was found on the way was told nobody; the next reading tells it.
                if !report.foreign.isEmpty { memory = nil }
                throw error
            }
        }
    }

    /// Encodes the changed domain and replaces its file.
    ///
    /// - Returns: the files that were set aside; `nil` where another program changed the domain meanwhile.
    private func store(
        _ changes: [Key: Value?], _ memory: inout DomainMemory?, _ path: String
    ) throws(PreferencesError) -> [DamagedFile]? {
        guard var known = memory.take() else { return nil }
        // Until the file is replaced, the values stay as they are, and there is no text.
        defer { memory = known }
        let content: StoredContent
        if let changed = StoredContent(changing: &known.text, changes) {
            content = changed
            known.text = nil
        } else {
            known.text = nil
            var values = known.values
            for (key, value) in changes { values[key] = value }
            content = try StoredContent(
                values, replacing: known.source?.format, path: root.display(known.target))
        }
        guard let damaged = try replace(&known, with: content.bytes) else { return nil }
        for (key, value) in changes { known.values[key] = value }
        known.isCertain = known.isCertain && known.target == path
        known.source = (known.target, content.format)
        known.text = content.text
        return damaged
    }
}
