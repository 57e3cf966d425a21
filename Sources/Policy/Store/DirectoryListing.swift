import Platform
import PropertyList

/// What one of the two policy directories holds at one moment, each name by itself, and nothing of what was recorded of it.
struct DirectoryListing: Sendable {
    /// What became of listing the directory.
    enum State: Sendable {
        /// It is trusted, and its listing is complete.
        case listed
        /// Nothing has its name.
        case missing
        /// It is there, and cannot be used.
        case failed(TrustError)
        /// Only what was recorded of it counts for this process, so it was not looked at.
        case ignored
    }

    /// Which directory.
    let place: PolicyPlace
    /// What became of listing it.
    private(set) var state = State.ignored
    /// The names, in byte order, those included that are no policy.
    private(set) var names: [String] = []
    /// The policy files, in byte order of their names.
    private(set) var files: [SourceFile] = []
    /// The names that are not read, and why.
    private(set) var ignored: [IgnoredFile] = []
    /// What is wrong with the directory.
    private(set) var problems: [Diagnostic] = []
    /// What the kernel said of the directory before it was listed; `nil` if it could not be asked about.
    private let fingerprint: Fingerprint?
    /// The root.
    private let root: Root

    /// Makes the listing of a directory that was not looked at.
    init(ignoring place: PolicyPlace, root: Root) {
        (self.place, self.root, fingerprint) = (place, root, nil)
    }

    /// Lists a directory and reads its policy files.
    ///
    /// - Parameters:
    ///   - place: which directory.
    ///   - root: the root.
    ///   - isSpread: whether threads may help.
    ///   - areSignaturesUsed: whether files must be signed, so that signatures are no leftovers.
    init(_ place: PolicyPlace, root: Root, isSpread: Bool, areSignaturesUsed: Bool) {
        (self.place, self.root) = (place, root)
        fingerprint = DirectoryListing.fingerprint(place, root)
        do throws(TrustError) {
            let directory = try DirectoryListing.open(place, root: root)
            names = try directory.names()
            state = .listed
            problems = directory.warnings.map { warning in
                Diagnostic(
                    file: root.display(place.directory), severity: .warning, code: .groupWritable,
                    message: Diagnostic.clause(warning))
            }
            let wanted = select(areSignaturesUsed)
            files = Workers.map(wanted, isSpread: isSpread) { [root] name in
                SourceFile(name, in: directory, place: place, root: root)
            }
        } catch {
            state = error.isMissing ? .missing : .failed(error)
        }
    }

    /// The names of policy files; the others are listed as ignored.
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

    /// Whether the directory is still as it was when it was listed.
    var isCurrent: Bool {
        if case .ignored = state { return true }
        return DirectoryListing.fingerprint(place, root) == fingerprint
    }

    /// Whether the complete listing of a trusted directory was had: only then a missing name is a removed file.
    var isListed: Bool {
        if case .listed = state { true } else { false }
    }

    /// What the kernel says of a directory; `nil` if it cannot be asked about.
    private static func fingerprint(_ place: PolicyPlace, _ root: Root) -> Fingerprint? {
        (try? root.status(place.directory, followingLinks: true)).map { Fingerprint($0) }
    }

    /// Opens a directory.
    static func open(_ place: PolicyPlace, root: Root) throws(TrustError) -> TrustedDirectory {
        do throws(TrustError) {
            return try root.trustedDirectory(place.directory)
        } catch {
            throw (error.isMissing ? obstacle(place, root: root) : nil) ?? error
        }
    }

    /// Why a directory cannot be had although something has its name, or that of the directory above it; `nil` if nothing
    /// has.
    ///
    /// A link to a disk that is not mounted yet removes no policy.
    private static func obstacle(_ place: PolicyPlace, root: Root) -> TrustError? {
        for path in [place.home, place.directory] {
            guard let status = try? root.status(path, followingLinks: false) else { return nil }
            let target = try? root.status(path, followingLinks: true)
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
