import Platform

/// Why policy could not be applied or rolled back.
package struct OperationError: Error, Hashable, CustomStringConvertible {
    /// Why, as a clause.
    package let description: String
    /// Whether what was asked for does not exist, rather than could not be done.
    package let isMissing: Bool

    /// Makes an error.
    init(_ description: String, isMissing: Bool = false) {
        self.description = description
        self.isMissing = isMissing
    }

    /// Makes an error of what the system said.
    init(_ error: SystemError) {
        self.init(error.description)
    }

    /// Makes an error of what cannot be read.
    init(_ error: TrustError) {
        self.init(error.description)
    }

    /// Makes an error of a manifest.
    init(_ error: TableError) {
        self.init(error.description)
    }
}
