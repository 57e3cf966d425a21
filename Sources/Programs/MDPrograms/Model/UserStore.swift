package import MDPlatform
package import MDPropertyList

/// A user's home, where programs keep what the user has stored.
///
/// It is read with the rights of that user. Nothing in it is trusted: every file is bounded, and so are all together. What
/// is there and cannot be read is a problem, because what it holds is unknown. A link is followed, as programs do.
package struct UserStore: Sendable {
    private let root: Root
    /// The home, under the root.
    private let home: String
    /// What could not be read.
    package private(set) var problems: [StoreProblem] = []
    /// The bytes that may still be read.
    private var room: Int
    /// The most bytes of all files in a home that are read.
    private let sizeLimit: Int
    /// The most names in a program's folder of profiles that are looked at.
    private let nameLimit: Int
    /// When reading ends, in monotonic microseconds.
    private let end: Int64

    package init(
        home: String, in root: Root, sizeLimit: Int = 64 << 20, nameLimit: Int = 4_096, until end: Int64 = .max
    ) {
        (self.home, self.root, self.end) = (home, root, end)
        (self.sizeLimit, room, self.nameLimit) = (sizeLimit, sizeLimit, nameLimit)
    }

    /// The path of a file, under the root.
    func path(_ name: String) -> String { "\(home)/\(name)" }

    /// A file that is read for stored values.
    struct File {
        /// The path, under the root.
        let path: String
        let bytes: [UInt8]
    }

    /// Reads a regular file; `nil` if it is missing, and with a problem if it cannot be read.
    mutating func file(_ name: String, limit: Int = PlainJSON.sizeLimit) -> File? {
        if Clock.monotonicMicroseconds() > end, root.mayExist(path(name)) {
            note(path(name), "is not read: the files of programs in this home take too long")
            return nil
        }
        do throws(SystemError) {
            let bytes = try root.read(path(name), limit: min(limit, room)).bytes
            room -= bytes.count
            return File(path: path(name), bytes: bytes)
        } catch {
            if error.isTooLarge, room < limit {
                note(
                    path(name),
                    "is not read: the files of programs in this home are larger than \(sizeLimit) bytes")
            } else {
                note(path(name), error)
            }
            return nil
        }
    }

    /// The folders in a folder of profiles, by their names in the home; other files may be among them.
    mutating func folders(in folder: String) -> [String] {
        let names: [String]
        do throws(SystemError) {
            names = try root.names(in: path(folder))
        } catch {
            note(path(folder), error)
            return []
        }
        if names.count > nameLimit {
            let rest = names.count - nameLimit
            note(path(folder), "has \(names.count) names, of which \(rest) are not looked at")
        }
        // Such a name is listed with U+FFFD, and nothing is found by it.
        if names.contains(where: { $0.unicodeScalars.contains("\u{fffd}") && !root.mayExist("\(path(folder))/\($0)") })
        {
            note(path(folder), "has a name that is not UTF-8, and what it names is not looked at")
        }
        return names.prefix(nameLimit).map { "\(folder)/\($0)" }
    }

    /// Adds what is wrong with a file.
    mutating func note(_ path: String, _ message: String, at position: Position? = nil, isPermission: Bool = false) {
        problems.append(
            StoreProblem(file: root.display(path), position: position, message: message, isPermission: isPermission))
    }

    /// Adds why a file cannot be read; one that is not there is no problem, unless a link says that it is elsewhere.
    private mutating func note(_ path: String, _ error: SystemError) {
        guard error.isMissing else {
            return note(path, "cannot be read: \(error.text)", isPermission: error.isPermission)
        }
        if (try? root.status(path, followingLinks: false))?.kind == .link {
            note(path, "cannot be read: it is a link to what is not there")
        }
    }
}

/// A file of a program in a user's home, or a folder of them, that could not be read.
package struct StoreProblem: Sendable {
    /// The display path.
    package let file: String
    /// The place of the damage; `nil` if the file could not be read at all.
    package let position: Position?
    /// What is wrong, without a full stop; its subject is the file.
    package let message: String
    /// Whether the permission is missing.
    package let isPermission: Bool
}

/// What a user has stored in a program's own store for a key that policy locks.
package struct StoredSetting: Sendable {
    package let domain: Key
    /// The key of the entry that hides it; of a sealed domain the key that is stored.
    package let key: Key
    package let value: Value
    /// The path of the file, under the root.
    package let file: String
    /// Whether it is what policy says, so that nothing is hidden.
    package let isEqual: Bool

    init(_ entry: ProgramEntry, key: Key? = nil, value: Value, file: String, isEqual: Bool) {
        (domain, self.key, self.value, self.file) = (entry.domain, key ?? entry.key, value, file)
        self.isEqual = isEqual
    }

    /// A value that is compared with that of the entry.
    init(_ entry: ProgramEntry, value: Value, file: String) {
        let isEqual = if case .forced(let forced) = entry.level { forced == value } else { false }
        self.init(entry, value: value, file: file, isEqual: isEqual)
    }
}
