import Engine
import Foundation
import Platform
import Policy
import PropertyList
import TestSupport
import Testing

/// A folder that stands for a small machine, in memory where there is such a place, with programs that work on it.
final class PolicyFolder {
    /// The folder.
    let path: String
    /// The domain that its policy is about.
    static let domain = "org.example.App"

    /// Makes a machine with one user, who owns it.
    init() throws {
        path = try PolicyFolder.place()
        try write("etc/passwd", "pupil:x:\(geteuid()):\(getegid()):Pupil:/home/pupil:/bin/sh\n")
        try write("etc/hostname", "room1-pc01\n")
        try FileManager.default.createDirectory(atPath: path + "/home/pupil", withIntermediateDirectories: true)
    }

    /// Makes a copy of a machine.
    init(copying other: PolicyFolder) throws {
        path = try PolicyFolder.place()
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: other.path, toPath: path)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// A new folder.
    private static func place() throws -> String {
        let base =
            access("/dev/shm", W_OK) == 0
            ? "/dev/shm" : FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
        let path = "\(base)/managed-defaults-policy-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        return path
    }

    /// The directory of the policy files.
    var policies: String { path + "/etc/managed-defaults/policies.d" }

    /// Writes a file in place.
    func write(_ name: String, _ text: String) throws {
        let file = URL(fileURLWithPath: "\(path)/\(name)")
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        chmod(file.path, 0o644)
    }

    /// The text of a policy that forces a key.
    static func policy(_ name: String, _ key: String, _ value: String) -> String {
        "{ \"Identifier\": \"edu.example.\(name)\", \"Forced\": { \"\(domain)\": { \"\(key)\": \"\(value)\" } } }\n"
    }

    /// Writes a policy that forces a key.
    func force(_ name: String, _ key: String, _ value: String) throws {
        try write(
            "etc/managed-defaults/policies.d/\(name).json",
            PolicyFolder.policy(name.filter(\.isLetter), key, value))
    }

    /// Removes a policy file.
    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(policies)/\(name).json") }

    /// What is in force for the user, for somebody who writes nothing.
    func resultant() throws -> ResultantSet {
        let machine = try PolicyMachine(folder: path)
        return machine.resultant(for: try machine.account(named: "pupil"))
    }

    /// The forced value of a key.
    func forced(_ key: Key) throws -> Value? {
        try resultant().forcedEntry(domain: Key(PolicyFolder.domain), key: key)?.value
    }

    /// The bytes that stand for everything that is enforced.
    func enforced() throws -> [UInt8] { CanonicalPolicy(try resultant()).bytes }

    /// Applies policy; whether nothing went wrong.
    func applies() throws -> Bool {
        let root = try Root(directory: path)
        let recorder = PolicyChangeRecorder(root: root)
        let result = PolicyStore(root: root, settlingTime: 1_000).apply { recorder.record($0) }
        return result.generationFailure == nil && result.tableFailure == nil && result.isRecorded
    }

    /// A program that lies beside the tests.
    static func program(_ name: String) -> String {
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return (bundle as NSString).deletingLastPathComponent + "/" + name
    }

    /// Runs `mdefaults --root FOLDER …` behind some words.
    func run(_ front: [String] = [], _ words: String...) throws -> SpawnedProgram.Result { try run(front, words) }

    /// Runs `mdefaults --root FOLDER …` behind some words.
    func run(_ front: [String], _ words: [String]) throws -> SpawnedProgram.Result {
        let all = front + [PolicyFolder.program("mdefaults"), "--root", path] + words
        return try SpawnedProgram.run(all[0], Array(all.dropFirst()), environment: ["PATH": "/usr/bin:/bin:/usr/sbin"])
    }
}
