import Foundation
import MDTestSupport

// soak run [SECONDS]: 4 processes of 10 threads each do random things with the same domains, and what they saw is checked.
// soak worker …: one of the processes.

let words = CommandLine.arguments
if words.count == 6, words[1] == "worker" {
    let worker = Worker(
        root: words[2], process: Int(words[3]) ?? 0, processes: Soak.processes, threads: Soak.threads,
        seconds: Double(words[4]) ?? 1, seed: UInt64(words[5]) ?? 0)
    try worker.run()
} else if words.count >= 2, words[1] == "run" {
    let result = try Soak.run(seconds: words.count > 2 ? Double(words[2]) ?? 60 : 60, program: words[0])
    print(result.text)
    exit(result.violations.isEmpty ? 0 : 1)
} else {
    print("usage: soak run [SECONDS]")
    exit(2)
}
