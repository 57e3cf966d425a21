import Foundation
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDTestSupport
import ManagedDefaults
import Testing

/// A machine with one user, `pupil`, and one application.
extension TemporaryMachine {
    /// The application's domain.
    static let application = "org.example.Browser"

    /// Makes a machine with a policy file.
    convenience init(policy: String) throws {
        try self.init(.pupil)
        try self.policy("10-test.json", policy)
    }

    /// Writes a file.
    func write(bytes: [UInt8], to name: String) throws { try write(name, bytes) }

    /// Records policy, as `mdefaults policy apply` does.
    func apply() throws {
        let store = PolicyStore(root: root, settlingTime: 1_000)
        #expect(store.apply { _ in true }.isRecorded)
    }

    /// Every name beneath a folder, with the time at which it was changed; empty if there is none.
    func names(in folder: String) -> [String: Date?] {
        let names = FileManager.default.enumerator(atPath: path + "/" + folder)?.compactMap { $0 as? String } ?? []
        return Dictionary(
            uniqueKeysWithValues: names.map { name in
                let attributes = try? FileManager.default.attributesOfItem(atPath: "\(path)/\(folder)/\(name)")
                return (name, attributes?[.modificationDate] as? Date)
            })
    }

    /// Runs `mdefaults`, and gives its exit code.
    func command(_ words: [String]) throws -> Int32 {
        try SpawnedProgram.run(BuiltProgram.path("mdefaults"), words, environment: [:], folder: path).code
    }

    /// The text of a file beneath the folder; empty where there is none.
    func text(of file: String) -> String {
        (try? String(contentsOfFile: path + "/" + file, encoding: .utf8)) ?? ""
    }

    /// Opens the application's defaults.
    func open(arguments: [String] = []) throws -> ManagedDefaults {
        try ManagedDefaults(
            root: path, user: "pupil", application: TemporaryMachine.application, arguments: arguments)
    }

    /// The audit log, a line a record.
    var log: [String] {
        text(of: "var/log/managed-defaults/current.jsonl").split(separator: "\n").map(String.init)
    }

    /// The records of override attempts.
    var attempts: [String] { log.filter { $0.contains("\"kind\":\"override\"") } }

    /// The application's preference file.
    var settings: String { text(of: "home/pupil/.config/\(TemporaryMachine.application).plist") }
}
