import MDPlatform

extension Digest {
    /// A number that is another one for any other line of the log, and is never 0.
    var fingerprint: Int64 {
        let word = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return word == 0 ? 1 : Int64(bitPattern: word)
    }
}

extension AuditLog {
    /// Finds lines that a process was writing when it was killed.
    ///
    /// The number of records does not say whether they are there: another process may have stored its own since, under the
    /// same numbers. Looks at the records after all segments, and at the newest segment.
    ///
    /// Complexity: O(n) in the bytes of those records.
    ///
    /// - Parameter wanted: the fingerprints of the lines.
    /// - Returns: those whose lines are in the log.
    package func stored(among wanted: Set<Int64>) -> Set<Int64> {
        if wanted.isEmpty { return [] }
        var found: Set<Int64> = []
        let names = (try? root.names(in: LogFiles.current.segments)) ?? []
        let newest = names.compactMap { LogFiles.firstRecord(ofFile: $0) }.max()
        for path in [newest.map { LogFiles.current.segment($0) }, LogFiles.current.log].compactMap({ $0 }) {
            _ = try? ReadFile(root: root, path: path).forEachLine { line in
                let fingerprint = line.leaf.fingerprint
                if wanted.contains(fingerprint) { found.insert(fingerprint) }
            }
        }
        return found
    }
}
