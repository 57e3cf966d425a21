import Platform
import PropertyList

/// The copies of what was in force, each under its digest.
struct GoodCopies: Sendable {
    /// The root.
    let root: Root

    /// The path of a copy.
    private static func path(_ digest: Digest) -> String { "\(StorePath.good)/\(digest.hex)" }

    /// Why a copy is of no use.
    enum Failure: Error {
        /// It cannot be read, is not trusted, is damaged or is of a format that this version does not read.
        case lost(Diagnostic)
        /// The process or the machine lacks something to read it.
        case shortage(SystemError)
    }

    /// Reads the bytes of a copy.
    ///
    /// - Parameters:
    ///   - digest: its digest.
    ///   - directory: the directory of the copies, if the caller holds it open for many of them.
    /// - Returns: the bytes.
    /// - Throws: why the copy is of no use.
    func bytes(_ digest: Digest, in directory: TrustedDirectory? = nil) throws(Failure) -> [UInt8] {
        let content: [UInt8]
        do throws(TrustError) {
            if let directory {
                content = try directory.read(digest.hex, limit: PolicyFile.limits.bytes).bytes
            } else {
                content = try root.readTrusted(GoodCopies.path(digest), limit: PolicyFile.limits.bytes).bytes
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

    /// Reads a copy.
    ///
    /// - Parameters:
    ///   - digest: its digest.
    ///   - path: the path of the file that it is a copy of.
    /// - Returns: what it says.
    /// - Throws: why it is of no use.
    func policy(_ digest: Digest, path: String) throws(Failure) -> PolicyFile {
        let content = try bytes(digest)
        let shown = root.display(GoodCopies.path(digest))
        guard let policy = PolicyFile.parse(bytes: content, path: path, shownPath: shown, digest: digest).file else {
            throw .lost(problem(digest, "the copy is of a format that this version does not read"))
        }
        return policy
    }

    /// What is wrong with the copies that a record speaks of.
    ///
    /// Complexity: each copy is read.
    func faults(of record: PolicyRecord) -> [Diagnostic] {
        let directory = try? root.trustedDirectory(StorePath.good)
        return record.digests.sorted { $0.hex < $1.hex }.compactMap { digest in
            do throws(Failure) {
                _ = try bytes(digest, in: directory)
                return nil
            } catch {
                switch error {
                case .lost(let problem): return problem
                case .shortage(let cause): return problem(digest, "the copy cannot be read: \(cause)")
                }
            }
        }
    }

    /// A finding about a copy.
    private func problem(_ digest: Digest, _ message: String) -> Diagnostic {
        Diagnostic(file: root.display(GoodCopies.path(digest)), code: .damagedCopy, message: message)
    }
}

/// What only recording verbs do, under the lock.
extension GoodCopies {
    /// Writes copies that are missing or damaged, and waits until they and their names are on disk.
    ///
    /// - Parameter copies: the bytes by their digest.
    /// - Throws: what the system says of the first copy that could not be written; the others are written all the same.
    func store(_ copies: [Digest: [UInt8]]) throws(SystemError) {
        let directory = try? root.trustedDirectory(StorePath.good)
        let missing = copies.filter { digest, _ in (try? bytes(digest, in: directory)) == nil }
        if missing.isEmpty { return }
        try root.createDirectory(StorePath.good, mode: 0o755)
        var failure: SystemError?
        for (digest, content) in missing.sorted(by: { $0.key.hex < $1.key.hex }) {
            do throws(SystemError) {
                try root.replace(GoodCopies.path(digest), with: content, mode: 0o644, syncsDirectory: false)
            } catch {
                failure = failure ?? error
            }
        }
        try root.syncDirectory(StorePath.good)
        if let failure { throw failure }
    }

    /// Removes every copy that the record on the disk does not speak of.
    func removeAll(except digests: Set<Digest>) throws(SystemError) {
        let names: [String]
        do throws(SystemError) {
            names = try root.names(in: StorePath.good)
        } catch {
            if error.isMissing { return }
            throw error
        }
        for name in names {
            // A file that is not a copy stays; it is not the program's.
            guard let digest = Digest(hex: name), !digests.contains(digest) else { continue }
            try root.remove("\(StorePath.good)/\(name)")
        }
    }
}
