import Engine
import Platform
import Preferences
import PropertyList

/// A property list file on disk that no policy speaks of.
struct PlainFile {
    /// What a file holds.
    struct Content {
        /// The entries of its dictionary.
        let values: [Key: Value]
        /// Its encoding, which a change keeps.
        let format: Format
        /// Its state while it was read.
        let status: FileStatus
    }

    /// The file tree.
    let root: Root
    /// The path under the root; no link.
    let path: String

    /// The path as people are shown it.
    var shown: String { Printable.escape(root.display(path)) }

    /// Whether it holds values for all users, who must then be able to read it.
    private var isShared: Bool { CallerPath.split(path).folder == SharedDefaults.directory }

    /// How often a change begins again because another program changed the file meanwhile.
    private static let attempts = 100

    /// Reads the file.
    ///
    /// - Returns: its content; `nil` where there is no file.
    /// - Throws: exit 4 where it cannot be read, exit 5 where it does not parse.
    func read() throws(Failure) -> Content? {
        let file: (bytes: [UInt8], status: FileStatus)
        do {
            file = try root.read(path, limit: Limits.standard.bytes)
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

    /// Changes the file: reads it, changes it and puts the new content in its place in one step.
    ///
    /// Other programs know no lock for such a file, so it is looked at again before it is replaced.
    ///
    /// - Throws: what is wrong with the edit or with the file.
    func apply(_ edit: DomainEdit) throws(Failure) {
        for _ in 0..<PlainFile.attempts {
            let content = try read()
            if case .removeAll = edit {
                guard content != nil else { throw .of(.missingDomain, of: edit, in: shown) }
                return try change { root throws(SystemError) in try root.remove(path) }
            }
            var values = content?.values ?? [:]
            do {
                for (key, value) in try edit.changes(of: values) { values[key] = value }
            } catch {
                throw .of(error, of: edit, in: shown)
            }
            let bytes = try encode(values, as: content?.format ?? .binary)
            let status = try? root.status(path, followingLinks: false)
            guard status.map({ now in content.map { now.isSameContent(as: $0.status) } ?? false }) ?? (content == nil)
            else { continue }
            return try change { root throws(SystemError) in
                if isShared { try root.createDirectory(SharedDefaults.directory, mode: 0o755) }
                try root.replace(
                    path, with: bytes, mode: content?.status.mode ?? (isShared ? 0o644 : 0o600),
                    owner: CurrentProcess.uid == 0 ? content.map { ($0.status.owner, $0.status.group) } : nil)
            }
        }
        throw Failure(code: .inputOutput, message: "\(shown) kept changing while it was written.")
    }

    /// Runs a change of the file.
    private func change(_ body: (Root) throws(SystemError) -> Void) throws(Failure) {
        do {
            try body(root)
        } catch {
            throw .unwritten(.of(error), shown)
        }
    }

    /// Encodes the content; XML stays XML, everything else becomes binary, as with Apple's tool.
    private func encode(_ values: [Key: Value], as format: Format) throws(Failure) -> [UInt8] {
        do {
            return format == .xml
                ? try XMLWriter.write(.dictionary(values), exact: true) : try BinaryWriter.write(.dictionary(values))
        } catch {
            throw Failure(code: .badInput, message: "\(shown) was not written: \(error.message).")
        }
    }
}
