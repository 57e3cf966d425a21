package import ConformanceTable
package import Foundation

/// Foundation's own objects.
package struct FoundationMaker: UserDefaultsMaker {
    /// Makes a maker.
    package init() {}

    /// The shared object.
    package var standard: UserDefaults { .standard }

    /// Forgets the shared object.
    package func reset() { UserDefaults.resetStandardUserDefaults() }

    /// A new object.
    package func make(_ kind: String, _ name: String) throws -> UserDefaults? {
        switch kind {
        case "init": return UserDefaults()
        case "suite": return UserDefaults(suiteName: name)
        default: throw Missing("init(user:)")
        }
    }

    /// Foundation has no way to refuse.
    package func takeRefusal() -> String? { nil }

    /// Names the members that Foundation on Linux does not have.
    package func special(_ request: inout Request, _ defaults: UserDefaults) throws -> Answer? {
        switch request.operation {
        case "searchlist", "setsearchlist": throw Missing("searchList")
        case "persistentnames": throw Missing("persistentDomainNames")
        case "watch", "watched": throw Missing("key-value observing")
        default: return nil
        }
    }
}
