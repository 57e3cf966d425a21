import Foundation
import ManagedDefaults

/// One of the processes: threads that read and write the same domains as those of the others.
struct Worker {
    /// The folder of the machine.
    let root: String
    /// The number of the process.
    let process: Int
    /// How many processes there are.
    let processes: Int
    /// How many threads.
    let threads: Int
    /// How long.
    let seconds: Double
    /// Where chance begins.
    let seed: UInt64

    /// The domains; keys are spread over them.
    static let domains = ["org.example.one", "org.example.two", "org.example.three"]
    /// How many keys there are in all.
    static let keys = 12

    /// Numbers that only look random, the same ones for the same seed (SplitMix64).
    struct Chance: RandomNumberGenerator {
        /// The state of the generator.
        var state: UInt64

        /// The next number.
        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
            return mixed ^ (mixed >> 31)
        }
    }

    /// What a thread gathers.
    private final class Ledger: @unchecked Sendable {
        /// What it did.
        var operations: [Deed] = []
        /// How often it counted a counter up.
        var counted = 0
        /// What was wrong.
        var mistakes: [String] = []
    }

    /// Microseconds of the clock that never goes back.
    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }

    /// Works, waits for the others, and writes down what was done and what is there at the end.
    func run() throws {
        let stores = try Worker.domains.map { try ManagedDefaults(root: root, user: "pupil", application: $0) }
        let ledgers = (0..<threads).map { _ in Ledger() }
        let group = DispatchGroup()
        for (number, ledger) in ledgers.enumerated() {
            group.enter()
            Thread.detachNewThread {
                work(number, stores, ledger)
                group.leave()
            }
        }
        group.wait()
        var mistakes = ledgers.flatMap(\.mistakes)
        if !stores[0].synchronize() { mistakes.append("Process \(process) could not save at the end.") }
        try meet()
        if !stores[0].synchronize() { mistakes.append("Process \(process) could not read at the end.") }
        let final = (0..<Worker.keys).map { "final \($0) \(Worker.value(stores[$0 % 3], $0))" }
        mistakes += stores[0].drainProblems().map(\.description)
        let lines =
            ledgers.flatMap(\.operations).map(\.line) + final
            + ["counted \(ledgers.reduce(0) { $0 + $1.counted })", "counter \(stores[0].integer(forKey: "counter"))"]
            + mistakes.map { "mistake \($0)" }
        try (lines.joined(separator: "\n") + "\n").write(
            toFile: "\(root)/history-\(process)", atomically: true, encoding: .utf8)
    }

    /// What one thread does.
    private func work(_ thread: Int, _ stores: [ManagedDefaults], _ ledger: Ledger) {
        var chance = Chance(state: seed &+ UInt64(process) << 32 &+ UInt64(thread))
        let last = Worker.now() + Int64(seconds * 1_000_000)
        var written: Int64 = 0
        while Worker.now() < last {
            for _ in 0..<Int.random(in: 1...12, using: &chance) {
                let key = Int.random(in: 0..<Worker.keys, using: &chance)
                let store = stores[key % 3]
                let begin = Worker.now()
                switch Int.random(in: 0..<100, using: &chance) {
                case 0..<80:
                    let value = Worker.value(store, key)
                    ledger.operations.append(
                        Deed(.read, process: process, key: key, value: value, begin: begin, end: Worker.now()))
                case 80..<97:
                    written += 1
                    let value = written % 9 == 0 ? 0 : (Int64(process) << 48 | Int64(thread + 1) << 40 | written)
                    let outcome =
                        value == 0
                        ? store.removeObject(forKey: "key \(key)")
                        : key % 2 == 0
                            ? store.set(Int(value), forKey: "key \(key)") : store.set("\(value)", forKey: "key \(key)")
                    let end = Worker.now()
                    if !outcome.isInEffect { ledger.mistakes.append("A write was not taken: \(outcome)") }
                    ledger.operations.append(
                        Deed(.write, process: process, key: key, value: value, begin: begin, end: end))
                case 97:
                    let outcome = stores[0].updateObject(forKey: "counter") { ($0 as? Int ?? 0) + 1 }
                    if outcome == .stored {
                        ledger.counted += 1
                    } else {
                        ledger.mistakes.append("Not counted: \(outcome)")
                    }
                case 98:
                    if !store.synchronize() { ledger.mistakes.append("Could not synchronize.") }
                default:
                    guard case .refused = store.set(1, forKey: "Forced"), store.objectIsForced(forKey: "Forced"),
                        store.string(forKey: "Forced") == "always"
                    else {
                        ledger.mistakes.append("A forced key was not forced.")
                        continue
                    }
                }
            }
            // The load, not a condition: other threads run, saves gather.
            usleep(UInt32.random(in: 0...20_000, using: &chance))
        }
    }

    /// What a key holds; 0 for nothing.
    private static func value(_ store: ManagedDefaults, _ key: Int) -> Int64 {
        key % 2 == 0
            ? Int64(store.integer(forKey: "key \(key)"))
            : store.string(forKey: "key \(key)").flatMap { Int64($0) } ?? 0
    }

    /// Waits until every process has come here.
    private func meet() throws {
        let folder = "\(root)/meeting"
        try "here".write(toFile: "\(folder)/\(process)", atomically: true, encoding: .utf8)
        while try FileManager.default.contentsOfDirectory(atPath: folder).filter({ Int($0) != nil }).count < processes {
            usleep(5_000)
        }
    }
}
