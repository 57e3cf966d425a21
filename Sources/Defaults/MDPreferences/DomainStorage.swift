package import MDPropertyList

/// Stores the persistent domains of one user.
///
/// All members may be called from any thread.
package protocol DomainStorage: AnyObject, Sendable {
    /// Reads a domain.
    ///
    /// - Throws: `PreferencesError`; after an error the next reading returns values again, even if they are the same as
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
    ) throws(PreferencesError) -> SaveResult

    /// Changes some keys of a domain depending on its values, without any other writer in between.
    ///
    /// - Parameters:
    ///   - place: the domain.
    ///   - body: receives the stored values and returns the changes; `nil` removes a key. It must be short, must not
    ///     use this storage, and may run more than once; only what it returns last counts.
    /// - Returns: what others had changed, and what was done.
    /// - Throws: `PreferencesError`; then nothing was written.
    func modify(
        _ place: StoredPlace, _ body: ([Key: Value]) -> [Key: Value?]
    ) throws(PreferencesError) -> SaveResult

    /// The domains that have values for any host, sorted by their bytes; this includes the global domain.
    ///
    /// - Throws: `system`.
    func domains() throws(PreferencesError) -> [Key]

    /// The file of a domain under the root, for messages; `nil` if there is none or the name is invalid.
    func path(of place: StoredPlace) -> String?

    /// The folders that contain the files, under the root, for watching them.
    var folders: [String] { get }

    /// The domain of a file in one of the folders, or `nil` for other files.
    func place(ofName name: String, inFolder folder: String) -> StoredPlace?
}

/// Identifies a stored domain of a user: its name, and whether it applies on every host.
package struct StoredPlace: Hashable, Sendable {
    /// The domain.
    package let domain: Key
    /// Which of its files.
    package let host: HostScope

    package init(domain: Key, host: HostScope) {
        self.domain = domain
        self.host = host
    }
}

/// The result of reading a stored domain.
package enum StorageReading: Sendable {
    /// Nothing is stored.
    case missing
    /// The values have not changed since this storage last read or wrote the place.
    case unchanged
    /// These values are stored, in this file under the root.
    case values([Key: Value], path: String)
}

/// The result of writing a stored domain.
package struct SaveResult: Sendable {
    /// What others changed since this storage last read or wrote the place; `nil` if they removed a key.
    ///
    /// Keys that the write itself changed are not included. If this storage had neither read nor written the place
    /// before, this holds all values except the written ones.
    package let foreign: [Key: Value?]
    /// The damaged files that were set aside; the caller reports and audits each.
    package let damaged: [DamagedFile]
    /// Whether a file was written or removed; `false` if everything was stored already.
    package let isWritten: Bool
    /// The file that holds the domain, under the root.
    package let path: String

    package init(foreign: [Key: Value?], damaged: [DamagedFile], isWritten: Bool, path: String) {
        self.foreign = foreign
        self.damaged = damaged
        self.isWritten = isWritten
        self.path = path
    }
}
