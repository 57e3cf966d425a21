import Glibc
import MDCPlatform
import MDPlatform

/// A program that watches folders under conditions that a test cannot create in its own process; each verb exits 0 if all is
/// well, else it prints what is wrong and exits 1.
@main
enum WatchProbe {
    /// Why a probe ends badly.
    struct Failure: Error {
        /// What was wrong.
        let text: String
    }

    /// Runs the verb of the command line on a folder.
    static func main() {
        // Nothing here takes long, except on a busy machine; a verb that hangs is ended.
        var none = sigset_t()
        sigemptyset(&none)
        // The caller may have blocked the alarm.
        pthread_sigmask(SIG_SETMASK, &none, nil)
        alarm(600)
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

    /// Throws if a condition does not hold.
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

    /// How many threads this process has, whatever their names are.
    static func threadCount() throws -> Int {
        try Root.system.names(in: "/proc/self/task").count
    }

    /// The names of this process's threads.
    static func threadNames() throws -> [String] {
        try Root.system.names(in: "/proc/self/task").compactMap { id in
            (try? Root.system.read("/proc/self/task/\(id)/comm", limit: 64)).map {
                String(decoding: $0.bytes.prefix { $0 != 0x0a }, as: UTF8.self)
            }
        }
    }
}

/// The verbs.
extension WatchProbe {
    /// In a forked child nothing hangs, the parent's watch is dead, and a new one as well as a worker work.
    static func fork(_ folder: String) throws {
        let mail = Mailbox()
        let watch = FolderWatch.begin(root: .system, folders: [folder]) { mail.put($0) }
        let runs = Mailbox()
        let worker = DelayedWorker(delayMilliseconds: 1) { runs.put([]) }
        try expect(worker.ask(), "no thread for the worker")
        runs.waitForAny()
        try expect(watch.isOfThisProcess, "the watch is not of this process")
        // Swift's runtime makes what a type needs under locks of its own when it is first used, and a child that is made
        // at such a moment waits forever. Therefore everything is used before.
        for name in ["b", "c"] {
            try write("\(folder)/\(name)")
            chmod(folder, name == "b" ? 0o700 : 0o777)
            mail.wait(for: name, in: folder)
            _ = worker.ask()
            runs.waitForAny()
        }
        // The child is made at whatever moment the worker's thread is in.
        for _ in 0..<20 {
            _ = worker.ask()
            let child = cplatform_fork()
            if child == 0 {
                do {
                    try inChild(folder, watch, worker)
                    _exit(0)
                } catch {
                    print(error)
                    fflush(nil)
                    _exit(1)
                }
            }
            var status: Int32 = 0
            try expect(waitpid(child, &status, 0) == child && status == 0, "the child ended with \(status)")
        }
        mail.empty()
        try write(folder + "/after")
        mail.wait(for: "after", in: folder)
        watch.stop()
    }

    /// What a child does.
    private static func inChild(_ folder: String, _ watch: FolderWatch, _ worker: DelayedWorker) throws {
        alarm(600)
        try expect(!watch.isOfThisProcess, "the parent's watch claims to be of the child")
        try expect(!watch.isPolling, "the parent's watch claims to compare in the child")
        watch.stop()
        let runs = Mailbox()
        let own = DelayedWorker(delayMilliseconds: 1) { runs.put([]) }
        try expect(own.ask() && worker.ask(), "no thread in the child")
        runs.waitForAny()
        let mail = Mailbox()
        let second = FolderWatch.begin(root: .system, folders: [folder]) { mail.put($0) }
        try expect(second.isOfThisProcess && !second.isPolling, "a child's own watch does not watch")
        try write(folder + "/child")
        mail.wait(for: "child", in: folder)
        second.stop()
    }

    /// Without descriptors folders are compared; with them they are watched again.
    static func descriptors(_ folder: String) throws {
        var old = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
        let mail = Mailbox()
        // The three standard ones and the mailbox's two are all there is.
        var few = old
        few.rlim_cur = 5
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &few)
        let watch = FolderWatch.begin(root: .system, folders: [folder]) { mail.put($0) }
        try expect(watch.isPolling, "there is no descriptor left, and the watch does not say so")
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
        try write(folder + "/one")
        mail.wait(for: "one", in: folder)
        while watch.isPolling { mail.waitForAny() }
        mail.empty()
        try write(folder + "/two")
        mail.wait(for: "two", in: folder)
        try expect(mail.isNamed, "descriptors are back, and folders are still compared")
        watch.stop()
    }

    /// Without a quota for kernel watches folders are compared.
    static func quota(_ folder: String) throws {
        let mail = Mailbox()
        let watch = FolderWatch.begin(root: .system, folders: [folder]) { mail.put($0) }
        try expect(watch.isPolling, "the quota is used up, and the watch does not say so")
        try write(folder + "/one")
        mail.wait(for: "one", in: folder)
        try expect(!mail.isNamed, "names without a kernel watch")
        watch.stop()
    }

    /// A folder below a directory that may be entered and not read is watched all the same.
    static func unreadable(_ folder: String) throws {
        try CurrentProcess.assume(uid: 65_534, gid: 65_534, groups: [])
        let mail = Mailbox()
        let watch = FolderWatch.begin(root: .system, folders: [folder]) { mail.put($0) }
        try expect(!watch.isPolling, "the folder is compared")
        try write(folder + "/one")
        mail.wait(for: "one", in: folder)
        try expect(mail.isNamed, "no names")
        watch.stop()
    }

    /// The end of the last watch ends the thread and closes what it had open.
    static func last(_ folder: String) throws {
        let before = try Root.system.names(in: "/proc/self/fd").count
        let alone = try threadCount()
        let mail = Mailbox()
        let steady = FolderWatch.begin(root: .system, folders: [folder]) { mail.put($0) }
        // A thread exists when the watch does, but names itself when it runs. It is counted with or without its name.
        while try !threadNames().contains("defaults-watch") { sched_yield() }
        for _ in 0..<20 {
            let first = FolderWatch.begin(root: .system, folders: [folder]) { mail.put($0) }
            let second = FolderWatch.begin(root: .system, folders: [folder, folder + "/x/y"]) { mail.put($0) }
            let count = try threadCount()
            try expect(count == alone + 1, "\(count) threads instead of \(alone + 1)")
            first.stop()
            second.stop()
        }
        steady.stop()
        while try threadCount() > alone { sched_yield() }
        // The mailbox keeps its pipe.
        let after = try Root.system.names(in: "/proc/self/fd").count
        try expect(after == before + 2, "descriptors were left open: \(before + 2), \(after)")
    }

    /// An application that closes every descriptor takes none of the watches along.
    static func closed(_ folder: String) throws {
        let mail = Mailbox()
        let watch = FolderWatch.begin(root: .system, folders: [folder]) { mail.put($0) }
        for raw in 5..<Int32(64) { close(raw) }
        try write(folder + "/one")
        // A thread that waits in the kernel for a descriptor that is closed meanwhile goes on waiting for its file.
        let other = FolderWatch.begin(root: .system, folders: [folder]) { mail.put($0) }
        mail.wait(for: "one", in: folder)
        _ = (watch.isPolling, other.isPolling)
    }

    /// A process ends during a notification.
    static func leave(_ folder: String) throws {
        let mail = Mailbox()
        let watch = FolderWatch.begin(root: .system, folders: [folder]) { change in
            mail.put(change)
            while true { pause() }
        }
        try write(folder + "/one")
        mail.wait(for: "one", in: folder)
        withExtendedLifetime(watch) { exit(0) }
    }

    /// The most events that wait for a reader; the kernel returns this number only to a read of the whole file.
    private static func queueLength() throws -> Int {
        let setting = cplatform_openat(AT_FDCWD, "/proc/sys/fs/inotify/max_queued_events", O_RDONLY | O_CLOEXEC, 0)
        defer { close(setting) }
        var bytes = [UInt8](repeating: 0, count: 64)
        try expect(Glibc.read(setting, &bytes, 64) > 0, "the length of the queue cannot be read")
        return Int(String(decoding: bytes.prefix { $0 != 0x0a }, as: UTF8.self)) ?? 0
    }

    /// If the kernel drops events, the watch reports that anything may have changed, and reports later events.
    static func overflow(_ folder: String) throws {
        let most = try queueLength()
        for name in ["a", "b"] { try write("\(folder)/\(name)") }
        let (mail, goOn) = (Mailbox(), Mailbox())
        let isFirst = Guarded(true)
        let watch = FolderWatch.begin(root: .system, folders: [folder]) { changes in
            mail.put(changes)
            let mustWait = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if mustWait { goOn.waitForAny() }
        }
        chmod(folder + "/a", 0o600)
        mail.wait(for: "a", in: folder)
        // The thread is held up; equal events in a row would count once.
        for number in 0...(most / 2 + 10) {
            for name in ["a", "b"] { chmod("\(folder)/\(name)", number.isMultiple(of: 2) ? 0o600 : 0o644) }
        }
        goOn.put([])
        while mail.isNamed { mail.waitForAny() }
        mail.empty()
        try write(folder + "/after")
        mail.wait(for: "after", in: folder)
        watch.stop()
    }
}
