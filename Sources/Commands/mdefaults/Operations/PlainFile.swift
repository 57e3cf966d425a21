import MDEngine
import MDPlatform
import MDPreferences
import MDPropertyList
import MDTools

/// A property list file to which no policy applies.
struct PlainFile {
    /// What a file holds.
    struct Content {
        /// The entries of its dictionary.
        let values: [Key: Value]
        /// The encoding, which a change keeps.
        let format: Format
        /// The state of the file when it was read.
        let status: FileStatus
    }

    /// The file tree.
    let root: Root
    /// The path under the root; no link, or one that a change replaces.
    let path: String
    /// The file in its open folder, for a change; `nil` for reading, or if the folder is missing.
    let place: CallerFile?

    /// The path for messages.
    var shown: String { Printable.escape(root.display(path)) }

    /// Whether it has values for all users, so that all must be able to read it.
    private var isShared: Bool { CallerPath.split(path).folder == SharedDefaults.directory }

    /// How often a change is tried again after another program changed the file.
    private static let attempts = 100

    /// Reads the file.
    ///
    /// - Returns: the content; `nil` if there is no file.
    /// - Throws: exit 4 if it cannot be read, exit 5 if it does not parse.
    func read() throws(Failure) -> Content? {
        let file: (bytes: [UInt8], status: FileStatus)
        do {
            let limit = Limits.standard.bytes
            if let place { file = try place.read(limit: limit) } else { file = try root.read(path, limit: limit) }
        } catch {
            if error.isMissing { return nil }
            throw .of(error)
        }
        do {
            let document = try Document.read(file.bytes)
            let values = Node.dictionary(try document.rootEntries())
            return Content(values: values, format: document.format, status: file.status)
        } catch {
            throw Failure(code: .badInput, message: "\(shown):\(error.position): \(error.message).")
        }
    }

    /// Applies an edit and replaces the file in one step.
    ///
    /// Other programs use no lock for such a file, so its state is checked again before it is replaced.
    ///
    /// - Throws: why the edit or the file is refused.
    func apply(_ edit: DomainEdit) throws(Failure) {
        for _ in 0..<PlainFile.attempts {
            // What a link leads to that somebody else planted is not part of the file that replaces the link.
            var content: Content?
            if let place, !place.isForeignLink { content = try read() }
            if case .removeAll = edit {
                guard content != nil, let place else { throw .of(.missingDomain, of: edit, in: shown) }
                return try change(place.remove)
            }
            var values = content?.values ?? [:]
            do {
                for (key, value) in try edit.changes(of: values) { values[key] = value }
            } catch {
                throw .of(error, of: edit, in: shown)
            }
            let bytes = try encode(values, as: content?.format ?? .binary)
            let place = try change(makePlace)
            let status = try? place.currentStatus()
            guard
                status.map({ now in content.map { now.isSameContent(as: $0.status) } ?? place.isForeignLink })
                    ?? (content == nil)
            else { continue }
            let older = content?.status
            let isKept = CurrentProcess.uid == 0 || older?.owner == CurrentProcess.euid
            return try change { () throws(SystemError) in
                try place.write(
                    CollectionOfOne(bytes),
                    mode: isKept ? older?.mode ?? newMode : newMode,
                    owner: CurrentProcess.uid == 0 ? older.map { ($0.owner, $0.group) } : nil)
            }
        }
        throw Failure(code: .inputOutput, message: "\(shown) kept changing while it was written.")
    }

    /// The permission bits of a new file.
    private var newMode: UInt32 { isShared ? 0o644 : 0o600 }

    /// The file in its open folder; makes the folder of all users' defaults.
    private func makePlace() throws(SystemError) -> CallerFile {
        if let place { return place }
        if isShared { try root.createDirectory(SharedDefaults.directory, mode: 0o755) }
        return try CallerFile.open(path, in: root)
    }

    /// Runs a change of the file, and turns its error into a failure.
    private func change<Result>(_ body: () throws(SystemError) -> Result) throws(Failure) -> Result {
        do {
            return try body()
        } catch {
            throw .unwritten(.of(error), shown)
        }
    }

    /// Encodes the content: XML as XML, everything else as a binary property list, as Apple's tool does.
    private func encode(_ values: [Key: Value], as format: Format) throws(Failure) -> [UInt8] {
        do {
            return format == .xml
                ? try XMLWriter.write(.dictionary(values), exact: true) : try BinaryWriter.write(.dictionary(values))
        } catch {
            throw Failure(code: .badInput, message: "\(shown) was not written: \(error.message).")
        }
    }

    /// Works on the file; root does so with the ids of its owner or, if it does not exist, of its folder's owner.
    func runAsOwner(
        _ context: Context, _ work: () throws(Failure) -> Context.Outcome
    ) throws(Failure) -> Context.Outcome {
        let folder = CallerPath.split(path).folder
        let known = place.map { $0.isForeignLink ? $0.folder : $0.status ?? $0.folder }
        guard
            let status = known ?? (try? root.status(path, followingLinks: true))
                ?? (try? root.status(folder, followingLinks: true))
        else { return try work() }
        return try context.run(uid: status.owner, gid: status.group, groups: [status.group], work)
    }
}
