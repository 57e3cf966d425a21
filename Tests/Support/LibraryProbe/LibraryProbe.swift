import Foundation
import MDPlatform
import ManagedDefaults

/// A program as an application is: it opens its defaults and says what it finds of its keys.
///
///     library-probe ROOT USER DOMAIN KEY[,KEY…]
///     library-probe ROOT USER DOMAIN KEY [watch | every MILLISECONDS | into FILE]
///     library-probe ROOT USER DOMAIN KEY reopen COUNT
///     library-probe / - DOMAIN KEY again
///
/// ROOT `/` and USER `-` are this machine and the caller. Prints a line for each key: `forced` or `free`, the value or `-`, and what
/// became of a write: `stored`, `refused` or `invalid`; with `watch` a line whenever the value or its being forced
/// changes, until it is killed or two minutes are over; with `every` the same, looking that seldom, for an hour; with
/// `into` the line goes into FILE, followed by those of the three standard streams that are open, for a parent that
/// started it without them. With `again` it observes the key, prints `ready`, reads a line, opens the shared object,
/// which its observer asks for too, and prints what that one was notified of, then `opened`.
@main
enum LibraryProbe {
    /// What a write came to.
    private static func word(_ outcome: ManagedDefaults.WriteOutcome) -> String {
        switch outcome {
        case .stored, .unchanged: "stored"
        case .invalid, .unavailable: "invalid"
        default: "refused"
        }
    }

    /// Prints a line at once.
    private static func say(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        _ = write(1, bytes, bytes.count)
    }

    /// Opens the shared object while an observer of another one, told by that very opening, asks for it.
    private static func openAgain(_ domain: String, _ key: String) {
        guard (try? ManagedDefaults.identify(as: domain)) != nil else { exit(97) }
        let observed = ManagedDefaults()
        let observation = observed.observeChanges(forKey: key) { _ in
            say("told \(ManagedDefaults.standard.string(forKey: key) ?? "-")")
        }
        let start = Clock.monotonicMicroseconds()
        say("ready")
        _ = readLine()
        // Where no thread watches, an object that is opened looks for changes, but not twice in a second.
        while Clock.monotonicMicroseconds() - start < 1_500_000 { Clock.pause(microseconds: 10_000) }
        _ = ManagedDefaults.standard
        say("opened")
        observation.cancel()
        exit(0)
    }

    static func main() {
        alarm(120)
        // There may be no /proc, from which Swift's own list comes.
        let words = [""] + CurrentProcess.arguments
        guard words.count >= 5 else { exit(98) }
        let (root, user, domain, key) = (words[1], words[2], words[3], words[4])
        if words.count == 6, words[5] == "again" { return openAgain(domain, key) }
        if words.count == 7, words[5] == "reopen", let count = Int(words[6]) {
            Reopening.run(count, key: key) { try ManagedDefaults(root: root, user: user, application: domain) }
        }
        let defaults: ManagedDefaults
        if root == "/", user == "-" {
            guard (try? ManagedDefaults.identify(as: domain)) != nil else { exit(97) }
            defaults = .standard
        } else {
            do {
                defaults = try ManagedDefaults(root: root, user: user, application: domain)
            } catch {
                say("failed")
                exit(1)
            }
        }
        /// What is found of the key.
        func state(_ key: String) -> String {
            "\(defaults.objectIsForced(forKey: key) ? "forced" : "free") \(defaults.string(forKey: key) ?? "-")"
        }
        guard words.count > 5 else {
            for part in key.split(separator: ",") {
                let key = String(part)
                say("\(state(key)) \(word(defaults.set("mine", forKey: key)))")
            }
            exit(0)
        }
        var pause: UInt32 = 200
        if words.count > 6, words[5] == "every" {
            pause = UInt32(words[6]).map { $0 &* 1_000 } ?? pause
            alarm(3_600)
        } else if words.count > 6 {
            let answer = "\(state(key)) \(word(defaults.set("mine", forKey: key)))"
            let open = (0...2).filter { fcntl(Int32($0), F_GETFD) >= 0 }.map { " \($0)" }.joined()
            try? Data((answer + open + "\n").utf8).write(to: URL(fileURLWithPath: words[6]))
            exit(0)
        }
        // Looked at all the time: what is forced must not blink, not even between two events.
        var last = ""
        while true {
            let now = state(key)
            if now != last { say(now) }
            last = now
            usleep(pause)
        }
    }
}
