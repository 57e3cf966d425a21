import Foundation
import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTestSupport

extension Lab {
    /// The audit log.
    var log: String { path + AuditLog.path }

    /// Runs `mdefaults --root lab …` beside the machine's folder, so that every path that is printed is the same in
    /// each run.
    func managed(_ words: String...) throws -> MDefaultsProcess.Result {
        try managed(words)
    }

    /// Runs `mdefaults --root lab …` beside the machine's folder.
    func managed(_ words: [String]) throws -> MDefaultsProcess.Result {
        try MDefaultsProcess(folder: folder).run(["--root", "lab"] + words)
    }

    /// Records policy as it is.
    ///
    /// - Throws: where not all of it could be recorded.
    func apply() throws {
        let result = try managed("policy", "apply")
        guard result.code != 0 else { return }
        throw MDefaultsProcess.Failure(description: "policy apply exits \(result.code): \(result.error)")
    }

    /// Writes a policy file.
    func add(policy name: String, _ text: String) throws {
        try policy(name, text)
    }

    /// Records three attempts and a change of policy, all at fixed times.
    func recordAttempts() throws {
        let first = try record(of: "bob", 1002, at: "2026-11-20T08:00:00.250000Z")
        var second = try record(of: "alice", 1001, at: "2026-11-20T09:30:00Z")
        second.domain = "org.example.Chat"
        second.key = "Enabled"
        second.forced = ValueSummary(.boolean(false))
        second.tried = ValueSummary(.boolean(true))
        (second.count, second.last) = (3, Timestamp(rfc3339: "2026-11-20T09:30:07Z"))
        var third = try record(of: "bob", 1002, at: "2026-11-21T08:00:00Z")
        third.tried = nil
        (third.via, third.outcome) = (.remove, .hidden)
        third.host = "room1-pc04"
        var change = AuditRecord(kind: .policy, src: .client, note: "changed \u{202e}by\u{1b}[31m hand")
        (change.boot, change.mono, change.host) = ("boot", 4, "room1-pc03")
        change.time = Timestamp(rfc3339: "2026-11-21T09:00:00Z")
        change.policy = PolicyReference(file: "/etc/managed-defaults/policies.d/10-site.json")
        try AuditLog(root: root).append([first, second, third, change])
    }

    /// A refused attempt on the browser's home page.
    private func record(of user: String, _ uid: UInt32, at time: String) throws -> AuditRecord {
        var record = AuditRecord(kind: .override, src: .client)
        (record.boot, record.mono, record.host) = ("boot", 1, "room1-pc03")
        record.time = Timestamp(rfc3339: time)
        (record.uid, record.user) = (uid, user)
        (record.via, record.outcome) = (.cli, .refused)
        (record.domain, record.key) = ("org.example.Browser", "HomePage")
        record.forced = ValueSummary(.string("https://start.school.example/class?who=\(user)"))
        record.tried = ValueSummary(.string("https://games.example/" + String(repeating: "x", count: 100)))
        record.policy = PolicyReference(
            id: "edu.example.school.classroom", file: "/etc/managed-defaults/policies.d/20-classroom.json", line: 27)
        return record
    }
}

extension MDefaultsProcess.Result {
    /// Standard output as JSON.
    var json: Any {
        get throws { try JSONSerialization.jsonObject(with: Data(output.utf8)) }
    }

    /// Standard output as a JSON object.
    var object: [String: Any] {
        get throws { try json as? [String: Any] ?? [:] }
    }

    /// Standard output as a JSON array of objects.
    var objects: [[String: Any]] {
        get throws { try json as? [[String: Any]] ?? [] }
    }
}
