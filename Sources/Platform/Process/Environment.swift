import Glibc

/// The process's environment, which belongs to the user: it may say where the user's own files are, never more.
package enum Environment {
    /// The values of some variables; those that are not set, or no UTF-8, are left out.
    package static func values(of names: [String]) -> [String: String] {
        var result: [String: String] = [:]
        for name in names {
            // getenv's text stays valid until the environment is changed; it is copied at once.
            guard let text = unsafe getenv(name), let value = unsafe String(validatingCString: text) else { continue }
            result[name] = value
        }
        return result
    }
}
