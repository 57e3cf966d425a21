package import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
package import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// The set of policy files that an exam puts in force: a folder of them, or a single one.
package struct ExamSet {
    /// A file of a set.
    struct File {
        /// The name of the file.
        let name: String
        /// The content.
        let bytes: [UInt8]
        /// The signature beside it; `nil` if there is none, or signatures are not read.
        let signature: [UInt8]?
        /// The path for messages.
        let shownPath: String
    }

    /// The folders of the sets that have names: the administrator's, then the ready ones.
    private static let homes = ["/etc/managed-defaults/sets.d", "/usr/share/managed-defaults/sets"]
    /// The suffixes of policy files.
    private static let suffixes = [".json", ".plist", ".mobileconfig"]

    /// The name of the set.
    let name: String
    /// The files in byte order of their names; at least one.
    private(set) var files: [File] = []
    /// A sentence for each name in the folder that is not read.
    private(set) var ignored: [String] = []
    /// Whether signatures are read.
    private let isSigned: Bool

    /// Reads a set by the rules of trust.
    ///
    /// - Parameters:
    ///   - word: the name of the set or, with a slash in it, its absolute path on the running system.
    ///   - root: the machine.
    ///   - isSigned: whether to read the signatures beside its files.
    /// - Throws: if the name is invalid, the set is unreadable or not trusted, or has no policy file.
    init(_ word: String, root: Root, isSigned: Bool) throws(TemporaryPolicyError) {
        name = try ExamSet.name(of: word)
        self.isSigned = isSigned
        do throws(TrustError) {
            if word.utf8.contains(UInt8(ascii: "/")) {
                let (tree, path) = try ExamSet.location(of: word, for: root)
                try read(tree, [path])
            } else {
                try read(
                    root, ExamSet.homes.flatMap { home in ([""] + ExamSet.suffixes).map { "\(home)/\(word)\($0)" } })
            }
        } catch {
            let names = ExamSet.names(in: root)
            if error.isMissing, !word.utf8.contains(UInt8(ascii: "/")), !names.isEmpty {
                let known = names.map(Printable.escape).joined(separator: ", ")
                throw TemporaryPolicyError(
                    .inputOutput, "There is no set \(Printable.escape(word)). There are: \(known).")
            }
            throw TemporaryPolicyError(.inputOutput, "The set \(Printable.escape(word)) cannot be read: \(error).")
        }
        guard !files.isEmpty else {
            throw TemporaryPolicyError(.badInput, "There is no policy file in the set \(Printable.escape(word)).")
        }
    }

    /// The names of the sets of a machine, in byte order; empty if they cannot be listed.
    package static func names(in root: Root) -> [String] {
        var names: [String] = []
        for name in homes.flatMap({ (try? root.trustedNames(in: $0)) ?? [] }) where TemporaryPolicy.signed(name) == nil
        {
            guard let set = validName(of: name), !names.contains(set) else { continue }
            names.append(set)
        }
        return names.map { Key($0) }.sorted().map(\.string)
    }

    /// What a list of sets says of one.
    package struct Outline: Sendable {
        package let name: String
        /// The paths of its files for messages.
        package let files: [String]
        /// Its files, as far as they are good.
        package let policies: [PolicyFile]
        /// Why it cannot be started as it is, as a sentence, escaped; `nil` if it can.
        package let problem: String?
    }

    /// The sets of a machine, in byte order of their names.
    package static func outlines(in root: Root) -> [Outline] {
        names(in: root).map { name in
            let set: ExamSet
            do throws(TemporaryPolicyError) {
                set = try ExamSet(name, root: root, isSigned: false)
            } catch {
                return Outline(name: name, files: [], policies: [], problem: error.message)
            }
            let parsed = set.files.map { PolicyFile.parse(bytes: $0.bytes, path: $0.name, shownPath: $0.shownPath) }
            let finding = parsed.lazy.filter { $0.file == nil }.compactMap {
                $0.diagnostics.first { $0.severity == .error }
            }.first
            return Outline(
                name: name, files: set.files.map(\.shownPath), policies: parsed.compactMap(\.file),
                problem: finding.map { Printable.escape($0.description) })
        }
    }

    /// The name of a set from a word: the last component of a path, without the suffix of a policy file.
    ///
    /// - Throws: if it is invalid.
    package static func name(of word: String) throws(TemporaryPolicyError) -> String {
        if let name = validName(of: word) { return name }
        throw TemporaryPolicyError(
            .usage, "\(Printable.escape(word)) does not name a set: a name has letters, digits, _ and - only.")
    }

    /// The name of a set from a word; `nil` for an invalid one.
    private static func validName(of word: String) -> String? {
        var bytes = word.utf8[...]
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        let name = PolicyFileName.stem(of: String(Substring(bytes)))
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        return isName && (1...64).contains(name.utf8.count) ? name : nil
    }

    /// Resolves a path of the running system to a root, whose rule of trust applies, and a path beneath it.
    ///
    /// Of the running system the rule is that root owns the set. With `--root` the owner of that folder must own it.
    private static func location(of path: String, for machine: Root) throws(TrustError) -> (Root, String) {
        do throws(SystemError) {
            if machine.isSystem { return (.system, path) }
            if try Root.system.status(path, followingLinks: true).kind == .directory {
                let folder = try Root(directory: path)
                if folder.owner == machine.owner { return (folder, "/") }
                throw ExamSet.foreignOwner(path, folder.owner, machine)
            }
            let (parent, name) = ExamSet.split(path)
            let folder = try Root(directory: parent)
            if folder.owner == machine.owner { return (folder, "/\(name)") }
            throw ExamSet.foreignOwner(parent, folder.owner, machine)
        } catch {
            throw .system(error)
        }
    }

    /// Splits a path into folder and name.
    static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let folder = String(path[..<slash])
        return (folder.isEmpty ? "/" : folder, String(path[path.utf8.index(after: slash)...]))
    }

    /// The error for a folder of another owner.
    private static func foreignOwner(_ path: String, _ owner: UInt32, _ machine: Root) -> SystemError {
        SystemError(
            operation: "trust", path: path, code: 1,
            reason: "it belongs to uid \(owner), not to uid \(machine.owner), the owner of \(machine.path)")
    }

    /// Reads the first folder or file that there is.
    private mutating func read(_ root: Root, _ paths: [String]) throws(TrustError) {
        var missing: SystemError?
        for path in paths {
            let kind: FileKind
            do throws(SystemError) {
                kind = try root.status(path, followingLinks: true).kind
            } catch {
                if let obstacle = ExamSet.obstacle(error, root, path) { throw .system(obstacle) }
                guard error.isMissing else { throw .system(error) }
                // The message is that the set is missing, not that a file with the last suffix is.
                missing = missing ?? error
                continue
            }
            if kind == .directory { return try readFolder(root, path) }
            return try add(root, path, ExamSet.split(path).name)
        }
        if let missing { throw .system(missing) }
    }

    /// The error for a link whose target cannot be read, which names the link as well; `nil` if the path is not a link.
    private static func obstacle(
        _ error: some Error & CustomStringConvertible, _ root: Root, _ path: String
    ) -> SystemError? {
        guard let target = try? root.linkTarget(path) else { return nil }
        return SystemError(
            operation: "read", path: root.display(path), code: stale, reason: "it is a link to \(target); \(error)")
    }

    /// ESTALE: a file of the set cannot be read, although the set exists.
    private static let stale: Int32 = 116

    /// Reads the policy files of a folder.
    private mutating func readFolder(_ root: Root, _ path: String) throws(TrustError) {
        let names = try root.trustedNames(in: path)
        for name in names {
            let place = path == "/" ? "/\(name)" : "\(path)/\(name)"
            if let file = TemporaryPolicy.signed(name), names.contains(file) { continue }
            if name == "README.md" { continue }
            guard TemporaryPolicy.isPolicyFile(name) else {
                let shown = Printable.escape(root.display(place))
                ignored.append("\(shown) is not read: it is no policy file by its name.")
                continue
            }
            try add(root, place, name)
        }
    }

    /// Reads a file, and its signature if signatures are read.
    private mutating func add(_ root: Root, _ path: String, _ name: String) throws(TrustError) {
        let bytes: [UInt8]
        do throws(TrustError) {
            bytes = try root.readTrusted(path, limit: PolicyFile.limits.bytes).bytes
        } catch {
            if let obstacle = ExamSet.obstacle(error, root, path) { throw .system(obstacle) }
            guard error.isMissing else { throw error }
            throw .system(
                SystemError(
                    operation: "read", path: root.display(path), code: ExamSet.stale, reason: "it is gone"))
        }
        var signature: [UInt8]?
        if isSigned {
            do throws(TrustError) {
                signature = try root.readTrusted("\(path).sig", limit: PolicyFile.limits.bytes).bytes
            } catch {
                if !error.isMissing { throw error }
            }
        }
        files.append(File(name: name, bytes: bytes, signature: signature, shownPath: root.display(path)))
    }
}
