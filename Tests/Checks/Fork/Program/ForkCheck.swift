import Glibc
import MDCPlatform
import MDEngine
import MDPlatform
import ManagedDefaults

/// A program with threads that write, whose forked children use the same defaults.
///
///     fork-check held ROOT           every lock that matters is held at the fork; exits 0 if no child hangs
///     fork-check COUNT ROOT HELPER   forks so often beside threads that write
///
/// A child that does not end within 10 s is a hung one: HELPER gets its process id, and the child is killed. Prints a line
/// with the numbers, and exits 1 if a child hung or found something else than it is to find.
@main
enum ForkCheck {
    /// The application that the machine has policy for.
    private static let application = "org.example.Fork"

    static func main() {
        let words = CurrentProcess.arguments
        guard words.count >= 2,
            let defaults = try? ManagedDefaults(root: words[1], user: "pupil", application: application)
        else { exit(98) }
        defaults.register(defaults: ["Registered": "yes"])
        guard defaults.string(forKey: "Page") == "value" else { exit(97) }
        exit(
            words[0] == "held" ? held(defaults) : beside(defaults, Int(words[0]) ?? 1, words.count > 2 ? words[2] : ""))
    }

    /// What a child does; 0 if it finds what it is to find.
    private static func child(_ defaults: ManagedDefaults, _ number: Int, saves: Bool = true) -> Int32 {
        guard defaults.objectIsForced(forKey: "Page"), defaults.string(forKey: "Page") == "value" else { return 2 }
        guard defaults.string(forKey: "Registered") == "yes" else { return 3 }
        guard !defaults.set("mine", forKey: "Page").isInEffect else { return 4 }
        guard defaults.set(number, forKey: "Child").isInEffect, defaults.integer(forKey: "Child") == number else {
            return 5
        }
        return !saves || defaults.synchronize() ? 0 : 6
    }

    /// Forks, and waits for the child.
    ///
    /// - Returns: its exit code; `nil` for one that hung.
    private static func fork(_ helper: String = "", _ body: () -> Int32) -> Int32? {
        let process = cplatform_fork()
        if process == 0 { _exit(body()) }
        let end = Clock.monotonicMicroseconds() + 10_000_000
        var status: Int32 = 0
        while Clock.monotonicMicroseconds() < end {
            if waitpid(process, &status, WNOHANG) == process { return status & 0x7f == 0 ? status >> 8 & 0xff : -1 }
            Clock.pause(microseconds: 200)
        }
        if !helper.isEmpty {
            _ = try? Subprocess.run(helper, ["\(process)"], timeoutMilliseconds: 30_000, limit: 1_000)
        }
        kill(process, SIGKILL)
        waitpid(process, &status, 0)
        return nil
    }

    /// Holds a lock in another thread, and runs a function meanwhile.
    private static func holding(_ hold: @escaping @Sendable (() -> Void) -> Void, _ body: () -> Void) {
        let state = Guarded(resettable: (isHeld: false, isOver: false))
        _ = BackgroundThread.run("holder") {
            hold {
                state.withLock { $0.isHeld = true }
                while !state.read({ $0.isOver }) { Clock.pause(microseconds: 500) }
            }
            state.withLock { $0.isOver = false }
        }
        while !state.read({ $0.isHeld }) { Clock.pause(microseconds: 500) }
        body()
        state.withLock { $0.isOver = true }
        while state.read({ $0.isOver }) { Clock.pause(microseconds: 500) }
    }

    /// Forks while locks are held.
    private static func held(_ defaults: ManagedDefaults) -> Int32 {
        var failures: [String] = []
        /// Notes a child that did not end well.
        func expect(_ what: String, _ code: Int32?) {
            if code != 0 { failures.append("\(what): \(code.map { "\($0)" } ?? "hung")") }
        }
        let number = Guarded(resettable: 5)
        holding({ wait in
            number.withLock {
                $0 = 6
                wait()
            }
        }) {
            expect("changed", fork { number.withLock { $0 } == 5 && number.read { $0 } == 5 ? 0 : 2 })
            expect("tried", fork { number.tryWithLock { $0 } == 5 ? 0 : 2 })
            expect("twice", fork { fork { number.read { $0 } == 5 ? 0 : 2 } ?? 3 })
        }
        guard number.withLock({ $0 }) == 6 else { return 1 }
        holding({ wait in
            number.read { _ in wait() }
        }) {
            expect("read", fork { number.withLock { $0 } == 6 ? 0 : 2 })
        }
        // Nearly all of this time the lock of what is in memory is held.
        let many = Dictionary(uniqueKeysWithValues: (0..<20_000).map { ("Many\($0)", $0) })
        let isOver = Guarded(resettable: false)
        _ = BackgroundThread.run("registering") {
            var round = 0
            while !isOver.read({ $0 }) {
                round += 1
                defaults.register(defaults: many.mapValues { $0 + round })
            }
        }
        for round in 0..<4 { expect("memory", fork { child(defaults, round) }) }
        expect("memory, twice", fork { fork { child(defaults, 9) } ?? 7 })
        expect("reading alone", fork { defaults.string(forKey: "Page") == "value" ? 0 : 2 })
        isOver.withLock { $0 = true }
        // The lock of files; the file itself is locked by the parent, so the child cannot save yet.
        holding({ wait in
            defaults.updateObject(forKey: "Held") { value in
                wait()
                return value
            }
        }) {
            expect("files", fork { child(defaults, 3, saves: false) })
        }
        // What the parent has not saved is known to a child where no lock was held, and is the parent's to save.
        defaults.set("new", forKey: "Unsaved")
        expect("unsaved", fork { defaults.string(forKey: "Unsaved") == "new" ? 0 : 2 })
        // An inherited lock would keep the parent from its own file.
        let lock = try? defaults.engine.root.lock("/held.lock", seconds: 0)
        let waiting = cplatform_fork()
        if waiting == 0 {
            sleep(60)
            _exit(0)
        }
        withExtendedLifetime(lock) {}
        _ = consume lock
        if (try? defaults.engine.root.lock("/held.lock", seconds: 0)) == nil { failures.append("the lock stayed") }
        kill(waiting, SIGKILL)
        waitpid(waiting, nil, 0)
        for failure in failures { print(failure) }
        return failures.isEmpty ? 0 : 1
    }

    /// Forks beside threads that write.
    private static func beside(_ defaults: ManagedDefaults, _ count: Int, _ helper: String) -> Int32 {
        for thread in 0..<4 {
            _ = BackgroundThread.run("writer") {
                var round = 0
                while true {
                    round += 1
                    defaults.set("\(round)", forKey: "Key\(thread)")
                    defaults.set("mine", forKey: "Page")
                    _ = defaults.objectIsForced(forKey: "Key\(round % 8)")
                    defaults.register(defaults: ["Default\(thread)": round])
                    defaults.observeChanges(forKey: "Page") { _ in }.cancel()
                    if round % 100 == 0 { _ = defaults.synchronize() }
                }
            }
        }
        var (hung, wrong): (Int, [Int32: Int]) = (0, [:])
        for number in 0..<count {
            guard let code = fork(helper, { child(defaults, number) }) else {
                hung += 1
                continue
            }
            if code != 0 { wrong[code, default: 0] += 1 }
        }
        print("swift: \(count) forks, \(hung) hung, \(wrong.values.reduce(0, +)) wrong \(wrong)")
        // The threads go on until the process ends.
        fflush(nil)
        _exit(hung == 0 && wrong.isEmpty ? 0 : 1)
    }
}
