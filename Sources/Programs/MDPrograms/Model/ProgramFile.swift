package import MDPropertyList

/// A file that a program reads, as it is to be.
package struct ProgramFile: Equatable, Sendable {
    /// What the file is to contain.
    package enum Content: Equatable, Sendable {
        /// These bytes and nothing else.
        case bytes([UInt8])
        /// A JSON object, shared with others: these members of the object at a path of names, beside those of others.
        case members(path: [Key], [Key: Value])
        /// A text that is shared with others: these lines before and after theirs.
        case lines(first: [String], last: [String])
        /// A text of groups and keys that is shared with others: these lines after theirs, between two comments.
        case block([String])
        /// A channel of xfconf: these properties behind those of others, between two comments, or alone.
        ///
        /// Where others have no file, or it is not shared, it begins with `opening`.
        case channel(opening: String, [String], isShared: Bool)
        /// A key file of GLib that is shared with others: these items of a list, beside those of others.
        case items([String], group: String, key: String)
        /// A profile of dconf, shared with others: their databases, and this one before and after them.
        ///
        /// Where others have no file here, theirs are the lines of one that this file hides.
        case profile(database: String, hidden: [String])
        /// The rules of polkit; those of users that are not among them may stay.
        case rules(PolkitRules)
    }

    /// What the comment before a block begins with.
    static let blockBegin = "# ManagedDefaults: from here written by policy"

    /// The path, under the root.
    package let path: String
    package let content: Content
    /// The folder in which it is written before it is renamed into place.
    ///
    /// Of some folders the program reads every file, a half-written one too.
    package let staging: String

    package init(_ path: String, _ content: Content, staging: String? = nil) {
        self.path = path
        self.content = content
        self.staging = staging ?? ProgramFile.folder(of: path)
    }

    /// The same file in another folder.
    ///
    /// - Parameters:
    ///   - folder: the folder that everybody's program reads.
    ///   - place: the folder that takes its place.
    /// - Returns: the file; `nil` if it does not lie in `folder`.
    package func moved(from folder: String, to place: String) -> ProgramFile? {
        guard let path = ProgramFile.moved(path, folder, place), let staging = ProgramFile.moved(staging, folder, place)
        else { return nil }
        return ProgramFile(path, content, staging: staging)
    }

    private static func moved(_ path: String, _ folder: String, _ place: String) -> String? {
        guard path.utf8.starts(with: folder.utf8) else { return nil }
        let rest = path.utf8.dropFirst(folder.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "/") ? place + String(Substring(rest)) : nil
    }

    /// The folder of a path.
    static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.utf8.startIndex else { return "/" }
        return String(Substring(path.utf8[..<slash]))
    }
}
