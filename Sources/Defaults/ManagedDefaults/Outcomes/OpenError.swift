import MDEngine
import MDPropertyList

extension ManagedDefaults {
    /// Why the defaults of a folder could not be opened.
    public enum OpenError: Error, Sendable, Hashable, CustomStringConvertible {
        /// No domain can have the application's name.
        case application(String)
        /// The folder does not exist or cannot be opened; the text is a sentence that gives the reason.
        case folder(String)
        /// The folder has no such user, or its users cannot be read; the text is a sentence with the names that there are.
        case user(String)

        /// The reason, in a sentence.
        public var description: String {
            switch self {
            case .application(let name): "\(MDPropertyList.Key(name)) cannot be the name of an application's domain."
            case .folder(let sentence), .user(let sentence): sentence
            }
        }

        /// Translates an error of the engine.
        init(_ error: SessionError) {
            self =
                switch error {
                case .root(let cause): .folder("The folder cannot be used: \(cause).")
                case .noSuchCaller, .noSuchUser, .noUserDatabase: .user(error.description)
                }
        }
    }

    /// Why an application could not be named.
    public enum IdentityError: Error, Sendable, Hashable, CustomStringConvertible {
        /// No file can have the domain's name.
        case unusableName(String)
        /// An object exists already, under another domain or under the same one by another source.
        case tooLate(name: String, inUse: String)

        /// The reason, in a sentence.
        public var description: String {
            switch self {
            case .unusableName(let name): "\(MDPropertyList.Key(name)) cannot be the name of an application's domain."
            case .tooLate(let name, let inUse):
                """
                The application cannot be named \(MDPropertyList.Key(name)) any more, because defaults of \
                \(MDPropertyList.Key(inUse)) exist already. Name it before the first use of any object.
                """
            }
        }
    }
}
