/// The versions of the engine, which programs link: a machine may have programs of many.
package enum EngineVersion {
    /// The version of this engine, which is that of the package it comes with.
    package static let current = "0.1.0"

    /// What is needed to read something that another engine recorded as good, as the end of a clause.
    ///
    /// - Parameter version: the version that reads it; `nil` for one that did not record versions yet.
    /// - Returns: the clause from its verb on.
    package static func need(of version: String?) -> String {
        let known = version.map { "ManagedDefaults \($0)" } ?? "an earlier ManagedDefaults"
        return "needs \(known), which recorded it, and this is ManagedDefaults \(current)"
    }
}
