import Foundation
import MDTestSupport
import Testing

/// Runs through many damages in a process of its own, so that a crash or a hang is a failure that names its damage.
struct Sweep {
    /// The file that always holds the damage that is being tried.
    private let progress: Int32
    /// How many failures were reported.
    private var failures = 0

    /// The longest that one sweep may take, in seconds; the kernel ends it then.
    private static let limit: UInt32 = Sweeping.times == 1 ? 170 : 1_800
    /// What the progress file holds after the last damage.
    private static let end = "finished"

    /// Begins, in the child.
    init(progress path: String) {
        progress = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        alarm(Sweep.limit)
    }

    /// Tries the damages of a file: a sample of them, or every one in a full sweep.
    ///
    /// - Parameters:
    ///   - file: the file's name, for messages.
    ///   - bytes: its content.
    ///   - body: tries one; answers what is wrong, or `nil`. The number is the damage's place in the order.
    mutating func run(
        _ file: String, _ bytes: [UInt8], _ body: (_ number: Int, Damage, [UInt8]) throws -> String?
    ) {
        for (number, damage) in Damage.sample(of: bytes).enumerated() {
            note("\(file) \(damage)")
            let problem: String?
            do {
                problem = try body(number, damage, damage.applied(to: bytes))
            } catch {
                problem = "it failed: \(error)"
            }
            guard let problem else { continue }
            failures += 1
            if failures <= 10 { Issue.record("\(file) \(damage): \(problem)") }
        }
        note(Sweep.end)
    }

    /// Writes into the progress file.
    private func note(_ text: String) {
        // One line of fixed length: a shorter text must not leave the end of a longer one behind.
        let line = text.padding(toLength: 200, withPad: " ", startingAt: 0)
        _ = pwrite(progress, line, line.utf8.count, 0)
    }

    /// The progress file of a sweep, and its content afterwards.
    static func progressPath() -> String {
        Scratch.makeFolder() + "/progress"
    }

    /// Says where a sweep stopped, in the parent.
    static func check(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let text = (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(in: .whitespaces) ?? "-"
        Scratch.remove((path as NSString).deletingLastPathComponent)
        #expect(text == end, "the sweep stopped there", sourceLocation: sourceLocation)
    }
}
