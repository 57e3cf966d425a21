package import ConformanceTable
package import Foundation

/// How objects are made, and what only some subjects can do.
package protocol UserDefaultsMaker {
    /// The shared object.
    var standard: UserDefaults { get throws }

    /// Forgets the shared object.
    func reset()

    /// A new object.
    ///
    /// - Parameters:
    ///   - kind: `init`, `user` or `suite`.
    ///   - name: the user or the suite.
    /// - Returns: the object; `nil` where the subject refuses to make it.
    /// - Throws: ``Missing`` where there is no such initializer.
    func make(_ kind: String, _ name: String) throws -> UserDefaults?

    /// Why the last write was refused, once; `nil` where it was not, and where a subject has no way to say so.
    func takeRefusal() -> String?

    /// Does what only some subjects can; `nil` for an operation that is none of those.
    func special(_ request: inout Request, _ defaults: UserDefaults) throws -> Answer?
}
