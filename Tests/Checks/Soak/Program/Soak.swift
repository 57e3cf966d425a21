import Foundation
import MDTestSupport

/// Runs the processes and checks what they saw.
struct Soak {
    /// How many processes.
    static let processes = 4
    /// How many threads in each.
    static let threads = 10
    /// How long a write may take to another process before it counts as lost, in microseconds; far above any real one,
    /// so that a busy machine causes no failure.
    static let arrival: Int64 = 10_000_000

    /// What was found.
    struct Result {
        /// What cannot be.
        var violations: [String]
        /// A summary.
        var text: String
    }

    /// Runs for some seconds.
    static func run(seconds: Double, program: String) throws -> Result {
        let root = NSTemporaryDirectory() + "soak-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: root) }
        try prepare(root)
        let seed = UInt64.random(in: 0...UInt64(UInt32.max))
        let path = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let running = try (0..<processes).map { number in
            let files = ["in", "out", "err"].map { "\(root)/\($0)-\(number)" }
            for file in files { try Data().write(to: URL(fileURLWithPath: file)) }
            return try SpawnedProgram(
                path, ["worker", root, "\(number)", "\(seconds)", "\(seed)"],
                environment: ProcessInfo.processInfo.environment, folder: "/",
                streams: (input: files[0], output: files[1], error: files[2]))
        }
        var violations: [String] = []
        for (number, program) in running.enumerated() {
            let code = try program.code(within: seconds + 300)
            let errors = (try? String(contentsOfFile: "\(root)/err-\(number)", encoding: .utf8)) ?? ""
            if code != 0 { violations.append("Process \(number) ended with \(code). \(errors)") }
        }
        return check(root, seed, violations)
    }

    /// Makes a machine with one user and one forced key in each domain.
    private static func prepare(_ root: String) throws {
        for folder in ["etc/managed-defaults/policies.d", "home/pupil", "meeting"] {
            try FileManager.default.createDirectory(atPath: "\(root)/\(folder)", withIntermediateDirectories: true)
        }
        try "pupil:x:\(geteuid()):\(getegid()):Pupil:/home/pupil:/bin/sh\n"
            .write(toFile: root + "/etc/passwd", atomically: true, encoding: .utf8)
        let entries = Worker.domains.map { "\"\($0)\": { \"Forced\": \"always\" }" }.joined(separator: ", ")
        try "{ \"Identifier\": \"org.example.soak\", \"Forced\": { \(entries) } }"
            .write(
                toFile: root + "/etc/managed-defaults/policies.d/10-soak.json", atomically: true, encoding: .utf8)
    }

    /// Checks what the processes wrote down.
    private static func check(_ root: String, _ seed: UInt64, _ before: [String]) -> Result {
        var violations = before
        var operations: [Deed] = []
        var (finals, counters): ([Set<String>], Set<String>) = (Array(repeating: [], count: Worker.keys), [])
        var counted = 0
        for number in 0..<processes {
            let text = (try? String(contentsOfFile: "\(root)/history-\(number)", encoding: .utf8)) ?? ""
            for line in text.split(separator: "\n") {
                if let operation = Deed(line: line) {
                    operations.append(operation)
                    continue
                }
                let words = line.split(separator: " ", maxSplits: 2).map(String.init)
                switch words[0] {
                case "final": finals[Int(words[1]) ?? 0].insert(words[2])
                case "counted": counted += Int(words[1]) ?? 0
                case "counter": counters.insert(words[1])
                default: violations.append("Process \(number): \(line)")
                }
            }
        }
        for (key, values) in finals.enumerated() where values.count != 1 {
            violations.append("Key \(key): the processes end with different values: \(values.sorted())")
        }
        if counters != ["\(counted)"] {
            violations.append("The counter was counted up \(counted) times and is \(counters.sorted()).")
        }
        violations += History(operations: operations, arrival: arrival).violations
        let writes = operations.reduce(0) { $0 + ($1.kind == .write ? 1 : 0) }
        let text =
            "seed \(seed): \(operations.count - writes) reads, \(writes) writes, \(counted) exclusive updates, "
            + "\(violations.count) violations"
        return Result(violations: violations, text: ([text] + violations.prefix(20)).joined(separator: "\n"))
    }
}
