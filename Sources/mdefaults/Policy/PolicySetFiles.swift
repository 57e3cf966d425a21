import Platform
import Policy

/// The policy files of a set: a folder of them, or a single one.
struct PolicySetFiles {
    /// A file of a set.
    struct File {
        /// Its name.
        let name: String
        /// Its content.
        let bytes: [UInt8]
        /// The signature beside it, where there is one and somebody asks for it.
        let signature: [UInt8]?
        /// Its path as people are shown it.
        let shownPath: String
    }

    /// Where sets have names.
    private static let home = "/etc/managed-defaults/sets.d"
    /// The suffixes of policy files.
    private static let suffixes = [".json", ".plist", ".mobileconfig"]
    /// The most bytes of a file, as of any policy file.
    private static let limit = 16 << 20

    /// The name of the set.
    let name: String
    /// The files in byte order of their names, never none.
    private(set) var files: [File] = []
    /// A sentence for each name of the folder that is not read.
    private(set) var ignored: [String] = []
    /// Whether signatures are read.
    private let isSigned: Bool

    /// Reads a set, by the rules of trust.
    ///
    /// - Parameters:
    ///   - word: its name, or with a slash in it, its path on the running system.
    ///   - root: the machine.
    ///   - isSigned: whether the signatures beside its files are read.
    /// - Throws: exit 2 for what can be no name, exit 4 for what cannot be read or is not trusted, exit 5 where there is
    ///   no policy file.
    init(_ word: String, root: Root, isSigned: Bool) throws(Failure) {
        name = try PolicySetFiles.name(of: word)
        self.isSigned = isSigned
        do throws(TrustError) {
            if word.utf8.contains(UInt8(ascii: "/")) {
                let (place, path) = try PolicySetFiles.place(of: word, for: root)
                try read(place, path, suffixes: [""])
            } else {
                try read(root, "\(PolicySetFiles.home)/\(word)", suffixes: [""] + PolicySetFiles.suffixes)
            }
        } catch {
            let names = PolicySetFiles.names(in: root)
            if error.isMissing, !word.utf8.contains(UInt8(ascii: "/")), !names.isEmpty {
                let known = names.map(Printable.escape).joined(separator: ", ")
                throw Failure(
                    code: .inputOutput, message: "There is no set \(Printable.escape(word)). There are: \(known).")
            }
            throw Failure(code: .inputOutput, message: "The set \(Printable.escape(word)) cannot be read: \(error).")
        }
        guard !files.isEmpty else {
            throw Failure(code: .badInput, message: "There is no policy file in the set \(Printable.escape(word)).")
        }
    }

    /// The names of the sets of a machine, in byte order; none where they cannot be listed.
    private static func names(in root: Root) -> [String] {
        var names: [String] = []
        for name in (try? root.trustedNames(in: home)) ?? [] where TemporaryPolicy.signed(name) == nil {
            guard let set = try? self.name(of: name), !names.contains(set) else { continue }
            names.append(set)
        }
        return names
    }

    /// The name of a set that a word means: the last name of a path, without the suffix of a policy file.
    static func name(of word: String) throws(Failure) -> String {
        var bytes = word.utf8[...]
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        var name = CallerPath.split(String(Substring(bytes))).name
        if let suffix = suffixes.first(where: { name.hasSuffix($0) }) { name = String(name.dropLast(suffix.count)) }
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isName, (1...64).contains(name.utf8.count) else {
            throw .usage(
                "\(Printable.escape(word)) does not name a set: a name has letters, digits, _ and - only.",
                of: PolicyExamVerb.self)
        }
        return name
    }

    /// Where a path of the running system lies, with the rule of trust that holds there: that of the system, and for the
    /// machine that a folder stands for, that the folder's owner owns the set.
    private static func place(of word: String, for machine: Root) throws(TrustError) -> (Root, String) {
        do throws(SystemError) {
            let path = try CallerPath.absolute(word)
            if machine.isSystem { return (.system, path) }
            if try Root.system.status(path, followingLinks: true).kind == .directory {
                let folder = try Root(directory: path)
                if folder.owner == machine.owner { return (folder, "/") }
                throw PolicySetFiles.stranger(path, folder.owner, machine)
            }
            let (parent, name) = CallerPath.split(path)
            let folder = try Root(directory: parent)
            if folder.owner == machine.owner { return (folder, "/\(name)") }
            throw PolicySetFiles.stranger(parent, folder.owner, machine)
        } catch {
            throw .system(error)
        }
    }

    /// The refusal of a folder that belongs to somebody else.
    private static func stranger(_ path: String, _ owner: UInt32, _ machine: Root) -> SystemError {
        SystemError(
            operation: "trust", path: path, code: 1,
            reason: "it belongs to uid \(owner), not to uid \(machine.owner), the owner of \(machine.path)")
    }

    /// Reads a folder, or a file.
    private mutating func read(_ root: Root, _ path: String, suffixes: [String]) throws(TrustError) {
        var missing: SystemError?
        for suffix in suffixes {
            let path = path + suffix
            let kind: FileKind
            do throws(SystemError) {
                kind = try root.status(path, followingLinks: true).kind
            } catch {
                if let obstacle = PolicySetFiles.obstacle(error, root, path) { throw .system(obstacle) }
                guard error.isMissing else { throw .system(error) }
                // What is said is that the set is not there, not that a file of a kind is not.
                missing = missing ?? error
                continue
            }
            if kind == .directory { return try readFolder(root, path) }
            return try add(root, path, CallerPath.split(path).name)
        }
        if let missing { throw .system(missing) }
    }

    /// Why a name that is there cannot be read, in words that name it and not only what it leads to; `nil` where it is
    /// no link.
    private static func obstacle(
        _ error: some Error & CustomStringConvertible, _ root: Root, _ path: String
    ) -> SystemError? {
        guard let target = try? root.linkTarget(path) else { return nil }
        return SystemError(
            operation: "read", path: root.display(path), code: stale, reason: "it is a link to \(target); \(error)")
    }

    /// ESTALE: what cannot be read is a file of the set, and the set is there.
    private static let stale: Int32 = 116

    /// Reads a folder.
    private mutating func readFolder(_ root: Root, _ path: String) throws(TrustError) {
        let names = try root.trustedNames(in: path)
        for name in names {
            let place = path == "/" ? "/\(name)" : "\(path)/\(name)"
            if let file = TemporaryPolicy.signed(name), names.contains(file) { continue }
            guard TemporaryPolicy.isPolicyFile(name) else {
                let shown = Printable.escape(root.display(place))
                ignored.append("\(shown) is not read: it is no policy file by its name.")
                continue
            }
            try add(root, place, name)
        }
    }

    /// Adds a file.
    private mutating func add(_ root: Root, _ path: String, _ name: String) throws(TrustError) {
        let bytes: [UInt8]
        do throws(TrustError) {
            bytes = try root.readTrusted(path, limit: PolicySetFiles.limit).bytes
        } catch {
            if let obstacle = PolicySetFiles.obstacle(error, root, path) { throw .system(obstacle) }
            guard error.isMissing else { throw error }
            throw .system(
                SystemError(
                    operation: "read", path: root.display(path), code: PolicySetFiles.stale, reason: "it is gone"))
        }
        var signature: [UInt8]?
        if isSigned {
            do throws(TrustError) {
                signature = try root.readTrusted("\(path).sig", limit: PolicySetFiles.limit).bytes
            } catch {
                if !error.isMissing { throw error }
            }
        }
        files.append(File(name: name, bytes: bytes, signature: signature, shownPath: root.display(path)))
    }
}
