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

    /// Reads a set.
    ///
    /// - Parameters:
    ///   - word: its name, or with a slash in it, its path on the running system.
    ///   - root: the machine.
    /// - Throws: exit 2 for what can be no name, exit 4 for what cannot be read or is not trusted, exit 5 where there is
    ///   no policy file.
    init(_ word: String, root: Root) throws(Failure) {
        name = try PolicySetFiles.name(of: word)
        let isPath = word.utf8.contains(UInt8(ascii: "/"))
        do throws(TrustError) {
            if isPath {
                try read(.system, PolicySetFiles.absolute(word), isTrusted: false)
            } else {
                try read(root, "\(PolicySetFiles.home)/\(word)", isTrusted: true)
            }
        } catch {
            throw Failure(code: .inputOutput, message: "The set \(Printable.escape(word)) cannot be read: \(error).")
        }
        guard !files.isEmpty else {
            throw Failure(code: .badInput, message: "There is no policy file in the set \(Printable.escape(word)).")
        }
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

    /// A path from `/` on.
    private static func absolute(_ word: String) throws(TrustError) -> String {
        do {
            return try CallerPath.absolute(word)
        } catch {
            throw .system(error)
        }
    }

    /// Reads a folder, or a file with or without its suffix.
    private mutating func read(_ root: Root, _ path: String, isTrusted: Bool) throws(TrustError) {
        let paths = [path] + (isTrusted ? PolicySetFiles.suffixes.map { path + $0 } : [])
        for path in paths {
            let status: FileStatus
            do {
                status = try root.status(path, followingLinks: true)
            } catch {
                if error.isMissing, path != paths.last { continue }
                throw .system(error)
            }
            if status.kind == .directory { return try readFolder(root, path, isTrusted) }
            let name = CallerPath.split(path).name
            return add(name, try PolicySetFiles.bytes(root, path, isTrusted), root.display(path))
        }
    }

    /// Reads a folder.
    private mutating func readFolder(_ root: Root, _ path: String, _ isTrusted: Bool) throws(TrustError) {
        let names: [String]
        if isTrusted {
            names = try root.trustedNames(in: path)
        } else {
            do {
                names = try root.names(in: path)
            } catch {
                throw .system(error)
            }
        }
        for name in names {
            let place = "\(path)/\(name)"
            guard TemporaryPolicy.isPolicyFile(name) else {
                let shown = Printable.escape(root.display(place))
                ignored.append("\(shown) is not read: it is no policy file by its name.")
                continue
            }
            add(name, try PolicySetFiles.bytes(root, place, isTrusted), root.display(place))
        }
    }

    /// Adds a file.
    private mutating func add(_ name: String, _ bytes: [UInt8], _ shownPath: String) {
        files.append(File(name: name, bytes: bytes, shownPath: shownPath))
    }

    /// The content of a file.
    private static func bytes(_ root: Root, _ path: String, _ isTrusted: Bool) throws(TrustError) -> [UInt8] {
        if isTrusted { return try root.readTrusted(path, limit: limit).bytes }
        do {
            return try root.read(path, limit: limit).bytes
        } catch {
            throw .system(error)
        }
    }
}
