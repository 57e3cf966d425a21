package import MDPlatform

/// A question to the audit service, for the rare cases that wait for the answer.
package enum ServiceQuestion {
    /// Asks for the identity of this process, as the kernel sees it outside of every user namespace.
    ///
    /// - Parameter root: the root that the service belongs to.
    /// - Returns: `nil` if no service listens, or none answers within 2 s.
    package static func identity(of root: Root) -> ServiceIdentity? {
        guard case .identity(let identity)? = ServiceConnection.shared(of: root).ask(.identity) else { return nil }
        return identity
    }

    /// Asks the service whether it is well, for 2 s at most.
    ///
    /// - Parameter root: the root that the service belongs to.
    /// - Returns: what it says, or that it says nothing.
    package static func health(of root: Root) -> ServiceHealth {
        switch ServiceConnection.shared(of: root).ask(.health) {
        case .health?: .well
        case .unavailable(let reason)?: .unable(reason)
        default: .silent
        }
    }

    /// Asks which programs have a connection to the service, with the versions of their engines.
    ///
    /// - Parameter root: the root that the service belongs to.
    /// - Returns: the programs, and how many more there are; `nil` without an answer.
    package static func engines(of root: Root) -> (programs: [ConnectedProgram], more: Int)? {
        guard case .engines(let programs, let more)? = ServiceConnection.shared(of: root).ask(.engines) else {
            return nil
        }
        return (programs, more)
    }

    /// Asks which set-once marks of a user the service remembers, and tells it to remember all if that is wanted.
    ///
    /// - Parameters:
    ///   - marks: the marks.
    ///   - request: what the service is to do with them.
    ///   - user: the user; `nil` for the one of this process.
    ///   - root: the root that the service belongs to.
    /// - Returns: those that it remembered before.
    package static func marks(
        _ marks: [SetOnceMark], _ request: MarkRequest, of user: UInt32?, _ root: Root
    ) -> MarkMemory {
        let connection = ServiceConnection.shared(of: root)
        guard connection.open(waiting: ServiceConnection.turn) else { return isPresent(root) ? .unknown : .noService }
        var known = Set<SetOnceMark>()
        var rest = marks[...]
        while !rest.isEmpty {
            let part = batch(rest)
            rest = rest.dropFirst(part.count)
            guard case .marks(let bits)? = connection.ask(.marks(part, request, of: user)), bits.count == part.count
            else { return .unknown }
            for (mark, isKnown) in zip(part, bits) where isKnown { known.insert(mark) }
        }
        return .marks(known)
    }

    /// Whether the socket of a service is there, also if nothing listens on it now.
    private static func isPresent(_ root: Root) -> Bool {
        do {
            _ = try root.status(ServiceProtocol.socketPath, followingLinks: false)
            return true
        } catch {
            return !error.isMissing
        }
    }

    /// The first marks, as many as a message holds; one at least.
    private static func batch(_ marks: ArraySlice<SetOnceMark>) -> [SetOnceMark] {
        var (part, size): ([SetOnceMark], Int) = ([], 64)
        for mark in marks.prefix(ServiceProtocol.mostMarks) {
            size += mark.line.count + 1
            if size > ServiceProtocol.longestMessage, !part.isEmpty { break }
            part.append(mark)
        }
        return part
    }
}

/// What the audit service says of itself.
package enum ServiceHealth: Hashable, Sendable {
    /// It stores what it is sent.
    case well
    /// It can store nothing; the reason is a clause.
    case unable(String)
    /// It does not answer, or does not run.
    case silent
}
