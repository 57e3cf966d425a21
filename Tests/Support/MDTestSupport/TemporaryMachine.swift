package import Foundation
package import MDPlatform

/// A machine in a folder for one test: a root directory with accounts, homes and policy files, removed with its value.
package final class TemporaryMachine: TemporaryFolder, @unchecked Sendable {
    /// The folder as the root directory.
    package let root: Root

    /// Makes a machine.
    ///
    /// - Parameters:
    ///   - accounts: its users and groups.
    ///   - place: its folder; `nil` for a new one.
    /// - Throws: if it cannot be made.
    package init(_ accounts: Accounts, in place: Place? = nil) throws {
        let place = try place ?? Place(named: "machine")
        root = try Root(directory: place.path)
        super.init(place)
        switch accounts {
        case .none: break
        case .pupil:
            try write("etc/passwd", "pupil:x:\(geteuid()):\(getegid()):Pupil:/home/pupil:/bin/sh\n")
            try write("etc/hostname", "room1-pc01\n")
            try makeDirectory("home/pupil")
        case .classroom:
            try write(
                "etc/passwd",
                "alice:x:1001:2001:Alice:/home/alice:/bin/sh\nbob:x:1002:2002:Bob:/home/bob:/bin/sh\n")
            try write("etc/group", "students:x:2001:\nteachers:x:2002:\nchess:x:2003:alice\n")
            try write("etc/hostname", "room1-pc03.lab.example\n")
            try makeDirectory(TemporaryMachine.policyDirectory)
        }
    }

    /// The accounts of a machine.
    package enum Accounts: Sendable {
        /// No account database, and no name of the machine.
        case none
        /// The one user `pupil`, which is the user of the tests and has a home.
        case pupil
        /// The users alice and bob, and three groups; alice is in two of them. There is a policy directory.
        case classroom
    }

    /// Makes a copy of a folder of this repository, without what it recorded (`var`).
    ///
    /// - Parameters:
    ///   - source: the folder.
    ///   - place: the folder of the machine, empty; `nil` for a new one.
    /// - Throws: if it cannot be copied.
    package convenience init(copying source: URL, in place: Place? = nil) throws {
        try self.init(.none, in: place)
        for name in try FileManager.default.contentsOfDirectory(atPath: source.path) where name != "var" {
            try FileManager.default.copyItem(atPath: "\(source.path)/\(name)", toPath: self(name))
        }
        // A checkout may let the group write, which is a finding of its own. A link stays what it is.
        for name in all() {
            var status = stat()
            guard lstat(self(name), &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: try setMode(name, 0o755)
            case S_IFREG: try setMode(name, 0o644)
            default: break
            }
        }
    }

    /// Makes a copy of a machine with all that it recorded.
    package convenience init(copyOf other: TemporaryMachine) throws {
        try self.init(.none)
        for name in other.names("") { try FileManager.default.copyItem(atPath: other(name), toPath: self(name)) }
    }

    /// The policy directory beneath the root.
    package static let policyDirectory = "etc/managed-defaults/policies.d"

    /// The path of the policy directory.
    package var policies: String { self(TemporaryMachine.policyDirectory) }

    /// Writes a policy file.
    package func policy(_ name: String, _ text: String) throws {
        try write("\(TemporaryMachine.policyDirectory)/\(name)", text)
    }

    /// Writes a file.
    package func write(_ text: String, to name: String) throws { try write(name, text) }

    /// Runs `mdefaults --root` with this machine.
    ///
    /// - Parameters:
    ///   - words: the words behind the root directory.
    ///   - front: a command in front of it, such as `strace`.
    /// - Returns: exit code and what was printed.
    /// - Throws: if it does not start or end.
    package func mdefaults(_ words: [String], behind front: [String] = []) throws -> SpawnedProgram.Result {
        let all = front + [BuiltProgram.path("mdefaults"), "--root", path] + words
        return try SpawnedProgram.run(all[0], Array(all.dropFirst()), environment: ["PATH": "/usr/bin:/bin:/usr/sbin"])
    }
}
