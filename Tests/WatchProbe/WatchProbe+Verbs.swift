import CPlatform
import Glibc
import Platform

/// The verbs.
extension WatchProbe {
    /// In a forked child nothing hangs, the parent's watch is dead, and a new one as well as a worker work.
    static func fork(_ folder: String) throws {
        let mail = Mailbox()
        let watch = FolderWatch(root: .system, folders: [folder]) { mail.put($0) }
        let runs = Mailbox()
        let worker = DelayedWorker(delayMilliseconds: 1) { runs.put([]) }
        try expect(worker.ask(), "no thread for the worker")
        runs.waitForAny()
        try expect(watch.isOfThisProcess, "the watch is not of this process")
        // Swift's runtime makes what a type needs under locks of its own when it is first used, and a child that is made
        // at such a moment waits forever, whoever wrote the code. So everything is used before.
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
        alarm(30)
        try expect(!watch.isOfThisProcess, "the parent's watch claims to be of the child")
        try expect(!watch.isPolling, "the parent's watch claims to compare in the child")
        watch.stop()
        let runs = Mailbox()
        let own = DelayedWorker(delayMilliseconds: 1) { runs.put([]) }
        try expect(own.ask() && worker.ask(), "no thread in the child")
        runs.waitForAny()
        let mail = Mailbox()
        let second = FolderWatch(root: .system, folders: [folder]) { mail.put($0) }
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
        let watch = FolderWatch(root: .system, folders: [folder]) { mail.put($0) }
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
        let watch = FolderWatch(root: .system, folders: [folder]) { mail.put($0) }
        try expect(watch.isPolling, "the quota is used up, and the watch does not say so")
        try write(folder + "/one")
        mail.wait(for: "one", in: folder)
        try expect(!mail.isNamed, "names without a kernel watch")
        watch.stop()
    }

    /// A folder below a directory that may be entered and not read is watched all the same.
    static func unreadable(_ folder: String) throws {
        try Identity.assume(uid: 65_534, gid: 65_534, groups: [])
        let mail = Mailbox()
        let watch = FolderWatch(root: .system, folders: [folder]) { mail.put($0) }
        try expect(!watch.isPolling, "the folder is compared")
        try write(folder + "/one")
        mail.wait(for: "one", in: folder)
        try expect(mail.isNamed, "no names")
        watch.stop()
    }

    /// The last watch's end ends the thread and closes what it had open.
    static func last(_ folder: String) throws {
        let before = try Root.system.names(in: "/proc/self/fd").count
        let alone = try threads().count
        let mail = Mailbox()
        let steady = FolderWatch(root: .system, folders: [folder]) { mail.put($0) }
        for _ in 0..<20 {
            let first = FolderWatch(root: .system, folders: [folder]) { mail.put($0) }
            let second = FolderWatch(root: .system, folders: [folder, folder + "/x/y"]) { mail.put($0) }
            // A thread that has just begun has no name of its own yet.
            try expect(try threads().count == alone + 1, "more or less than one thread")
            first.stop()
            second.stop()
        }
        while try !threads().contains("defaults-watch") { sched_yield() }
        steady.stop()
        while try threads().count > alone { sched_yield() }
        // The mailbox keeps its pipe.
        let after = try Root.system.names(in: "/proc/self/fd").count
        try expect(after == before + 2, "descriptors were left open: \(before + 2), \(after)")
    }

    /// An application that closes every descriptor takes none of the watches along.
    static func closed(_ folder: String) throws {
        let mail = Mailbox()
        let watch = FolderWatch(root: .system, folders: [folder]) { mail.put($0) }
        for raw in 5..<Int32(64) { close(raw) }
        try write(folder + "/one")
        // Whoever waits in the kernel for a descriptor that is closed meanwhile goes on waiting for its file.
        let other = FolderWatch(root: .system, folders: [folder]) { mail.put($0) }
        mail.wait(for: "one", in: folder)
        _ = (watch.isPolling, other.isPolling)
    }

    /// A process ends while it watches and is being told.
    static func leave(_ folder: String) throws {
        let mail = Mailbox()
        let watch = FolderWatch(root: .system, folders: [folder]) { change in
            mail.put(change)
            while true { pause() }
        }
        try write(folder + "/one")
        mail.wait(for: "one", in: folder)
        withExtendedLifetime(watch) { exit(0) }
    }

    /// How many events wait for a reader at most; the kernel gives this number to whoever reads it in one piece only.
    private static func queueLength() throws -> Int {
        let setting = cplatform_openat(AT_FDCWD, "/proc/sys/fs/inotify/max_queued_events", O_RDONLY | O_CLOEXEC, 0)
        defer { close(setting) }
        var bytes = [UInt8](repeating: 0, count: 64)
        try expect(Glibc.read(setting, &bytes, 64) > 0, "the length of the queue cannot be read")
        return Int(String(decoding: bytes.prefix { $0 != 0x0a }, as: UTF8.self)) ?? 0
    }

    /// Events that the kernel drops mean that anything may have changed, and later ones are told of.
    static func overflow(_ folder: String) throws {
        let most = try queueLength()
        for name in ["a", "b"] { try write("\(folder)/\(name)") }
        let (mail, goOn) = (Mailbox(), Mailbox())
        let isFirst = Guarded(true)
        let watch = FolderWatch(root: .system, folders: [folder]) { changes in
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

    /// Measures the time from a rename in one process to the word of it in another; prints microseconds.
    static func latency(_ folder: String) throws {
        let rounds = 1_000
        let answers = Mailbox()
        let child = cplatform_fork()
        if child == 0 {
            for round in 0..<rounds {
                usleep(2_000)
                let text = "\(Clock.monotonicMicroseconds())"
                try? write("\(folder)/.new", text)
                rename("\(folder)/.new", "\(folder)/stamp-\(round)")
            }
            _exit(0)
        }
        let delays = Guarded<[Int64]>([])
        let watch = FolderWatch(root: .system, folders: [folder]) { changes in
            let now = Clock.monotonicMicroseconds()
            for name in changes.flatMap({ $0.names ?? [] }) where name.hasPrefix("stamp") {
                guard let bytes = try? Root.system.read("\(folder)/\(name)", limit: 64).bytes,
                    let stamp = Int64(String(decoding: bytes, as: UTF8.self))
                else { continue }
                delays.withLock { $0.append(now - stamp) }
            }
            answers.put(changes)
        }
        answers.wait(for: "stamp-\(rounds - 1)", in: folder)
        watch.stop()
        let sorted = delays.withLock { $0.sorted() }
        print(
            "median \(sorted[sorted.count / 2]) 99% \(sorted[sorted.count * 99 / 100]) most \(sorted[sorted.count - 1])"
        )
    }
}
