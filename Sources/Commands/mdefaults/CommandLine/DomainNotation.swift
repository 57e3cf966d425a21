import MDPreferences
import MDPropertyList

/// How command lines and answers spell domains.
///
/// The global domain has a name in scripts, one in answers, one in code and one on disk. As with Apple's tool, the name
/// of a domain's file means the domain.
enum DomainNotation {
    /// The name of the global domain in answers of Apple's tool.
    static let globalTitle = "Apple Global Domain"

    /// The name of the global domain in code.
    private static let anyApplication = "kCFPreferencesAnyApplication"

    /// The suffix of a domain's file.
    private static let suffix = ".plist"

    /// Whether a word means another domain than the one of exactly this name, which policy may have as well.
    static func isAmbiguous(_ word: String) -> Bool {
        word == anyApplication || (word.hasSuffix(suffix) && domain(word) != Key(word))
    }

    /// Resolves a word to the domain that it means.
    static func domain(_ word: String) -> Key {
        let word =
            word.hasSuffix(suffix) && word.utf8.count > suffix.utf8.count ? String(word.dropLast(suffix.count)) : word
        return switch word {
        case "-g", "-globalDomain", globalTitle, anyApplication, ".GlobalPreferences": DomainName.global
        default: Key(word)
        }
    }

    /// The name of a domain in those answers of Apple's tool that use the names of its code.
    static func codeName(_ domain: Key) -> String {
        domain == DomainName.global ? anyApplication : domain.string
    }

    /// The name of a domain in the other answers of Apple's tool.
    static func title(_ domain: Key) -> String {
        domain == DomainName.global ? globalTitle : domain.string
    }
}
