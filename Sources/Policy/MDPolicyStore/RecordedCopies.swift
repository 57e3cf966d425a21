package import MDPlatform
import MDPolicyCore
import MDPolicyFormats
package import MDPolicyModel
package import MDPropertyList

/// The recorded copies of policy files, each named by its digest.
package struct RecordedCopies: Sendable {
    package let root: Root

    package init(root: Root) {
        self.root = root
    }

    private static func path(_ digest: Digest) -> String { "\(StorePath.good)/\(digest.hex)" }

    /// Why a copy cannot be used.
    package enum Failure: Error {
        /// The copy is unreadable, untrusted or damaged.
        case lost(Diagnostic)
        /// The copy is as it was recorded, and this engine cannot read it; the domains that it names, `nil` if these
        /// cannot be read either.
        case unread(Set<Key>?)
        /// A resource of the process or machine is exhausted, so the copy may still be good.
        case shortage(SystemError)
    }

    /// Reads the bytes of a copy and verifies their digest.
    ///
    /// - Parameters:
    ///   - digest: its digest.
    ///   - directory: the open directory of the copies, if the caller reads many of them.
    /// - Returns: the bytes.
    /// - Throws: why the copy cannot be used.
    package func bytes(_ digest: Digest, in directory: TrustedDirectory? = nil) throws(Failure) -> [UInt8] {
        let content: [UInt8]
        do throws(TrustError) {
            if let directory {
                content = try directory.read(digest.hex, limit: PolicyFile.limits.bytes).bytes
            } else {
                content = try root.readTrusted(RecordedCopies.path(digest), limit: PolicyFile.limits.bytes).bytes
            }
        } catch {
            if case .system(let cause) = error, cause.isShortage { throw .shortage(cause) }
            throw .lost(problem(digest, "the copy of what was in force cannot be used: \(error)"))
        }
        guard SHA256.hash(content) == digest else {
            throw .lost(problem(digest, "the copy is damaged: its bytes do not have the digest in its name"))
        }
        return content
    }

    /// Reads and parses a copy.
    ///
    /// - Parameters:
    ///   - digest: its digest.
    ///   - path: the path of the file that it is a copy of.
    /// - Returns: the policy file.
    /// - Throws: why the copy cannot be used.
    package func policy(_ digest: Digest, path: String) throws(Failure) -> PolicyFile {
        let content = try bytes(digest)
        let shown = root.display(RecordedCopies.path(digest))
        guard let policy = PolicyFile.parse(bytes: content, path: path, shownPath: shown, digest: digest).file else {
            throw .unread(PolicyFile.namedDomains(bytes: content, path: path))
        }
        return policy
    }

    /// The findings about the copies that a policy record refers to.
    ///
    /// Complexity: each copy is read.
    package func faults(of record: PolicyRecord) -> [Diagnostic] {
        let directory = try? root.trustedDirectory(StorePath.good)
        return Workers.map(Array(record.digests)) { digest -> Diagnostic? in
            do throws(Failure) {
                _ = try bytes(digest, in: directory)
                return nil
            } catch {
                switch error {
                case .lost(let problem): return problem
                case .unread: return nil
                case .shortage(let cause): return problem(digest, "the copy cannot be read: \(cause)")
                }
            }
        }.compactMap { $0 }.sorted()
    }

    private func problem(_ digest: Digest, _ message: String) -> Diagnostic {
        Diagnostic(file: root.display(RecordedCopies.path(digest)), code: .damagedCopy, message: message)
    }
}

/// Changes that only recording commands make, under the lock.
extension RecordedCopies {
    /// Writes copies that are missing or damaged, and syncs them and their names to disk.
    ///
    /// - Parameter copies: the bytes by their digest.
    /// - Throws: the error of the first copy that could not be written; the others are still written.
    package func store(_ copies: [Digest: [UInt8]]) throws(SystemError) {
        let directory = try? root.trustedDirectory(StorePath.good)
        let missing = Workers.map(copies.map { $0 }) { digest, content in
            directory?.holds(content, in: digest.hex) == true ? nil : (digest, content)
        }.compactMap { $0 }
        if missing.isEmpty { return }
        try root.createDirectory(StorePath.good, mode: 0o755)
        var failure: SystemError?
        for (digest, content) in missing.sorted(by: { $0.0.hex < $1.0.hex }) {
            do throws(SystemError) {
                try root.replace(RecordedCopies.path(digest), with: content, mode: 0o644, syncsDirectory: false)
            } catch {
                failure = failure ?? error
            }
        }
        try root.syncDirectory(StorePath.good)
        if let failure { throw failure }
    }

    /// Removes every copy whose digest is not in a set.
    package func removeAll(except digests: Set<Digest>) throws(SystemError) {
        let names: [String]
        do throws(SystemError) {
            names = try root.names(in: StorePath.good)
        } catch {
            if error.isMissing { return }
            throw error
        }
        for name in names {
            // A file that is not a copy stays, because this program did not write it.
            guard let digest = Digest(hex: name), !digests.contains(digest) else { continue }
            try root.remove("\(StorePath.good)/\(name)")
        }
    }
}
