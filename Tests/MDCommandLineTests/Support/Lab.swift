import Foundation
import MDPropertyList
import MDTestSupport

/// A copy of the machine in `Examples/lab` or of another one of the repository; commands run in the folder around it.
typealias Lab = TemporaryMachine

extension TemporaryMachine {
    /// The repository.
    static var repository: String { BuiltProgram.repository.path }

    /// Copies a machine without what it recorded.
    ///
    /// - Parameter source: its folder in the repository.
    /// - Throws: if it cannot be copied.
    convenience init(copying source: String = "Examples/lab") throws {
        try self.init(
            copying: BuiltProgram.repository.appendingPathComponent(source), in: Place(named: "lab"))
    }

    /// Runs `mdefaults --root LAB --user USER …`, without a user where the verb is about no user in particular.
    func run(as user: String = "alice", _ words: [String], input: String = "") throws -> MDefaultsProcess.Result {
        try MDefaultsProcess(folder: folder).run(
            ["--root", path] + Lab.option(ofUser: user, for: words) + words, input: input)
    }

    /// `--user NAME` for a command line whose verb takes it, and where it narrows nothing.
    static func option(ofUser user: String, for words: [String]) -> [String] {
        let own = ["list", "show", "diff", "digest", "facts"]
        let isAboutUser =
            switch words.first {
            case "policy": words.count > 1 && own.contains(words[1])
            case "programs": words.count > 1 && words[1] != "list"
            case "audit", "report", "fleet": false
            default: true
            }
        return isAboutUser ? ["--user", user] : []
    }

    /// The path of a user's preference file.
    func file(of user: String, _ domain: String) -> String { "\(path)/home/\(user)/.config/\(domain).plist" }

    /// What a user has stored; `nil` without a file.
    func stored(_ user: String, _ domain: String) throws -> [Key: Value]? {
        try values(file(of: user, domain))
    }

    /// The entries of a property list file; `nil` without one.
    func values(_ file: String) throws -> [Key: Value]? {
        guard let data = FileManager.default.contents(atPath: file) else { return nil }
        return Node.dictionary(try Document.read(Array(data)).rootEntries())
    }

    /// The override attempts of the log: key, outcome, way and whether something was tried.
    func attempts() throws -> [String] {
        let data = FileManager.default.contents(atPath: path + "/var/log/managed-defaults/current.jsonl") ?? Data()
        return try data.split(separator: 0x0a).compactMap { line in
            guard let record = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any],
                record["kind"] as? String == "override"
            else { return nil }
            let words = ["user", "via", "outcome", "domain", "key"].map { record[$0] as? String ?? "-" }
            return (words + [record["tried"] == nil ? "removal" : "value"]).joined(separator: " ")
        }
    }

    /// Replaces one text in a file of the machine, and says whether it was there.
    func edit(_ name: String, _ text: String, _ replacement: String) throws -> Bool {
        let content = try String(contentsOfFile: path + "/" + name, encoding: .utf8)
        guard content.contains(text) else { return false }
        try content.replacingOccurrences(of: text, with: replacement)
            .write(toFile: path + "/" + name, atomically: false, encoding: .utf8)
        return true
    }
}
