package import PropertyList

/// What was found in a user's preference files: the values beneath forced keys, and what could not be read.
package struct HomeReading: Sendable {
    /// A value beneath a forced key.
    package struct Stored: Sendable {
        /// The domain of the forced entry.
        package let forcedDomain: Key
        /// The key.
        package let key: Key
        /// The stored value and where it is.
        package let value: HiddenValue
    }

    /// The values beneath forced keys.
    package var stored: [Stored] = []
    /// What could not be read.
    package var problems: [HomeProblem] = []

    /// Makes an empty reading.
    package init() {}
}
