import Preferences
import PropertyList

/// What people write for a domain.
enum DomainWord {
    /// What Apple's tool calls the global domain in its answers.
    static let globalTitle = "Apple Global Domain"

    /// What the global domain is called in code.
    private static let anyApplication = "kCFPreferencesAnyApplication"

    /// The suffix of a domain's file.
    private static let suffix = ".plist"

    /// Whether a word names another domain than the one of exactly this name, which there may be in policy as well.
    static func isAmbiguous(_ word: String) -> Bool {
        word == anyApplication || (word.hasSuffix(suffix) && key(word) != Key(word))
    }

    /// The domain that a word names; the global one has a name in scripts, one in answers, one in code and one on disk.
    ///
    /// As with Apple's tool, the name of a domain's file means the domain.
    static func key(_ word: String) -> Key {
        let word =
            word.hasSuffix(suffix) && word.utf8.count > suffix.utf8.count ? String(word.dropLast(suffix.count)) : word
        return switch word {
        case "-g", "-globalDomain", globalTitle, anyApplication, ".GlobalPreferences": DomainName.global
        default: Key(word)
        }
    }

    /// A domain as Apple's tool shows it where it shows what its code calls it.
    static func codeName(_ domain: Key) -> String {
        domain == DomainName.global ? anyApplication : domain.string
    }

    /// A domain as Apple's tool shows it.
    static func title(_ domain: Key) -> String {
        domain == DomainName.global ? globalTitle : domain.string
    }
}
