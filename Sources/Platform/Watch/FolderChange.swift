/// What happened in a watched folder.
package struct FolderChange: Hashable, Sendable {
    /// The folder, as it was given.
    package let folder: String
    /// The names of which something may have changed, each once, in byte order; `nil` where anything may have: the folder
    /// appeared, vanished or was replaced, too much happened at once, or it was compared rather than watched.
    package let names: [String]?
}
