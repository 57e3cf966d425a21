import Platform
package import PropertyList

extension PreferencesDirectory {
    /// The domains that have a file for any host, sorted by their bytes, without the global domain.
    ///
    /// Locks, temporary files, files that were set aside and the per-host files do not show.
    ///
    /// - Returns: the names; none where the folder does not exist.
    /// - Throws: `system`.
    package func domains() throws(PreferencesError) -> [Key] {
        let names: [String]
        do {
            names = try root.names(in: directory)
        } catch {
            guard error.isMissing else { throw .system(error) }
            return []
        }
        return names.compactMap { DomainName.domain(ofFileNamed: $0) }.sorted()
    }
}
