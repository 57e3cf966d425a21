import Foundation
import MDTestSupport
import Testing

/// A machine of the repository that is asked everything about its policy.
struct AskedMachine: Sendable, CustomTestStringConvertible {
    /// Somebody, somewhere, at some moment.
    struct Subject: Sendable {
        /// The user.
        let user: String
        /// The host; `nil` for the machine's own.
        var host: String?
        /// The moment.
        let moment: String

        /// The options before a verb.
        var options: [String] {
            (host.map { ["--host", $0] } ?? []) + ["--user", user, "--at", moment]
        }
    }

    /// What the machine is called.
    let name: String
    /// Its folder in the repository.
    let source: String
    /// The moments at which every user is asked about.
    let moments: [String]
    /// Further questions, about other hosts.
    var visits: [Subject] = []
    /// Whether answers about now depend on the day, or on the services of the machine that runs the tests.
    var dependsOnTime = true

    /// The name.
    var testDescription: String { name }
}

extension AskedMachine {
    /// A policy fixture; `nil` for a folder without a machine.
    ///
    /// Its moments, and the visits of its users to other hosts, are those of its resultant sets.
    init?(fixture name: String, in folder: String) {
        let manager = FileManager.default
        let path = "\(Lab.repository)/\(folder)/\(name)"
        let root = path + "/root"
        guard manager.fileExists(atPath: root + "/etc/passwd") else { return nil }
        self.name = name
        source = "\(folder)/\(name)/root"
        let usual = "2026-11-23T10:00:00Z"
        let sets = ((try? manager.contentsOfDirectory(atPath: path + "/expected")) ?? []).sorted()
            .map { $0.dropLast(4).split(separator: "@").map(String.init) }
        moments = Set(sets.map { $0.count > 2 ? $0[2] : usual }).sorted()
        visits = sets.filter { $0[1] != "room1-pc03" }.map {
            Subject(user: $0[0], host: $0[1], moment: $0.count > 2 ? $0[2] : usual)
        }
        let texts = (manager.enumerator(atPath: root)?.compactMap { $0 as? String } ?? [])
            .compactMap { manager.contents(atPath: "\(root)/\($0)") }.map { String(decoding: $0, as: UTF8.self) }
        dependsOnTime = texts.contains { text in
            ["Schedule", "NotBefore", "NotAfter", "Until", "SetOnce", "RemovalDate"].contains { text.contains($0) }
        }
    }

    /// The people of a machine, and root.
    private static func users(of lab: Lab) throws -> [String] {
        let lines = try String(contentsOfFile: lab.path + "/etc/passwd", encoding: .utf8).split(separator: "\n")
        return lines.compactMap { line in
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count > 2, let uid = UInt32(fields[2]) else { return nil }
            return uid == 0 || (1000..<60000).contains(uid) ? String(fields[0]) : nil
        }
    }

    /// A line for each question.
    func answers() throws -> [String] {
        let lab = try Lab(copying: source)
        let users = try AskedMachine.users(of: lab)
        var lines: [String] = []
        /// Asks a question, keeps the line and says what was printed.
        @discardableResult func ask(_ words: [String]) throws -> String {
            let result = try lab.managed(words)
            lines.append(try Answer(words: words, result).line)
            return result.output
        }
        // Before anything is recorded, policy is in force all the same.
        for user in users { try ask(["--user", user, "--at", moments[0], "policy", "digest"]) }
        try ask(["policy", "apply"])
        try ask(["--at", moments[0], "policy", "lint", "--json"])
        var explained: Set<String> = []
        let subjects = moments.flatMap { moment in users.map { Subject(user: $0, moment: moment) } } + visits
        for subject in subjects {
            let options = subject.options
            try ask(options + ["policy", "list", "--json"])
            let set = try ask(options + ["policy", "show", "--json"])
            try ask(options + ["policy", "digest"])
            try ask(options + ["forced", "--json"])
            var stored = "{}"
            if subject.moment == moments[0] {
                try ask(options + ["domains", "--json"])
                stored = try ask(options + ["read", "--json"])
            }
            for question in try questions(set, stored) where explained.insert(question.identity).inserted {
                try ask(options + ["explain", question.domain, question.key, "--json"])
            }
        }
        for user in users { try ask(["--user", user, "policy", "facts"]) }
        guard !dependsOnTime else { return lines }
        for user in users {
            let forced = try lab.managed(["--user", user, "forced", "--json"]).objects.first
            guard let domain = forced?["domain"] as? String, let key = forced?["key"] as? String else { continue }
            try ask(["--user", user, "write", domain, key, "another"])
        }
        try ask(["audit", "list", "--json"])
        try ask(["audit", "verify", "--json"])
        try ask(["report", "--format", "json"])
        for user in users.suffix(1) { try ask(["--user", user, "doctor", "--json"]) }
        return lines
    }

    /// A key to explain.
    private struct Question {
        /// The domain.
        let domain: String
        /// The key.
        let key: String
        /// Equal for questions that have the same entry as their answer.
        let identity: String
    }

    /// The keys to explain to a user: each entry of the resultant set, and in each domain one stored key that is free.
    private func questions(_ set: String, _ stored: String) throws -> [Question] {
        let entries = try JSONSerialization.jsonObject(with: Data(set.utf8)) as? [[String: Any]] ?? []
        var named: Set<String> = []
        var result: [Question] = []
        for entry in entries {
            guard let domain = entry["domain"] as? String, let name = entry["key"] as? String else { continue }
            let key = name.isEmpty ? "AnyOther" : name
            let origin = try JSONSerialization.data(withJSONObject: entry["origin"] ?? [:], options: .sortedKeys)
            named.insert("\(domain) \(key)")
            result.append(
                Question(
                    domain: domain, key: key, identity: "\(domain) \(key) \(String(decoding: origin, as: UTF8.self))"))
        }
        let domains = try JSONSerialization.jsonObject(with: Data(stored.utf8)) as? [String: [String: Any]] ?? [:]
        for (domain, values) in domains.sorted(by: { $0.key < $1.key }) {
            guard let key = values.keys.sorted().first(where: { !named.contains("\(domain) \($0)") }) else { continue }
            result.append(Question(domain: domain, key: key, identity: "\(domain) \(key)"))
        }
        return result + [Question(domain: "org.example.Nothing", key: "Nothing", identity: "nothing")]
    }
}

/// One line of a golden file: a question, the exit code and what was printed.
private struct Answer {
    /// The line.
    let line: String

    /// What the machine and the run put into an answer, and what takes its place.
    private static let masks = [
        ("\"(time|boot|exe|made|last|since|day|digest)\":( ?)\"[^\"]*\"", "\"$1\":$2\"…\""),
        ("\"id\": \"[0-9a-f-]{36}\"", "\"id\": \"…\""), ("\"hour\": \\[[0-9,]*\\]", "\"hour\": […]"),
        ("\"origin\": \"managed-defaults/[^\"]*\"", "\"origin\": \"…\""),
        ("\"root\": \"[0-9A-Za-z+/]{43}=\"", "\"root\": \"…\""), ("\"name\": \"/[^\"]*/mdefaults\"", "\"name\": \"…\""),
        ("\"(mono|pid|start)\":[0-9]+", "\"$1\":0"),
        // Without a user it is the user that runs the tests.
        ("(\"kind\":\"policy\",\"src\":\"client\",\"host\":\"[^\"]*\",)\"uid\":[0-9]+", "$1\"uid\":0"),
        ("of log [0-9a-f]{32}", "of log …"),
    ]

    /// Makes a line; JSON loses its line breaks and indentation and nothing else, other text becomes a JSON string.
    init(words: [String], _ result: MDefaultsProcess.Result) throws {
        let isJSON = result.output.hasPrefix("{") || result.output.hasPrefix("[")
        var output =
            isJSON
            ? result.output.split(separator: "\n").map { $0.drop { $0 == " " } }.joined()
            : try Answer.json(result.output)
        for (pattern, replacement) in Answer.masks {
            output = output.replacingOccurrences(of: pattern, with: replacement, options: .regularExpression)
        }
        let error = result.error.isEmpty ? "" : ",\"error\":\(try Answer.json(result.error))"
        line =
            "{\"ask\":\(try Answer.json(words.joined(separator: " "))),\"exit\":\(result.code),\"says\":\(output)\(error)}"
    }

    /// A text as a JSON string.
    private static func json(_ text: String) throws -> String {
        String(decoding: try JSONEncoder.plain.encode(text), as: UTF8.self)
    }
}

extension JSONEncoder {
    /// Leaves slashes as they are.
    fileprivate static var plain: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return encoder
    }
}
