package import Engine
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

    /// A value that a constraint does not allow.
    package struct Outside: Sendable {
        /// The domain.
        package let domain: Key
        /// The key.
        package let key: Key
        /// The stored value.
        package let value: Value
        /// The file that holds it, under the root.
        package let file: String
        /// Whether it counts on this host only.
        package let isThisHost: Bool
    }

    /// The values that constraints do not allow.
    package var outside: [Outside] = []
    /// What is remembered of entries that were set once.
    package var marks: [SetOnceMark] = []
    /// How many more marks there are that nobody looked at.
    package var furtherMarks = 0
    /// What records say of them that wait in the user's spool.
    package var spooled: [SetOnceMark] = []
    /// How many records of any kind wait there; `nil` where that cannot be told.
    package var waiting: Int? = 0
    /// How many attempts did not fit there, as the user's own file counts them.
    package var dropped = 0
    /// The most that is taken over of a number that a user can have written.
    static let largestCount = 1 << 40
    /// The values beneath forced keys.
    package var stored: [Stored] = []
    /// What could not be read.
    package var problems: [HomeProblem] = []

    /// Makes an empty reading.
    package init() {}
}
