import Preferences
import PropertyList

/// What people write for a domain.
enum DomainWord {
    /// The domain that a word names: `-g`, `-globalDomain` and Apple's spelling are NSGlobalDomain.
    static func key(_ word: String) -> Key {
        switch word {
        case "-g", "-globalDomain", "Apple Global Domain": DomainName.global
        default: Key(word)
        }
    }
}
