import CPlatform
import Glibc
import Platform

/// A program that watches folders under conditions that a test cannot put on itself; each verb exits 0 where all is well,
/// else it says what was wrong and exits 1.
@main
enum WatchProbe {
    /// Why a probe ends badly.
    struct Failure: Error {
        /// What was wrong.
        let text: String
    }

    /// Runs the verb of the command line on a folder.
    static func main() {
        // Nothing here takes long; whatever hangs is ended.
        var none = sigset_t()
        sigemptyset(&none)
        // Whoever started this may have blocked the alarm.
        pthread_sigmask(SIG_SETMASK, &none, nil)
        alarm(60)
        let words = CommandLine.arguments
        do {
            guard words.count >= 3 else { throw Failure(text: "usage: watch-probe VERB FOLDER") }
            switch words[1] {
            case "fork": try fork(words[2])
            case "descriptors": try descriptors(words[2])
            case "quota": try quota(words[2])
            case "private": try unreadable(words[2])
            case "last": try last(words[2])
            case "closed": try closed(words[2])
            case "exit": try leave(words[2])
            case "overflow": try overflow(words[2])
            case "latency": try latency(words[2])
            default: throw Failure(text: "no such verb: \(words[1])")
            }
        } catch let failure as Failure {
            print(failure.text)
            exit(1)
        } catch {
            print(error)
            exit(1)
        }
    }

    /// Fails where something is not as it must be.
    static func expect(_ isTrue: Bool, _ text: String) throws {
        if !isTrue { throw Failure(text: text) }
    }

    /// Writes a file as programs do that do not rename.
    static func write(_ path: String, _ text: String = "1") throws {
        let raw = cplatform_openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        try expect(raw >= 0, "cannot write \(path)")
        _ = Glibc.write(raw, text, text.utf8.count)
        close(raw)
    }

    /// The names of this process's threads.
    static func threads() throws -> [String] {
        try Root.system.names(in: "/proc/self/task").compactMap { id in
            (try? Root.system.read("/proc/self/task/\(id)/comm", limit: 64)).map {
                String(decoding: $0.bytes.prefix { $0 != 0x0a }, as: UTF8.self)
            }
        }
    }
}
