package import MDPlatform
package import MDPropertyList

/// The reason why a domain could not be read or written.
///
/// Paths are in the form for display. If a write throws one of these, nothing was written.
package enum PreferencesError: Error, Hashable, Sendable {
    /// The name cannot be that of a domain; `reason` is the end of a sentence.
    case invalidDomain(name: String, reason: String)
    /// Something that is not a preference file is in its place; `reason` is the end of a sentence.
    case refused(path: String, reason: String)
    /// The file does not parse, or its root is not a dictionary.
    case damaged(path: String, error: PropertyListError)
    /// A damaged file could not be set aside, so nothing was written in its place.
    case notSetAside(path: String, error: PropertyListError, cause: SystemError)
    /// A damaged file was set aside, but the new one could not be written and the old one could not be moved back.
    case notReplaced(DamagedFile, cause: SystemError)
    /// The values cannot be stored: no encoding can hold them, or they exceed the limits of the reader.
    case notStorable(path: String, reason: String)
    /// A user other than the administrator could have written a file that applies to all users.
    case untrusted(path: String, reason: String)
    /// The home folder does not exist.
    case homeMissing(path: String)
    /// Other programs, which ignore the lock, changed the file each time it was read or merged.
    case unstable(path: String)
    /// Other programs held the lock for 5 seconds.
    case locked(path: String)
    /// The folder's file system has no locks, without which two writers could undo each other's changes.
    case lockless(path: String, cause: SystemError)
    /// The operating system refused.
    case system(SystemError)
}

extension PreferencesError {
    /// Whether the input is invalid (a name, a value or a file's content), in contrast to a permission, a disk or a
    /// lock.
    package var isBadInput: Bool {
        switch self {
        case .invalidDomain, .damaged, .notStorable: true
        case .refused, .notSetAside, .notReplaced, .untrusted, .homeMissing, .unstable, .locked, .lockless, .system:
            false
        }
    }
}

extension PreferencesError: CustomStringConvertible {
    /// A sentence with the error and its place.
    package var description: String {
        switch self {
        case .invalidDomain(let name, let reason):
            "\"\(Printable.escape(name))\" cannot be the name of a domain: \(reason)."
        case .refused(let path, let reason):
            "\(Printable.escape(path)) is not used as a preference file: it \(Printable.escape(reason))."
        case .damaged(let path, let error):
            "\(Printable.escape(path)):\(error.position): the preference file is damaged: \(error.message)."
        case .notSetAside(let path, let error, let cause):
            """
            \(Printable.escape(path)):\(error.position): the preference file is damaged: \(error.message). \
            It could not be set aside, so nothing was written: \(cause).
            """
        case .notReplaced(let file, let cause):
            "\(file) The new file could not be written: \(cause)."
        case .notStorable(let path, let reason):
            "\(Printable.escape(path)) was not written: \(reason)."
        case .untrusted(let path, let reason):
            "\(Printable.escape(path)) is not trusted: it \(reason)."
        case .homeMissing(let path):
            "The home folder \(Printable.escape(path)) does not exist, so nothing can be stored in it."
        case .unstable(let path):
            "\(Printable.escape(path)) kept changing while it was read; another program is writing it without the lock."
        case .locked(let path):
            "Nothing was stored, because other programs held the lock \(Printable.escape(path)) for 5 s."
        case .lockless(let path, let cause):
            """
            Nothing was stored, because the file system of \(Printable.escape(path)) has no locks, without which two \
            programs could undo each other's changes: \(cause.text).
            """
        case .system(let error):
            "\(error.description.prefix(1).uppercased())\(error.description.dropFirst())."
        }
    }
}

/// A damaged preference file that was set aside, complete, before a new one was written.
package struct DamagedFile: Hashable, Sendable {
    /// The path the file had, for display.
    package let path: String
    /// The path the file has now, for display.
    package let setAsidePath: String
    /// What is wrong with it.
    package let error: PropertyListError

    package init(path: String, setAsidePath: String, error: PropertyListError) {
        self.path = path
        self.setAsidePath = setAsidePath
        self.error = error
    }
}

extension DamagedFile: CustomStringConvertible {
    /// A sentence with the error, its place, and the file's new path.
    package var description: String {
        "\(Printable.escape(path)):\(error.position): the preference file is damaged: \(error.message); "
            + "it is kept as \(Printable.escape(setAsidePath))."
    }
}
