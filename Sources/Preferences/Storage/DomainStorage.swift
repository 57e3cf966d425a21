package import PropertyList

/// Where the persistent domains of one user are kept.
///
/// All members may be called from any thread.
package protocol DomainStorage: AnyObject, Sendable {
    /// Reads a domain.
    ///
    /// - Throws: `PreferencesError`; the next reading then gives values again, also where they are those that were read
    ///   before.
    func read(_ place: StoredPlace) throws(PreferencesError) -> StorageReading

    /// Changes some keys of a domain and leaves all others as they are, or gives it exactly these values.
    ///
    /// When it returns, the changes survive the end of this process, however it ends.
    ///
    /// - Parameters:
    ///   - place: the domain.
    ///   - changes: the new values; `nil` removes a key.
    ///   - replacing: whether all other keys are removed.
    /// - Returns: what others had changed, and what was done.
    /// - Throws: `PreferencesError`; then nothing was written.
    func save(
        _ place: StoredPlace, _ changes: [Key: Value?], replacing: Bool
    ) throws(PreferencesError) -> StorageSave

    /// Changes some keys of a domain depending on what it holds, while nobody else writes.
    ///
    /// - Parameters:
    ///   - place: the domain.
    ///   - body: takes the stored values and returns the changes; `nil` removes a key. It must be short, must not use
    ///     this storage, and may run more than once: what it returned last is what counts.
    /// - Returns: what others had changed, and what was done.
    /// - Throws: `PreferencesError`; then nothing was written.
    func modify(
        _ place: StoredPlace, _ body: ([Key: Value]) -> [Key: Value?]
    ) throws(PreferencesError) -> StorageSave

    /// The domains that have something stored for any host, sorted by their bytes; the global one among them.
    ///
    /// - Throws: `system`.
    func domains() throws(PreferencesError) -> [Key]

    /// The file of a domain under the root, for messages; `nil` where there is none or the name is no domain's.
    func path(of place: StoredPlace) -> String?

    /// The folders whose files are the domains, under the root, to be watched.
    var folders: [String] { get }

    /// The domain that a file of one of the folders is, or `nil` for other files.
    func place(ofName name: String, inFolder folder: String) -> StoredPlace?
}
