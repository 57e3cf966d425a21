import MDPlatform
import MDPolicyAdministration
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// Policy files that a command line names: a folder that the administrator's directory is to become, or single files.
struct PolicyInput {
    /// What is to lie in the directory.
    private(set) var installation: PolicyInstallation
    /// The path of each file for messages, by name.
    private(set) var shownPaths: [Key: String] = [:]
    /// A sentence for each name of the folder that is left out.
    private(set) var notes: [String] = []

    /// Reads what the words name.
    ///
    /// - Parameters:
    ///   - words: one folder, or files.
    ///   - verb: the verb whose usage an error prints.
    /// - Throws: exit 2 for several folders, exit 4 for what cannot be read, exit 5 where there is no policy file.
    init(_ words: [String], of verb: any Verb.Type) throws(Failure) {
        installation = PolicyInstallation([:], isWhole: false)
        do throws(SystemError) {
            for word in words {
                let path = try CallerPath.absolute(word)
                guard try Root.system.status(path, followingLinks: true).kind == .directory else {
                    try add(path, shown: word)
                    continue
                }
                guard words.count == 1 else { throw PolicyInput.several(word) }
                try read(folder: path, shown: word)
            }
        } catch {
            if error.code == PolicyInput.invalid { throw .usage("\(Printable.escape(error.description)).", of: verb) }
            throw .of(error)
        }
        for (name, shown) in shownPaths.sorted(by: { $0.key < $1.key }) {
            guard let reason = PolicyFileName.reasonToIgnore(name.string) else { continue }
            throw Failure(
                code: .badInput, message: "\(Printable.escape(shown)) is no policy file by its name, which \(reason).")
        }
        guard !installation.files.isEmpty else {
            let shown = words.map(Printable.escape).joined(separator: ", ")
            throw Failure(code: .badInput, message: "There is no policy file in \(shown), so nothing was changed.")
        }
    }

    /// Makes an input of one file.
    init(name: String, bytes: [UInt8], shown: String) {
        installation = PolicyInstallation([Key(name): .file(bytes)], isWhole: false)
        shownPaths = [Key(name): shown]
    }

    /// EINVAL, in the place of a failure that has the usage lines.
    private static let invalid: Int32 = 22

    /// The error for a folder beside other words.
    private static func several(_ word: String) -> SystemError {
        SystemError(
            operation: "take", path: word, code: invalid,
            reason: "a folder is what the whole directory becomes, so it is named alone")
    }

    /// Adds a file and the signature beside it.
    private mutating func add(_ path: String, shown: String) throws(SystemError) {
        let name = CallerPath.split(path).name
        let limit = PolicyFile.limits.bytes
        installation.items[Key(name)] = .file(try Root.system.read(path, limit: limit).bytes)
        shownPaths[Key(name)] = shown
        do throws(SystemError) {
            installation.items[Key("\(name).sig")] = .file(try Root.system.read("\(path).sig", limit: limit).bytes)
        } catch {
            if !error.isMissing { throw error }
        }
    }

    /// Reads a folder or, where it has no policy file, `policies.d` in it, as in a checkout.
    private mutating func read(folder: String, shown: String) throws(SystemError) {
        installation = PolicyInstallation([:], isWhole: true)
        for name in try Root.system.names(in: folder) {
            let (path, place) = ("\(folder)/\(name)", "\(shown)/\(name)")
            let status = try Root.system.status(path, followingLinks: false)
            if PolicyFileName.signed(name) != nil { continue }
            if let reason = PolicyFileName.reasonToIgnore(name) {
                if status.kind != .directory, name.utf8.first != UInt8(ascii: ".") {
                    notes.append("\(Printable.escape(place)) is left out: its name \(reason).")
                }
            } else if status.kind == .link, try Root.system.linkTarget(path) == "/dev/null" {
                installation.items[Key(name)] = .mask
            } else {
                try add(path, shown: place)
            }
        }
        guard installation.items.isEmpty else { return }
        let inner = "\(folder)/policies.d"
        let kind = try? Root.system.status(inner, followingLinks: true).kind
        guard kind == .directory else { return }
        notes = []
        try read(folder: inner, shown: "\(shown)/policies.d")
    }

    /// The policy files with their paths in the directory.
    var files: [(path: String, bytes: [UInt8])] {
        installation.files.map { (PolicyDirectory.etc.path($0.name.string), $0.bytes) }
    }

    /// The policy files with the paths that the command line names.
    var shownFiles: [(path: String, bytes: [UInt8])] {
        installation.files.map { (shownPaths[$0.name] ?? $0.name.string, $0.bytes) }
    }

    /// The names of the links that switch files off.
    var masks: Set<Key> { Set(installation.items.filter { $0.value == .mask }.keys) }
}
