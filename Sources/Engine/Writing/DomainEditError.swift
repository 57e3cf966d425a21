package import Audit
package import Preferences
package import PropertyList

/// Why an edit changed nothing.
package enum DomainEditError: Error, Sendable {
    /// The user's domain has no such key.
    case missingKey(Key)
    /// The user has nothing stored in the domain.
    case missingDomain
    /// Elements were to be added to a value that is no array.
    case notArray(Key)
    /// Entries were to be added to a value that is no dictionary.
    case notDictionary(Key)
    /// A value was to be stored under the empty key, which no policy can name.
    case emptyKey
    /// It is unknown what is forced: why, as a clause, and what became of the records.
    case unknownPolicy(String, [Delivery])
    /// The domain could not be read or written.
    case storage(PreferencesError)
}
