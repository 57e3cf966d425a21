import Glibc

/// Runs some commands in turn, again and again, and prints what each took.
///
///     interleave RUNS < COMMANDS
///
/// Each line has a name and a command, its words behind blanks. A line of output has, for each in order, its name, the
/// median and the least of its wall-clock milliseconds, the median of its page faults, and the median of how much
/// longer it took than the first command in the same round. Other work of the machine meets all of them alike, and the
/// first command changes from round to round, so that the last figure stays the same on a busy machine.
@main
struct Interleave {
    /// One run: nanoseconds and page faults.
    private typealias Run = (time: Int, faults: Int)

    /// Runs everything.
    static func main() {
        let rounds = CommandLine.arguments.count > 1 ? Int(CommandLine.arguments[1]) ?? 0 : 0
        var commands: [[String]] = []
        while let line = readLine() { commands.append(line.split(separator: " ").map(String.init)) }
        guard rounds > 0, !commands.isEmpty, commands.allSatisfy({ $0.count > 1 }) else { exit(2) }
        var runs = [[Run]](repeating: [], count: commands.count)
        // The first rounds bring files into memory.
        for round in -10..<rounds {
            for place in commands.indices {
                let index = (place + max(round, 0)) % commands.count
                let run = run(Array(commands[index].dropFirst()))
                if round >= 0 { runs[index].append(run) }
            }
        }
        for (command, own) in zip(commands, runs) {
            let more = zip(own, runs[0]).map { $0.time - $1.time }
            let times = own.map(\.time)
            print(
                command[0], milliseconds(median(times)), milliseconds(times.min() ?? 0), median(own.map(\.faults)),
                milliseconds(median(more)))
        }
    }

    /// The middle of some numbers.
    private static func median(_ numbers: [Int]) -> Int { numbers.sorted()[numbers.count / 2] }

    /// Nanoseconds as milliseconds with three places.
    private static func milliseconds(_ time: Int) -> String {
        let micros = abs(time) / 1_000
        let rest = String(micros % 1_000)
        return "\(time < 0 ? "-" : "")\(micros / 1_000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }

    /// Runs one command to its end, its output discarded.
    private static func run(_ words: [String]) -> Run {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in 1...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        arguments.append(nil)
        var child: pid_t = 0
        var usage = rusage()
        let begin = now()
        guard posix_spawnp(&child, words[0], &actions, nil, arguments, environ) == 0 else { exit(3) }
        while wait4(child, nil, 0, &usage) < 0 { if errno != EINTR { exit(3) } }
        return (now() - begin, usage.ru_minflt)
    }

    /// A clock that is never set, in nanoseconds.
    private static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
