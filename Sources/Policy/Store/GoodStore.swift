import Platform
import PropertyList

/// The good copies of one of the two directories.
struct GoodStore: Sendable {
    /// The root.
    let root: Root
    /// The directory of the copies beneath the root; `nil` where the boot is not known that copies would belong to.
    let directory: String?
    /// The directory; `nil` where there is none yet.
    private let handle: LentDirectory?
    /// Whether files must be signed: their copies are marked then.
    var demandsSignatures = false
    /// The copies of each policy file.
    private(set) var copies: [Key: GoodCopyList] = [:]
    /// Whether there are several copies of a file.
    private(set) var hasSeveral = false
    /// What is wrong with the directory.
    private(set) var problems: [Diagnostic] = []
    /// Why the copies could not be listed; `nil` where they could, or where there are none yet.
    private(set) var failure: TrustError?

    /// Lists the copies of a place; needs no right but to read.
    init(root: Root, place: PolicyPlace) {
        self.root = root
        directory = GoodStore.directory(root: root, place: place)
        guard let directory else {
            handle = nil
            problems = [
                Diagnostic(
                    file: root.display(StorePath.good), severity: .warning, code: .notRecorded,
                    message: "the kernel does not say which boot this is, so policy of /run has no good copies")
            ]
            return
        }
        do {
            let opened = try root.trustedDirectory(directory)
            let names = try opened.names(inOrder: false)
            handle = LentDirectory(directory, in: root)
            copies.reserveCapacity(names.count)
            var count = 0
            for name in names {
                guard let copy = GoodCopy(fileName: name) else { continue }
                count += 1
                if let known = copies.updateValue(GoodCopyList(copy), forKey: copy.name) {
                    copies[copy.name] = known.adding(copy)
                }
            }
            hasSeveral = count > copies.count
        } catch {
            handle = nil
            // A missing store is one that nobody wrote yet.
            if error.isMissing { return }
            failure = error
            problems = [
                Diagnostic(
                    file: root.display(directory), code: .damagedCopy,
                    message: "the good copies cannot be used: \(error)")
            ]
        }
    }

    /// Whether there is a directory of copies, and it can be used.
    var isPresent: Bool { handle != nil }

    /// Whether what was recorded of a place still counts: what `/run` held in an earlier boot ended with it, and has no
    /// copies of this one.
    ///
    /// In a user namespace anybody can hide copies, so there all of it counts; root's commands record anew in each boot.
    func isOfNow(_ place: PolicyPlace) -> Bool {
        place == .etc || isPresent || root.isSystem && CurrentProcess.isPolicyOutside
    }

    /// Closes the directory until a copy is read.
    func rest() {
        handle?.close()
    }

    /// The directory of the copies of a place.
    ///
    /// Those of `/run` lie under the id of the boot, since that policy ends with it; a folder that stands for a machine
    /// never boots. In a user namespace anybody can mount something else where the kernel tells the id, and the newest
    /// copies count: root's commands remove those of earlier boots.
    static func directory(root: Root, place: PolicyPlace) -> String? {
        switch place {
        case .etc: return "\(StorePath.good)/etc"
        case .run:
            guard root.isSystem else { return "\(StorePath.good)/run/folder" }
            if CurrentProcess.isPolicyOutside, let newest = newestBoot(root: root) { return newest }
            return Machine.bootID().map { "\(StorePath.good)/run/\($0)" }
        }
    }

    /// The directory of the boot that copies were last stored in; `nil` where there is none.
    static func newestBoot(root: Root) -> String? {
        let parent = "\(StorePath.good)/run"
        guard let directory = try? root.trustedDirectory(parent), let names = try? directory.names() else { return nil }
        let boots = names.compactMap { name in (try? directory.status(name)).map { (name, $0.modified) } }
        return boots.max { $0.1 < $1.1 }.map { "\(parent)/\($0.0)" }
    }

    /// The digest of the newest copy of a file; `nil` where there is none.
    func newest(_ name: Key) -> Digest? { copies[name]?.newest.digest }

    /// Whether the newest copy of a file has these bytes, and is marked as signed where that is asked for.
    func isRecorded(_ name: Key, digest: Digest) -> Bool {
        guard let copy = copies[name]?.newest, copy.digest == digest else { return false }
        return copy.isSigned || !demandsSignatures
    }

    /// Reads the newest undamaged copy of a file.
    ///
    /// - Returns: the policy, or `nil` without an undamaged copy; and what is wrong with copies that are damaged.
    func read(_ name: Key, path: String) -> (policy: PolicyFile?, problems: [Diagnostic]) {
        var problems: [Diagnostic] = []
        // While signatures are asked for, only what is signed is copied. A copy without a mark is older, and was in force
        // when they began to be asked for: it stays until there is a signed one.
        let all = copies[name]?.all ?? []
        for copy in all.filter(\.isSigned) + all.filter({ !$0.isSigned }) {
            switch check(copy, path: path) {
            case .success(let policy): return (policy, problems)
            case .failure(let problem): problems.append(problem)
            }
        }
        return (nil, problems)
    }

    /// Whether a copy of a file that has this digest is of one whose signature was good.
    func isSigned(_ name: Key, digest: Digest) -> Bool {
        (copies[name]?.all ?? []).contains { $0.digest == digest && $0.isSigned }
    }

    /// The bytes of a copy of a file that has this digest; `nil` where there is none that is whole.
    func bytes(of name: Key, digest: Digest) -> [UInt8]? { file(of: name, digest: digest)?.bytes }

    /// A copy of a file that has this digest; `nil` where there is none that is whole.
    func file(of name: Key, digest: Digest) -> TrustedFile? {
        for copy in copies[name]?.all ?? [] where copy.digest == digest {
            if let file = try? handle?.read(copy.fileName, limit: PolicyFile.limits.bytes),
                SHA256.hash(file.bytes) == digest
            {
                return file
            }
        }
        return nil
    }

    /// What is wrong with a copy of a file whose bytes are at hand, and have the digest in the copy's name.
    func objection(to copy: GoodCopy, of bytes: [UInt8]) -> Diagnostic? {
        switch read(copy) {
        case .success(let own): GoodStore.areSame(own, bytes) ? nil : problem(copy, GoodStore.damage)
        case .failure(let problem): problem
        }
    }

    /// Whether two files have the same bytes, compared eight at a time.
    private static func areSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        // Both are read within their bounds, and only while they are lent.
        return unsafe left.withUnsafeBytes { left in
            unsafe right.withUnsafeBytes { right in
                var offset = 0
                while left.count - offset >= 8 {
                    let one = unsafe left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    let other = unsafe right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    if one != other { return false }
                    offset += 8
                }
                return unsafe left[offset...].elementsEqual(right[offset...])
            }
        }
    }

    /// What is said of a copy whose bytes are others.
    private static let damage =
        "the good copy is damaged: its bytes do not have the digest in its name; it is not used"

    /// Reads one copy and holds it to its digest.
    private func check(_ copy: GoodCopy, path: String) -> Result<PolicyFile, Diagnostic> {
        read(copy).flatMap { bytes in
            guard SHA256.hash(bytes) == copy.digest else { return .failure(problem(copy, GoodStore.damage)) }
            let parsed = PolicyFile.parse(bytes: bytes, path: path, shownPath: shown(copy), digest: copy.digest)
            guard let policy = parsed.file else {
                let message = "the good copy is of a format that this version does not read; it is not used"
                return .failure(problem(copy, message))
            }
            return .success(policy)
        }
    }

    /// Reads the bytes of a copy.
    private func read(_ copy: GoodCopy) -> Result<[UInt8], Diagnostic> {
        guard let handle else { return .failure(problem(copy, "the good copy cannot be read")) }
        do {
            return .success(try handle.read(copy.fileName, limit: PolicyFile.limits.bytes).bytes)
        } catch {
            return .failure(problem(copy, "the good copy cannot be used: \(error)"))
        }
    }

    /// A finding about a copy.
    private func problem(_ copy: GoodCopy, _ message: String) -> Diagnostic {
        Diagnostic(file: shown(copy), code: .damagedCopy, message: message)
    }

    /// The path of a copy as people are shown it.
    private func shown(_ copy: GoodCopy) -> String {
        root.display("\(directory ?? StorePath.good)/\(copy.fileName)")
    }
}

extension Diagnostic: Error {}
