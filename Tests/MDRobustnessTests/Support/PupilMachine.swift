import Foundation
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyStore
import MDPropertyList
import MDTestSupport
import Testing

/// A small machine with one user, with programs that work on it.
extension TemporaryMachine {
    /// The domain that its policy is about.
    static let domain = "org.example.App"

    /// Makes a machine with the one user `pupil`.
    convenience init() throws { try self.init(.pupil) }

    /// Makes a copy of a machine with all that it recorded.
    convenience init(copying other: TemporaryMachine) throws { try self.init(copyOf: other) }

    /// The text of a policy that forces a key.
    static func policy(_ name: String, _ key: String, _ value: String) -> String {
        "{ \"Identifier\": \"edu.example.\(name)\", \"Forced\": { \"\(domain)\": { \"\(key)\": \"\(value)\" } } }\n"
    }

    /// Writes a policy that forces a key.
    func force(_ name: String, _ key: String, _ value: String) throws {
        try write(
            "etc/managed-defaults/policies.d/\(name).json",
            TemporaryMachine.policy(name.filter(\.isLetter), key, value))
    }

    /// Removes a policy file.
    func remove(policy name: String) throws { try remove("\(TemporaryMachine.policyDirectory)/\(name).json") }

    /// What is in force for the user, for somebody who writes nothing.
    func resultant() throws -> ResultantSet {
        let machine = try PolicyMachine(folder: path).policy()
        return machine.resultant(for: try machine.account(named: "pupil"))
    }

    /// The forced value of a key.
    func forced(_ key: Key) throws -> Value? {
        try resultant().forcedEntry(domain: Key(TemporaryMachine.domain), key: key)?.value
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
    static func program(_ name: String) -> String { BuiltProgram.path(name) }

    /// Runs `mdefaults --root FOLDER …` behind some words.
    func run(_ front: [String] = [], _ words: String...) throws -> SpawnedProgram.Result { try run(front, words) }

    /// Runs `mdefaults --root FOLDER …` behind some words.
    func run(_ front: [String], _ words: [String]) throws -> SpawnedProgram.Result {
        try mdefaults(words, behind: front)
    }
}
