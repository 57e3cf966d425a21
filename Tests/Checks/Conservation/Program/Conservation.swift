import Foundation

/// Attempts of many processes, some of which are killed, with an audit service that is killed and a disk that gets full:
/// what was sent is stored, or counted as not stored, or counted as not sent.
///
/// `swift run conservation run FOLDER SECONDS [CLIENTS [SEED]]` runs it in a folder whose `var` may be a small file system of its
/// own (`Tests/Checks/Conservation/run` mounts one), prints the sums, and exits with 0 if they are equal.
@main
enum Conservation {
    /// Runs one verb.
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        do {
            switch (words.first, words.count) {
            case ("run", 3...5):
                let trial = try Trial(
                    folder: words[1], seconds: Double(words[2]) ?? 5, clients: words.count > 3 ? Int(words[3]) ?? 4 : 4,
                    seed: words.count > 4 ? UInt64(words[4]) : nil)
                exit(try trial.run() ? 0 : 1)
            case ("client", 5):
                var sender = try Sender(folder: words[1], tally: words[2], seed: UInt64(words[3]) ?? 0)
                exit(try sender.run(words[4]))
            default:
                print("usage: conservation run FOLDER SECONDS [CLIENTS [SEED]]")
                exit(64)
            }
        } catch {
            print("\(error)")
            exit(70)
        }
    }
}

/// Why the trial cannot go on.
struct TrialFailure: Error, CustomStringConvertible {
    /// A sentence.
    let description: String
}
