import MDEngine

extension ManagedDefaults.WriteOutcome {
    /// Why a key or a value can never be stored: the program has to change it.
    public enum InvalidReason: Sendable, Hashable, CustomStringConvertible {
        /// The key is empty. No policy file can name that key, so it could not be managed.
        case emptyKey
        /// The value of the key is of a type that is no property list.
        case notPropertyList(key: String, type: String)
        /// The value of the key, or the value whose properties are settings (`nil`), cannot be encoded.
        case notEncodable(key: String?, reason: String)
        /// The URL for the key could not be read back.
        case unreadableURL(key: String)
        /// No domain can have the name; the second text is a sentence that gives the reason.
        case domainName(String, reason: String)
        /// A volatile or persistent domain has the name already.
        case domainExists(String)

        /// A sentence for a log.
        public var description: String {
            switch self {
            case .emptyKey: "The key is empty, so nothing was stored."
            case .notPropertyList(let key, let type):
                """
                The value for \(key) is of the type \(type), which is no property list. A Codable type is stored with a \
                ManagedDefaults.Key.
                """
            case .notEncodable(let key?, let reason): "The value for \(key) cannot be encoded. \(reason)"
            case .notEncodable(nil, let reason): "The settings cannot be encoded. \(reason)"
            case .unreadableURL(let key): "The URL for \(key) could not be read back, so it was not stored."
            case .domainName(_, let reason): reason
            case .domainExists(let name): "A domain with the name \(name) exists already, so nothing was stored."
            }
        }
    }

    /// Why nothing can be stored at present, in a sentence for a log; a later write may succeed.
    public enum UnavailableReason: Sendable, Hashable, CustomStringConvertible {
        /// Policy is unknown, so it is unknown whether the key is forced.
        case unknownPolicy(String)
        /// The write is inside of the function that an update of the same user calls.
        case nestedUpdate(String)
        /// The user has no account.
        case noAccount(String)
        /// The preference file cannot be read, locked or replaced.
        case file(String)

        /// Translates the obstacle of an engine.
        init(_ obstacle: WriteObstacle, _ sentence: String) {
            self =
                switch obstacle {
                case .unknownPolicy: .unknownPolicy(sentence)
                case .nestedUpdate: .nestedUpdate(sentence)
                case .noAccount: .noAccount(sentence)
                case .file: .file(sentence)
                }
        }

        /// A sentence for a log.
        public var description: String {
            switch self {
            case .unknownPolicy(let sentence), .nestedUpdate(let sentence), .noAccount(let sentence),
                .file(let sentence):
                sentence
            }
        }
    }
}
