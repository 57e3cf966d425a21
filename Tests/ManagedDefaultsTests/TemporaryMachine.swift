import Foundation
import ManagedDefaults
import Platform
import Policy
import TestSupport
import Testing

/// A machine in a temporary folder with one user, `pupil`, and one application.
final class TemporaryMachine {
    /// The folder.
    let path: String
    /// The application's domain.
    static let application = "org.example.Browser"

    /// Makes the folder with a policy file.
    init(policy: String) throws {
        path = NSTemporaryDirectory() + "managed-defaults-\(UUID().uuidString)"
        try write("pupil:x:\(geteuid()):\(getegid()):Pupil:/home/pupil:/bin/sh\n", to: "etc/passwd")
        try write("room1-pc01\n", to: "etc/hostname")
        try write(policy, to: "etc/managed-defaults/policies.d/10-test.json")
        try FileManager.default.createDirectory(atPath: path + "/home/pupil", withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file beneath the folder.
    func write(_ text: String, to file: String) throws {
        let target = URL(fileURLWithPath: path + "/" + file)
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: target)
    }

    /// Writes a file beneath the folder.
    func write(bytes: [UInt8], to file: String) throws {
        let target = URL(fileURLWithPath: path + "/" + file)
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: target)
    }

    /// Removes a file or folder beneath the folder.
    func remove(_ file: String) throws { try FileManager.default.removeItem(atPath: path + "/" + file) }

    /// Records policy, as `mdefaults policy apply` does.
    func apply() throws {
        let store = PolicyStore(root: try Root(directory: path), settlingTime: 1_000)
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
        let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = (bundle as NSString).deletingLastPathComponent + "/mdefaults"
        return try SpawnedProgram.run(program, words, environment: [:], folder: path).code
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
