import Platform
package import PropertyList

extension SharedDefaults {
    /// The domains that have a file for all users, sorted by their bytes, without the global domain.
    ///
    /// - Returns: the names; none where the folder does not exist.
    /// - Throws: `system`.
    package func domains() throws(PreferencesError) -> [Key] {
        guard isPresent else { return [] }
        do {
            let names = try root.names(in: SharedDefaults.directory)
            return names.compactMap { DomainName.domain(ofFileNamed: $0) }.sorted()
        } catch {
            guard error.isMissing else { throw .system(error) }
            return []
        }
    }
}
