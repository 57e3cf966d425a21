import Foundation
import ManagedDefaults

/// Times reads of ManagedDefaults and of Foundation's UserDefaults in turn, in one run.
///
/// `swift run -c release managed-defaults-benchmarks` prints nanoseconds for each operation and their ratio;
/// with the argument `save`, what saving and reading a domain costs, with `cold` what a new process pays, with `whole` what whole processes do, with `policy`
/// what compiled policy costs, with `flips` how late running programs see what a moment changes, with `propagation` how
/// soon a running program observes a change, with `refusal` what a refused write costs its caller, with `service` how many
/// records the audit service stores. `Tests/Benchmarks/run` measures GNUstep's NSUserDefaults beside them.
@main
struct Benchmarks {
    /// The number of keys of the domain.
    static let keyCount = 1_000
    /// The number of rounds; each times both sides, and the median round counts.
    static let rounds = 9
    /// The calls in one timing.
    static let calls = 20_000

    /// The figures of GNUstep; empty if it was not measured.
    static let gnustep = PeerFigures(variable: "GNUSTEP_FIGURES")

    /// Sets up a machine and runs all in a child, because Foundation reads the environment once, before `main`.
    static func main() throws {
        if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "--measure" {
            try measure(BenchmarkLab(root: CommandLine.arguments[2]))
            return
        }
        if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "--measure-save" {
            try SaveBenchmark(folder: CommandLine.arguments[2]).run()
            return
        }
        if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "--measure-compiling" {
            return try PolicyBenchmarkMachine.measureCompiling(root: CommandLine.arguments[2])
        }
        if CommandLine.arguments.count == 5, CommandLine.arguments[1] == "--measure-cold" {
            try ColdStartBenchmark.measure(
                root: CommandLine.arguments[2], side: CommandLine.arguments[3], domain: CommandLine.arguments[4])
            return
        }
        if CommandLine.arguments.count == 5, CommandLine.arguments[1] == "--two" {
            try TwoProcesses(folder: CommandLine.arguments[3]).save(
                CommandLine.arguments[2], prefix: CommandLine.arguments[4])
            return
        }
        if CommandLine.arguments.count == 4, CommandLine.arguments[1] == "--flips" {
            return try FlipBenchmark.observe(
                root: CommandLine.arguments[2], first: Int64(CommandLine.arguments[3]) ?? 0)
        }
        if CommandLine.arguments.dropFirst().first == "refusal" { return try RefusalBenchmark.run() }
        if CommandLine.arguments.dropFirst().first == "service" {
            return try ServiceBenchmark.run(CommandLine.arguments.dropFirst(2))
        }
        if CommandLine.arguments.dropFirst().first == "flips" { return try FlipBenchmark.run() }
        if let side = CommandLine.arguments.dropFirst().first, ["policy", "propagation"].contains(side) {
            let folder = NSTemporaryDirectory() + "managed-defaults-benchmark-\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            if side == "propagation" { return try PropagationBenchmark(folder: folder).run() }
            return try PolicyBenchmark(folder: folder).run()
        }
        if CommandLine.arguments.dropFirst().first == "whole" {
            return try WholeProcessBenchmark(programs: Array(CommandLine.arguments.dropFirst(2))).run()
        }
        let isSave = CommandLine.arguments.dropFirst().first == "save"
        let lab = try BenchmarkLab(keyCount: keyCount)
        defer { lab.remove() }
        if CommandLine.arguments.dropFirst().first == "cold" { return try ColdStartBenchmark(lab: lab).run() }
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        child.arguments = isSave ? ["--measure-save", lab.configuration] : ["--measure", lab.root]
        child.environment = ["XDG_CONFIG_HOME": lab.configuration, "HOME": lab.root]
        child.environment?["GNUSTEP_FIGURES"] = ProcessInfo.processInfo.environment["GNUSTEP_FIGURES"]
        try child.run()
        child.waitUntilExit()
    }

    /// Times everything.
    static func measure(_ lab: BenchmarkLab) throws {
        let managed = try ManagedDefaults(root: lab.root, user: "user", application: lab.domain)
        guard let foundation = UserDefaults(suiteName: lab.domain) else { throw BenchmarkLab.Failure.noUserDefaults }
        guard managed.bool(forKey: "Key500"), foundation.bool(forKey: "Key500"),
            managed.objectIsForced(forKey: "ForcedKey"), !managed.objectIsForced(forKey: "Key500")
        else { throw BenchmarkLab.Failure.wrongValues }

        print(
            "\(keyCount) keys, least and median of \(rounds) rounds of \(calls) calls, both sides in turn, ns a call;"
                + " ratios of the medians")
        print("operation                      least ManagedDefaults   least UserDefaults   ratio    GNUstep   ratio")
        compare(
            "bool(forKey:), hit", peer: "hit", { managed.bool(forKey: "Key500") }, { foundation.bool(forKey: "Key500") }
        )
        compare(
            "bool(forKey:), miss", peer: "miss", { managed.bool(forKey: "NoSuchKey") },
            { foundation.bool(forKey: "NoSuchKey") })
        compare(
            "integer(forKey:), hit", peer: "integer", { managed.integer(forKey: "Number7") },
            { foundation.integer(forKey: "Number7") })
        compare(
            "string(forKey:), 34 bytes", peer: "string", { managed.string(forKey: "Text") },
            { foundation.string(forKey: "Text") })
        compare(
            "objectIsForced(forKey:)", { managed.objectIsForced(forKey: "ForcedKey") },
            { foundation.objectIsForced(forKey: "ForcedKey") })
        print("UserDefaults answers objectIsForced with a constant false; the fair comparison is its bool(forKey:):")
        compare(
            "objectIsForced against bool", { managed.objectIsForced(forKey: "ForcedKey") },
            { foundation.bool(forKey: "Key500") })
        try typed(managed, foundation)
        scaling(managed, foundation)
        try writing(lab, managed, foundation)
    }

    /// Times one operation on both sides and prints a row, with the figure of a peer that was measured before.
    static func compare<A, B>(
        _ name: String, calls: Int = calls, peer: String? = nil, _ ours: () -> A, _ theirs: () -> B
    ) {
        var times: (ours: [Double], theirs: [Double]) = ([], [])
        for _ in 0..<rounds {
            times.ours.append(time(calls, ours))
            times.theirs.append(time(calls, theirs))
        }
        let (one, other) = (median(times.ours), median(times.theirs))
        var row = column(name, 32) + number(times.ours.min() ?? 0, 8) + number(one, 11)
        row += number(times.theirs.min() ?? 0, 10) + number(other, 11) + number(other / one, 8) + "x"
        if let figure = peer.flatMap({ gnustep[$0] }) { row += number(figure, 11) + number(figure / one, 8) + "x" }
        print(row)
    }

    /// Nanoseconds of one call.
    static func time<Result>(_ calls: Int, _ operation: () -> Result) -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        for _ in 0..<calls { blackHole(operation()) }
        return nanoseconds(clock.now - start) / Double(calls)
    }

    /// How much faster two threads are than one, for both sides.
    static func scaling(_ managed: ManagedDefaults, _ foundation: UserDefaults) {
        nonisolated(unsafe) let foundation = foundation
        print("two threads instead of one, bool(forKey:), total speed-up:")
        print("  ManagedDefaults \(number(speedUp { managed.bool(forKey: "Key500") }, 5))x")
        print("  UserDefaults    \(number(speedUp { foundation.bool(forKey: "Key500") }, 5))x")
    }

    /// The total speed of two threads over that of one; the best of the rounds, because the machine is shared.
    static func speedUp(_ operation: @escaping @Sendable () -> Bool) -> Double {
        var best = 0.0
        for _ in 0..<rounds {
            let one = time(calls, operation)
            let clock = ContinuousClock()
            let start = clock.now
            let threads = (0..<2).map { _ in
                let done = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    for _ in 0..<calls * 10 { blackHole(operation()) }
                    done.signal()
                }
                return done
            }
            for thread in threads { thread.wait() }
            best = max(best, one * 20 * Double(calls) / nanoseconds(clock.now - start))
        }
        return best
    }

    /// Keeps the optimizer from dropping a result.
    @inline(never)
    static func blackHole<Value>(_ value: Value) {
        withExtendedLifetime(value) {}
    }

    /// A duration in nanoseconds.
    static func nanoseconds(_ duration: Duration) -> Double {
        let parts = duration.components
        return Double(parts.seconds) * 1e9 + Double(parts.attoseconds) / 1e9
    }

    /// The middle of some figures.
    static func median(_ figures: [Double]) -> Double {
        figures.sorted()[figures.count / 2]
    }

    /// A text filled up with blanks.
    static func column(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// A number with one decimal, right-aligned.
    static func number(_ value: Double, _ width: Int, digits: Int = 1) -> String {
        let text = String(format: "%.\(digits)f", value)
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }
}

/// A Codable type.
private struct Point: Codable {
    /// A coordinate.
    var horizontal = 1.5
    /// A coordinate.
    var vertical = 2.5
}

extension ManagedDefaults.Keys {
    /// A Boolean with a value.
    fileprivate static let flag = Key("Key500", default: false)
    /// A Boolean without a value.
    fileprivate static let missing = Key("NoSuchKey", default: true)
    /// A whole number.
    fileprivate static let number = Key("Number7", default: 1)
    /// A text.
    fileprivate static let text = Key("Text", default: "")
    /// A Codable type.
    fileprivate static let point = Key("Point", default: Point())
}

extension Benchmarks {
    /// Times typed reads beside Foundation's plain getters; for a Codable type, beside its decoder.
    static func typed(_ managed: ManagedDefaults, _ foundation: UserDefaults) throws {
        let point = try PropertyListEncoder().encode(Point())
        foundation.set(point, forKey: "Point")
        managed.set(Point(), for: .point)
        guard managed[.flag], managed[.missing], managed[.number] == foundation.integer(forKey: "Number7"),
            managed[.text] == foundation.string(forKey: "Text"), managed.drainProblems().isEmpty
        else { throw BenchmarkLab.Failure.wrongValues }
        print("typed reads, beside Foundation's plain getters:")
        compare("defaults[.flag], hit", { managed[.flag] }, { foundation.bool(forKey: "Key500") })
        compare("defaults[.missing], default", { managed[.missing] }, { foundation.bool(forKey: "NoSuchKey") })
        compare("defaults[.number]", { managed[.number] }, { foundation.integer(forKey: "Number7") })
        compare("defaults[.text], 34 bytes", { managed[.text] }, { foundation.string(forKey: "Text") })
        compare(
            "defaults[.point], Codable", calls: 2_000, { managed[.point] },
            {
                foundation.data(forKey: "Point").flatMap { try? PropertyListDecoder().decode(Point.self, from: $0) }
            })
        compare("setting(for: .flag)", { managed.setting(for: .flag) }, { foundation.bool(forKey: "Key500") })
    }
}

extension Benchmarks {
    /// Times changes in memory, some with the next read.
    static func writing(_ lab: BenchmarkLab, _ managed: ManagedDefaults, _ foundation: UserDefaults) throws {
        let large = try ManagedDefaults(root: lab.root, user: "user", application: lab.largeDomain)
        guard let foundationLarge = UserDefaults(suiteName: lab.largeDomain), large.integer(forKey: "Key77") == 77,
            foundationLarge.integer(forKey: "Key77") == 77
        else { throw BenchmarkLab.Failure.wrongValues }
        print("\nChanges in memory; saves go on beside, as in an application")
        var number = 1_000_000
        /// A value that no key has yet.
        func next() -> Int {
            number += 1
            return number
        }
        compare(
            "set(_:forKey:), 1,000 keys", peer: "set", { managed.set(next(), forKey: "Number3") },
            { foundation.set(next(), forKey: "Number3") })
        compare(
            "set(_:forKey:), equal value", { managed.set(true, forKey: "Key5") },
            { foundation.set(true, forKey: "Key5") })
        compare(
            "set then read, 1,000 keys", calls: 500, peer: "set then read",
            { (managed.set(next(), forKey: "Number3"), managed.integer(forKey: "Number4")) },
            { (foundation.set(next(), forKey: "Number3"), foundation.integer(forKey: "Number4")) })
        compare(
            "set then read, 10,000 keys", calls: 50,
            { (large.set(next(), forKey: "Key3"), large.integer(forKey: "Key4")) },
            { (foundationLarge.set(next(), forKey: "Key3"), foundationLarge.integer(forKey: "Key4")) })
        let registered = Dictionary(uniqueKeysWithValues: (0..<1_000).map { ("Registered\($0)", $0 as Any) })
        compare(
            "register(defaults:), 1,000 keys", calls: 20, peer: "register", { managed.register(defaults: registered) },
            { foundation.register(defaults: registered) })
        compare(
            "set, dictionaryRepresentation()", calls: 20, peer: "representation",
            { (managed.set(next(), forKey: "Number3"), managed.dictionaryRepresentation()) },
            { (foundation.set(next(), forKey: "Number3"), foundation.dictionaryRepresentation()) })
        compare(
            "dictionaryRepresentation(), again", calls: 20, { managed.dictionaryRepresentation() },
            { foundation.dictionaryRepresentation() })
    }
}

/// The figures of a peer that another program measured: lines of a name, a tab and nanoseconds.
///
/// `Tests/Benchmarks/run` measures GNUstep just before, and names the file in `GNUSTEP_FIGURES`.
struct PeerFigures {
    /// Nanoseconds by name; empty if nothing was measured.
    private let figures: [String: Double]

    /// Reads the file that the environment names.
    init(variable: String) {
        guard let path = ProcessInfo.processInfo.environment[variable],
            let text = try? String(contentsOfFile: path, encoding: .utf8)
        else {
            figures = [:]
            return
        }
        let pairs = text.split(separator: "\n").compactMap { line -> (String, Double)? in
            let parts = line.split(separator: "\t")
            guard parts.count == 2, let figure = Double(parts[1]) else { return nil }
            return (String(parts[0]), figure)
        }
        figures = Dictionary(pairs) { _, last in last }
    }

    /// The figure of an operation.
    subscript(name: String) -> Double? { figures[name] }
}
