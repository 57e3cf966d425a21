import MDPlatform
import MDPolicyAdministration
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// Policy files that a command line names: a folder that the administrator's directory is to become, or single files.
struct PolicyInput {
    /// What is to lie in the directory.
    var installation: PolicyInstallation
    /// The path of each file for messages, by name.
    private(set) var shownPaths: [Key: String] = [:]
    /// A sentence for each name of the folder that is left out.
    private(set) var notes: [String] = []
    /// The owners of the folders and files, each with the first place that is theirs and the number of places.
    private var owners: [UInt32: (first: String, count: Int)] = [:]
    /// The files that not every user can read.
    private var narrow: [String] = []

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
                try read(try EnclosedFolder(path), shown: word)
            }
        } catch {
            // A link that leads out of the folder.
            if error.isOtherFileSystem { throw Failure(code: .badInput, message: "\(error), so nothing was changed.") }
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

    /// Adds a file that the caller names, and the signature beside it; a link is followed.
    private mutating func add(_ path: String, shown: String) throws(SystemError) {
        try add(CallerPath.split(path).name, shown: shown) { suffix throws(SystemError) in
            try Root.system.read(path + suffix, limit: PolicyFile.limits.bytes)
        }
    }

    /// Adds a file and the signature beside it.
    private mutating func add(
        _ name: String, shown: String,
        _ read: (_ suffix: String) throws(SystemError) -> (bytes: [UInt8], status: FileStatus)
    ) throws(SystemError) {
        let file = try read("")
        installation.items[Key(name)] = .file(file.bytes)
        shownPaths[Key(name)] = shown
        count(file.status.owner, of: shown)
        if file.status.mode & 0o004 == 0 { narrow.append(shown) }
        do throws(SystemError) {
            let signature = try read(".sig")
            installation.items[Key("\(name).sig")] = .file(signature.bytes)
            count(signature.status.owner, of: "\(shown).sig")
        } catch {
            if !error.isMissing { throw error }
        }
    }

    /// Reads a folder or, where it has no policy file, `policies.d` in it, as in a checkout.
    private mutating func read(_ folder: EnclosedFolder, shown: String) throws(SystemError) {
        installation = PolicyInstallation([:], isWhole: true)
        count(folder.owner, of: shown)
        for name in try folder.names() {
            let place = "\(shown)/\(name)"
            let kind = try folder.kind(of: name)
            if PolicyFileName.signed(name) != nil { continue }
            if let reason = PolicyFileName.reasonToIgnore(name) {
                if kind != .directory, name.utf8.first != UInt8(ascii: ".") {
                    notes.append("\(Printable.escape(place)) is left out: its name \(reason).")
                }
            } else if kind == .link, try folder.linkTarget(name) == "/dev/null" {
                installation.items[Key(name)] = .mask
            } else {
                var directories: [String: UInt32] = [:]
                try add(name, shown: place) { suffix throws(SystemError) in
                    let file = try folder.read(name + suffix, limit: PolicyFile.limits.bytes)
                    directories[file.directory.path] = file.directory.owner
                    return (file.bytes, file.status)
                }
                directories[folder.path] = nil
                for (path, owner) in directories { count(owner, of: path) }
            }
        }
        guard installation.items.isEmpty, let inner = try folder.folder("policies.d") else { return }
        notes = []
        try read(inner, shown: "\(shown)/policies.d")
    }

    /// Notes whom a folder or file belongs to.
    private mutating func count(_ owner: UInt32, of place: String) {
        owners[owner] = (first: owners[owner]?.first ?? place, count: (owners[owner]?.count ?? 0) + 1)
    }

    /// The owners who are neither root nor the caller, with names if there are any.
    private var strangers: [(name: String, first: String, count: Int)] {
        let own: [UInt32?] = [0, CurrentProcess.uid, CurrentProcess.loginUID]
        let accounts = AccountDatabase(root: .system)
        return owners.filter { !own.contains($0.key) }.sorted { $0.key < $1.key }.map { uid, places in
            let name = (try? accounts.lookUpAccount(uid: uid))?.name
            return (Printable.escape(name ?? "uid \(uid)"), Printable.escape(places.first), places.count)
        }
    }

    /// What the caller reads before agreeing: whose files these are, and which of them become readable for everybody.
    var warnings: [String] {
        var lines = strangers.map { owner in
            let more = owner.count == 1 ? "belongs" : "and \(owner.count - 1) more belong"
            return "\(owner.first) \(more) to \(owner.name), neither root nor the caller."
        }
        if let first = narrow.first {
            let (subject, verb) =
                narrow.count == 1
                ? (Printable.escape(first), "is") : ("\(Printable.escape(first)) and \(narrow.count - 1) more", "are")
            lines.append("\(subject) \(verb) not readable by every user; what is installed is.")
        }
        return lines
    }

    /// The owners who are neither root nor the caller, as words that follow a name; empty without any.
    var ownerNote: String {
        let names = strangers.map(\.name)
        return names.isEmpty ? "" : " of \(names.joined(separator: " and "))"
    }

    /// The policy files with the paths that the command line names.
    var shownFiles: [(path: String, bytes: [UInt8])] {
        installation.files.map { (shownPaths[$0.name] ?? $0.name.string, $0.bytes) }
    }

    /// The names of the links that switch files off.
    var masks: Set<Key> { Set(installation.items.filter { $0.value == .mask }.keys) }
}
