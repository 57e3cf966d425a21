import Foundation
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTestSupport
import ManagedDefaults

/// A machine with much policy, in a folder.
struct PolicyBenchmarkMachine {
    /// How many keys are forced in all.
    private let keys: Int
    /// The folder.
    let path: String
    /// The root of the machine.
    let root: Root
    /// The user whose policy is read.
    let subject: Subject

    /// Writes policy.
    ///
    /// - Parameters:
    ///   - folder: the folder of the machine.
    ///   - keys: how many keys are forced in all.
    ///   - files: over how many files they are spread, each with a domain of its own.
    ///   - tenth: whether only every tenth file is for the user.
    /// - Throws: if a file cannot be written.
    init(folder: String, keys: Int, files: Int, tenth: Bool) throws {
        self.keys = keys
        path = "\(folder)/\(keys)-\(files)-\(UUID().uuidString)"
        let policies = path + "/etc/managed-defaults/policies.d"
        let others = ["\(path)/run/managed-defaults", "\(path)/var/lib"]
        for directory in [policies] + others {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }
        for (name, text) in [
            ("passwd", "alice:x:1001:2001::/home/alice:/bin/sh\nbob:x:1002:2002::/home/bob:/bin/sh\n"),
            ("group", "students:x:2001:\nteachers:x:2002:\n"), ("hostname", "room1-pc01\n"),
        ] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/etc/\(name)"))
        }
        let perFile = max(1, keys / files)
        for file in 0..<files {
            let target = tenth && file % 10 > 0 ? "\"Target\": { \"Users\": [\"bob\"] }, " : ""
            let entries = (0..<perFile).map { "\"Key\($0)\": \"value \($0) of \(file)\"" }
            let text = """
                { "Identifier": "org.example.p\(file)", \(target)"Contact": "Lab office, room 12",
                  "Forced": { "org.example.d\(file)": {
                    \(entries.joined(separator: ",\n    ")) } } }
                """
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(policies)/\(1000 + file).json"))
        }
        root = try Root(directory: path)
        subject = Subject(
            userName: "alice", uid: 1001, gid: 2001, groups: [2001], home: "/home/alice",
            host: HostName(short: "room1-pc01", full: "room1-pc01"),
            moment: Moment(time: Clock.now(), zones: ZoneDatabase(root: root)))
    }

    /// The first policy file.
    var policyFile: String { path + "/etc/managed-defaults/policies.d/1000.json" }

    /// The first policy file with another value of one key.
    func policy(value: String) -> Data {
        Data(
            "{ \"Identifier\": \"org.example.p0\", \"Forced\": { \"org.example.d0\": { \"Key7\": \"\(value)\" } } }"
                .utf8)
    }

    /// The file of the user's settings of the first application, which exists.
    func settingsFile() throws -> String {
        guard let files = FileManager.default.enumerator(atPath: path),
            let name = files.compactMap({ $0 as? String }).first(where: { $0.hasSuffix("/org.example.d0.plist") })
        else { throw BenchmarkLab.Failure.wrongValues }
        return "\(path)/\(name)"
    }

    /// Removes the folder.
    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Loads until the table is there; it is written once everything has been still for a moment.
    func compile() throws {
        try? FileManager.default.removeItem(atPath: path + "/var/lib/managed-defaults/policy.table")
        let end = Date(timeIntervalSinceNow: 60)
        while !CompiledTable.isWhole(root: root) {
            _ = PolicyStore(root: root).apply { _ in true }
            guard Date() < end else { throw BenchmarkLab.Failure.wrongValues }
        }
    }

    /// Microseconds of opening for one key, for an application, and for all that is said of a user.
    typealias OpeningTimes = (key: Double, application: Double, whole: Double)

    /// Microseconds of opening for one key, for an application, and for all that is said of a user.
    func openingTimes() throws -> OpeningTimes {
        (
            try openingTime(key: "Key7", domain: "org.example.d0"), try applicationTime(), try resolvingTime()
        )
    }

    /// The user's defaults of the application that the first policy file is about.
    func application() throws -> ManagedDefaults {
        try ManagedDefaults(root: path, user: "alice", application: "org.example.d0")
    }

    /// Microseconds of what an application waits for: opening its defaults, and the first read.
    func applicationTime() throws -> Double {
        var times: [Double] = []
        for _ in 0..<101 {
            let clock = ContinuousClock()
            let start = clock.now
            let defaults = try application()
            let value = defaults.string(forKey: "Key7")
            times.append(Benchmarks.nanoseconds(clock.now - start) / 1_000)
            guard value == "value 7 of 0" else { throw BenchmarkLab.Failure.wrongValues }
            // Giving the object back is no part of it.
            withExtendedLifetime(defaults) {}
        }
        return Benchmarks.median(times)
    }

    /// Microseconds of opening the table and asking for one forced key.
    func openingTime(key: String, domain: String) throws -> Double {
        var times: [Double] = []
        for _ in 0..<201 {
            let clock = ContinuousClock()
            let start = clock.now
            let table = CompiledTable(root: root)
            let entry = try table?.forcedEntry(domain: Key(domain), key: Key(key), for: subject)
            times.append(Benchmarks.nanoseconds(clock.now - start) / 1_000)
            guard entry?.level == .forced else { throw BenchmarkLab.Failure.wrongValues }
        }
        return Benchmarks.median(times)
    }

    /// Microseconds of opening the table and resolving everything for the user.
    func resolvingTime() throws -> Double {
        var times: [Double] = []
        for _ in 0..<51 {
            let clock = ContinuousClock()
            let start = clock.now
            let set = try CompiledTable(root: root)?.resolve(for: subject)
            times.append(Benchmarks.nanoseconds(clock.now - start) / 1_000)
            guard set?.forced.isEmpty == false else { throw BenchmarkLab.Failure.wrongValues }
        }
        return Benchmarks.median(times)
    }

    /// Milliseconds of work on all files.
    struct CompilingTimes {
        /// Of reading and compiling them.
        var compile = 0.0
        /// Of reading and linting them.
        var lint = 0.0
        /// Of reading them once, compiling and linting them.
        var both = 0.0
        /// Of `dconf update` of the same keys; 0 if dconf is not installed.
        var dconf = 0.0
        /// The time of one compilation as a multiple of `dconf update` in the same round; 0 if dconf is not installed.
        var ratio = 0.0
    }

    /// What lint says of everything that one look finds, which is compiled.
    private static func linted(_ store: PolicyStore) -> [Diagnostic] {
        Lint.run(store.apply { _ in true }.set, root: store.root)
    }

    /// How often each kind of work is timed, of few keys and of many.
    static let compilingRounds = (few: 31, many: 9)
    /// More keys than these are many.
    private static let fewKeys = 10_000

    /// Milliseconds of reading, compiling and linting all files, and of a peer that does its work in turn: machines are
    /// now faster and now slower.
    func compilingTime(beside peer: ((Int) throws -> Double)?) throws -> CompilingTimes {
        var found: [CompilingTimes] = []
        let clock = ContinuousClock()
        /// Measures work that compiles the table again.
        func time(_ work: () -> [Diagnostic]) throws -> Double {
            try? FileManager.default.removeItem(atPath: path + "/var/lib/managed-defaults/policy.table")
            let start = clock.now
            let findings = work()
            let time = Benchmarks.nanoseconds(clock.now - start) / 1e6
            guard findings.allSatisfy({ $0.severity != .error }), CompiledTable(root: root) != nil else {
                throw BenchmarkLab.Failure.wrongValues
            }
            return time
        }
        let rounds = PolicyBenchmarkMachine.compilingRounds
        for round in 0..<(keys > PolicyBenchmarkMachine.fewKeys ? rounds.many : rounds.few) {
            var times = CompilingTimes()
            times.dconf = try peer?(round) ?? 0
            times.compile = try time { PolicyStore(root: root).apply { _ in true }.set.diagnostics }
            let start = clock.now
            let findings = Lint.run(root: root)
            times.lint = Benchmarks.nanoseconds(clock.now - start) / 1e6
            guard findings.allSatisfy({ $0.severity != .error }) else { throw BenchmarkLab.Failure.wrongValues }
            times.both = try time {
                PolicyBenchmarkMachine.linted(PolicyStore(root: root))
            }
            if times.dconf > 0 { times.ratio = times.both / times.dconf }
            found.append(times)
        }
        return CompilingTimes(
            compile: Benchmarks.median(found.map(\.compile)), lint: Benchmarks.median(found.map(\.lint)),
            both: Benchmarks.median(found.map(\.both)), dconf: Benchmarks.median(found.map(\.dconf)),
            ratio: Benchmarks.median(found.map(\.ratio)))
    }

    /// The most memory that a new process took to compile and lint all files, in MiB.
    func compilingMemory() throws -> Double {
        try? FileManager.default.removeItem(atPath: path + "/var/lib/managed-defaults/policy.table")
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        let result = try SpawnedProgram.run(
            program, ["--measure-compiling", path], environment: ["PATH": "/usr/bin:/bin", "HOME": path])
        guard let size = Double(result.output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw BenchmarkLab.Failure.wrongValues
        }
        return size / 1_024
    }

    /// Compiles and lints once, and prints the most memory that this process took, in KiB.
    static func measureCompiling(root path: String) throws {
        Workers.allow()
        let root = try Root(directory: path)
        _ = linted(PolicyStore(root: root))
        guard CompiledTable(root: root) != nil else { throw BenchmarkLab.Failure.wrongValues }
        let lines = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
        print(lines.first { $0.hasPrefix("VmHWM:") }?.filter(\.isNumber) ?? "")
    }

    /// Gives the milliseconds of one `dconf update` of the same keys; `nil` if dconf is not installed.
    func dconfUpdate(keys: Int, files: Int) throws -> ((Int) throws -> Double)? {
        let peer = DconfPeer(folder: path + "/dconf")
        guard try peer.compile(keys: keys, files: files) else { return nil }
        return { round in
            // Without a change there is nothing to update.
            try Data("[org/example/d0]\nKey0='round \(round)'\n".utf8).write(
                to: URL(fileURLWithPath: "\(peer.folder)/policy.d/9999"))
            try? FileManager.default.removeItem(atPath: peer.folder + "/policy")
            let clock = ContinuousClock()
            let start = clock.now
            try peer.update(peer.folder)
            return Benchmarks.nanoseconds(clock.now - start) / 1e6
        }
    }

    /// Runs while somebody holds the lock on the generation file, as the daemon does.
    func watched(_ body: () throws -> Void) throws {
        let directory = path + "/run/mdefaultsd"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data("7\n".utf8).write(to: URL(fileURLWithPath: directory + "/generation"))
        // The lock belongs to the open file, and is another's also for those who ask in this process.
        let lock = try root.lock("/run/mdefaultsd/generation")
        try withExtendedLifetime(lock) { try body() }
    }
}
