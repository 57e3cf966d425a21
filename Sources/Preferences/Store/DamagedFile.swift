import Platform
package import PropertyList

/// A preference file that was found damaged and was set aside, whole, before a new one was written.
package struct DamagedFile: Hashable, Sendable {
    /// Where the file stood, as it is shown to people.
    package let path: String
    /// Where it is kept now, as it is shown to people.
    package let keptAs: String
    /// What is wrong with it.
    package let error: PropertyListError

    /// Makes the report of a file that was set aside.
    package init(path: String, keptAs: String, error: PropertyListError) {
        self.path = path
        self.keptAs = keptAs
        self.error = error
    }
}

extension DamagedFile: CustomStringConvertible {
    /// A sentence that says what was wrong, where, and where the file is now.
    package var description: String {
        "\(Printable.escape(path)):\(error.position): the preference file is damaged: \(error.message); "
            + "it is kept as \(Printable.escape(keptAs))."
    }
}
