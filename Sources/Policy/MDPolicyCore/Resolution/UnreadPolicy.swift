package import MDPlatform
import MDPolicyModel
package import MDPropertyList

/// A policy file that an engine of another version recorded as good, and that this one cannot read.
package struct UnreadPolicy: Hashable, Sendable {
    /// The digest of its bytes.
    package let digest: Digest
    /// The domains that it names; `nil` if these cannot be read either, so that it may be any.
    package let domains: Set<Key>?
    /// The version of ManagedDefaults that reads it; `nil` if it is unknown.
    package let reader: String?
    /// The path beneath the root.
    let path: String

    /// Makes the description of a file.
    package init(_ path: String, digest: Digest, domains: Set<Key>?, reader: String?) {
        (self.path, self.digest, self.domains, self.reader) = (path, digest, domains, reader)
    }

    /// Why policy is unknown, as a clause.
    var reason: String { "\(path) \(EngineVersion.need(of: reader))" }

    /// What follows for the file, as a clause.
    var consequence: String {
        let names = domains.map { " in \($0.sorted().map(\.string).joined(separator: ", "))" } ?? ""
        return "this file \(EngineVersion.need(of: reader)): what is forced\(names) is unknown"
    }
}

extension PolicyKnowledge {
    /// What is known besides the files that this engine cannot read.
    ///
    /// - Parameters:
    ///   - failure: why policy is unknown, as a clause; `nil` if the rest of it is known.
    ///   - unread: these files.
    package init(failure: String?, unread: [UnreadPolicy]) {
        var domains: [Key: String] = [:]
        for file in unread {
            for domain in file.domains ?? [] where domains[domain] == nil { domains[domain] = file.reason }
        }
        self.init(failure: failure ?? unread.first { $0.domains == nil }?.reason, domains: domains)
    }
}
