package import MDPlatform
package import MDPolicyCore
import MDPolicyFormats
package import MDPolicyModel
import MDPropertyList

/// The content of one policy directory at one moment, without what the policy record says of it.
package struct DirectoryListing: Sendable {
    /// The result of listing the directory.
    package enum State: Sendable {
        /// It is trusted, and its listing is complete.
        case listed
        /// The directory does not exist.
        case missing
        /// The directory exists and cannot be used.
        case failed(TrustError)
        /// The directory was not read, because only the policy record counts for this process.
        case ignored
    }

    package let place: PolicyDirectory
    package private(set) var state = State.ignored
    /// All names in byte order, including those that are not policy files.
    package private(set) var names: [String] = []
    /// The policy files, in byte order of their names.
    package private(set) var files: [PolicyFileInspection] = []
    /// The names that are not read, each with the reason.
    package private(set) var ignored: [IgnoredFile] = []
    /// Findings about the directory itself.
    package private(set) var problems: [Diagnostic] = []
    /// The status of the directory before it was listed; `nil` if it could not be read.
    private var status: FileStatus?
    /// The time before the directory was listed, in nanoseconds since 1970.
    private let time: Int64
    private let root: Root

    /// Makes the listing of a directory that is not read.
    package init(ignoring place: PolicyDirectory, root: Root) {
        (self.place, self.root, status, time) = (place, root, nil, 0)
    }

    /// Lists a directory and reads its policy files.
    ///
    /// - Parameters:
    ///   - place: the directory.
    ///   - root: the root.
    ///   - earlier: a listing whose policy files are not read again if they are unchanged.
    ///   - areSignaturesUsed: whether files must be signed, so that signatures are not leftovers.
    package init(
        _ place: PolicyDirectory, root: Root, after earlier: DirectoryListing? = nil,
        areSignaturesUsed: Bool
    ) {
        (self.place, self.root, time) = (place, root, Clock.now().microseconds * 1_000)
        do throws(TrustError) {
            let directory = try DirectoryListing.open(place, root: root)
            status = try directory.status()
            names = try directory.names()
            state = .listed
            problems = directory.warnings.map { warning in
                Diagnostic(
                    file: root.display(place.directory), severity: .warning, code: .groupWritable,
                    message: Diagnostic.clause(warning))
            }
            let wanted = select(areSignaturesUsed)
            let known = earlier?.settled ?? [:]
            files = Workers.map(wanted) { [root] name in
                if let file = known[Key(name)], (try? directory.status(name)) == file.status { return file }
                return PolicyFileInspection(name, in: directory, place: place, root: root)
            }
        } catch {
            state = error.isMissing ? .missing : .failed(error)
            if status != nil || error.isMissing { return }
            // If it can be opened after all, no status agrees, and the look starts over.
            let current = DirectoryListing.status(place, root)
            status = (try? DirectoryListing.open(place, root: root)) == nil ? current : nil
        }
    }

    /// Returns the names of policy files and adds the others to ``ignored``.
    private mutating func select(_ areSignaturesUsed: Bool) -> [String] {
        let hasSignatures = names.contains { PolicyFileName.signed($0) != nil }
        let known = hasSignatures ? Set(names.map { Key($0) }) : []
        var wanted: [String] = []
        wanted.reserveCapacity(names.count)
        for name in names {
            if let file = PolicyFileName.signed(name), PolicyFileName.reasonToIgnore(file) == nil {
                let reason: String? =
                    !areSignaturesUsed
                    ? "is a signature, which counts once there is a \(SignatureVerifier.ssh.trustPath)"
                    : known.contains(Key(file)) ? nil : "is the signature of \(file), which is not there"
                if let reason { ignored.append(IgnoredFile(path: place.path(name), reason: reason)) }
            } else if let reason = PolicyFileName.reasonToIgnore(name) {
                ignored.append(IgnoredFile(path: place.path(name), reason: reason))
            } else {
                wanted.append(name)
            }
        }
        return wanted
    }

    /// The files, without links, whose last change was old enough when they were read that an equal status proves equal
    /// content.
    private var settled: [Key: PolicyFileInspection] {
        let limit = time - Fingerprints.settlingTime
        let files = files.filter { file in
            file.linkTarget == nil && file.status.map { $0.changed <= limit } ?? false
        }
        return Dictionary(files.map { ($0.name, $0) }) { one, _ in one }
    }

    /// Whether the directory is unchanged since it was listed.
    var isCurrent: Bool {
        if case .ignored = state { return true }
        return DirectoryListing.status(place, root) == status
    }

    /// Whether the listing is complete and trusted.
    ///
    /// Only then does a missing name mean a removed file.
    package var isListed: Bool {
        if case .listed = state { true } else { false }
    }

    /// Whether the directory does not exist.
    var isMissing: Bool {
        if case .missing = state { true } else { false }
    }

    /// The status of a directory; `nil` if it cannot be read.
    private static func status(_ place: PolicyDirectory, _ root: Root) -> FileStatus? {
        try? root.status(place.directory, followingLinks: true)
    }

    package static func open(_ place: PolicyDirectory, root: Root) throws(TrustError) -> TrustedDirectory {
        do throws(TrustError) {
            return try root.trustedDirectory(place.directory)
        } catch {
            throw (error.isMissing ? obstacle(place, root: root) : nil) ?? error
        }
    }

    /// Why a directory cannot be opened although it, or the directory above it, exists; `nil` if neither exists.
    ///
    /// A link to a disk that is not mounted yet must not remove policy.
    private static func obstacle(_ place: PolicyDirectory, root: Root) -> TrustError? {
        for path in [place.home, place.directory] {
            guard let status = try? root.status(path, followingLinks: false) else { return nil }
            let target = status.kind == .link ? try? root.status(path, followingLinks: true) : status
            let reason: String? =
                switch target?.kind {
                case nil: status.kind == .link ? "is a link that leads to nothing" : nil
                case .directory: nil
                default: "is no directory"
                }
            if let reason { return .untrusted(path: root.display(path), reason: reason) }
        }
        return nil
    }
}

extension PolicyDirectory {
    /// The names in the directory, and warnings about its permissions.
    ///
    /// - Throws: if it does not exist, is not trusted or is not a directory.
    package func listing(in root: Root) throws(TrustError) -> (names: [String], warnings: [String]) {
        let directory = try DirectoryListing.open(self, root: root)
        return (try directory.names(), directory.warnings)
    }
}
