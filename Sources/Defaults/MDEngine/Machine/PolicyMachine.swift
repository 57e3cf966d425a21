package import MDPlatform
package import MDPolicyCore

/// One machine, real or a folder, or what is known of another one, for as long as a program uses it.
///
/// What changes on it is a value of its own: ``policy(at:)`` is what is in force at one moment.
package final class PolicyMachine: Sendable {
    /// The root of the machine: one for all readings, which then need no descriptor each for the folder.
    package let root: Root
    /// The facts of another host, if one is asked about: then the stored values of users are unknown.
    package let facts: HostFacts?
    /// The name of the host that is asked for; `nil` for the machine's own.
    let requestedHost: String?
    /// The entries that stand for others, which commands expand and applications do not.
    let expansion: PolicyExpansion?

    /// Names a machine; nothing of it is read yet.
    ///
    /// - Parameters:
    ///   - root: the file tree of the machine.
    ///   - host: the host to ask for; `nil` for the machine's own name.
    ///   - facts: what is known of another host that is asked for; `nil` for the machine itself.
    ///   - expansion: the entries that stand for others; `nil` if they are not expanded.
    package init(
        root: Root, host: String? = nil, facts: HostFacts? = nil, expanding expansion: PolicyExpansion? = nil
    ) {
        (self.root, self.facts, requestedHost, self.expansion) = (root, facts, host, expansion)
    }

    /// Names a machine by its folder.
    ///
    /// - Parameter folder: the folder of `--root`; `nil` for this machine.
    /// - Throws: `root` if the folder cannot be opened.
    package convenience init(folder: String?) throws(SessionError) {
        self.init(root: try PolicyMachine.root(of: folder))
    }

    /// Opens a folder that is used as `/`.
    ///
    /// - Parameter folder: the folder of `--root`; `nil` for this machine.
    /// - Returns: its file tree.
    /// - Throws: `root` if the folder cannot be opened.
    package static func root(of folder: String?) throws(SessionError) -> Root {
        guard let folder else { return .system }
        do throws(SystemError) {
            return try Root(directory: folder)
        } catch {
            throw .root(error)
        }
    }

    /// The policy of the machine at a moment.
    ///
    /// - Parameters:
    ///   - time: the moment to ask for; `nil` for now.
    ///   - known: the policy files, if the caller has just read them.
    /// - Returns: the policy.
    package func policy(at time: Timestamp? = nil, known: PolicySet? = nil) -> PolicyInForce {
        PolicyInForce(of: self, at: time, known: known)
    }
}
