import MDPlatform
import MDPolicyModel

/// Why policy could not be applied or rolled back.
package struct OperationError: Error, Hashable, CustomStringConvertible {
    /// Why, as a clause.
    package let description: String
    /// Whether the requested object does not exist.
    package let isMissing: Bool

    /// Whether what the caller had read was changed since.
    package let isOvertaken: Bool

    init(_ description: String, isMissing: Bool = false, isOvertaken: Bool = false) {
        self.description = description
        self.isMissing = isMissing
        self.isOvertaken = isOvertaken
    }

    /// Makes an error from a system error.
    init(_ error: SystemError) {
        self.init(error.description)
    }

    /// Makes an error from a trust error.
    init(_ error: TrustError) {
        self.init(error.description)
    }

    /// Makes an error from that of a stored file.
    init(_ error: StoredFileError) {
        self.init(error.description)
    }
}
