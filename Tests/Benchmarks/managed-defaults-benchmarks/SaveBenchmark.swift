import Foundation
import MDPlatform
import MDPreferences
import MDPropertyList

/// Times saving one key durably, and reading a domain, against the least that the file system can do and Foundation.
///
/// `swift run -c release managed-defaults-benchmarks save` prints microseconds.
struct SaveBenchmark {
    /// The sizes of the domains.
    static let keyCounts = [10, 1_000, 10_000]
    /// The rounds at each size; each times all sides in turn, and the median round counts.
    static let rounds = 61

    /// The folder of the preference files, which Foundation uses too.
    let folder: String

    /// Times all sizes and prints a row for each.
    func run() throws {
        print("one changed key saved durably, µs, median of \(SaveBenchmark.rounds) rounds, all sides in turn")
        print(
            "keys     bytes    write+fdatasync+rename  ManagedDefaults   ratio   Foundation (in place, unsafe)"
                + "   GNUstep (no sync)")
        for count in SaveBenchmark.keyCounts { try save(count) }
        print("a domain read from its file, µs (XML)")
        print("keys                                      ManagedDefaults           Foundation")
        for count in SaveBenchmark.keyCounts { try read(count) }
        try TwoProcesses(folder: folder).run()
    }

    /// A storage of the folder.
    private func storage() -> FileStorage {
        FileStorage(
            PreferencesDirectory(
                root: .system, directory: folder, machineID: nil, owner: CurrentProcess.euid, home: folder))
    }

    /// A domain of some keys, all of them texts.
    private func values(_ count: Int) -> [Key: Value?] {
        var values: [Key: Value?] = [:]
        for number in 0..<count {
            values[Key("Setting-\(number)")] = .some(.string("the value of number \(number)"))
        }
        return values
    }

    /// Times saving one key of a domain.
    private func save(_ count: Int) throws {
        let place = StoredPlace(domain: Key("org.example.save-\(count)"), host: .anyHost)
        let ours = storage()
        _ = try ours.save(place, values(count), replacing: true)
        let file = folder + "/\(place.domain).plist"
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
        // Foundation reads the file that it is given; afterwards it has its own.
        let foundationDomain = "org.example.foundation-\(count)"
        try Data(bytes).write(to: URL(fileURLWithPath: folder + "/\(foundationDomain).plist"))
        guard let foundation = UserDefaults(suiteName: foundationDomain),
            foundation.string(forKey: "Setting-7") == "the value of number 7"
        else { throw BenchmarkLab.Failure.noUserDefaults }
        var times: (floor: [Double], ours: [Double], foundation: [Double]) = ([], [], [])
        for round in 0..<SaveBenchmark.rounds {
            times.floor.append(try time { try floor(bytes) })
            times.ours.append(
                try time {
                    let key = Key("Setting-\(round % count)")
                    _ = try ours.save(place, [key: .string("changed in round \(round)")], replacing: false)
                })
            times.foundation.append(
                try time {
                    foundation.set("changed in round \(round)", forKey: "Setting-\(round % count)")
                    guard foundation.synchronize() else { throw BenchmarkLab.Failure.wrongValues }
                })
        }
        guard case .values(let stored, _) = try storage().read(place), stored.count == count,
            stored["Setting-3"].map({ $0 != .string("the value of number 3") }) == true
        else { throw BenchmarkLab.Failure.wrongValues }
        let (least, own) = (Benchmarks.median(times.floor), Benchmarks.median(times.ours))
        print(
            Benchmarks.column("\(count)", 9) + Benchmarks.column("\(bytes.count)", 9) + Benchmarks.number(least, 22)
                + Benchmarks.number(own, 17) + String(format: "%8.2f", own / least)
                + Benchmarks.number(Benchmarks.median(times.foundation), 16)
                + (Benchmarks.gnustep["save-\(count)"].map { Benchmarks.number($0 / 1_000, 32) } ?? ""))
    }

    /// Times the file system for the same bytes and the same safety.
    private func floor(_ bytes: [UInt8]) throws {
        let (temporary, file) = (folder + "/floor.tmp", folder + "/floor.plist")
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw BenchmarkLab.Failure.wrongValues }
        let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard written == bytes.count, fdatasync(descriptor) == 0, rename(temporary, file) == 0 else {
            throw BenchmarkLab.Failure.wrongValues
        }
        close(descriptor)
    }

    /// Times reading a domain for the first time.
    private func read(_ count: Int) throws {
        let place = StoredPlace(domain: Key("org.example.save-\(count)"), host: .anyHost)
        guard let foundation = UserDefaults(suiteName: "org.example.foundation-\(count)") else {
            throw BenchmarkLab.Failure.noUserDefaults
        }
        var times: (ours: [Double], foundation: [Double]) = ([], [])
        for _ in 0..<15 {
            times.ours.append(
                try time {
                    guard case .values(let values, _) = try storage().read(place), values.count == count else {
                        throw BenchmarkLab.Failure.wrongValues
                    }
                })
            times.foundation.append(
                try time {
                    // Without anything to save, this makes Foundation forget, and the next read goes to the file.
                    guard foundation.synchronize(), foundation.string(forKey: "Setting-9") != nil else {
                        throw BenchmarkLab.Failure.wrongValues
                    }
                })
        }
        print(
            Benchmarks.column("\(count)", 40) + Benchmarks.number(Benchmarks.median(times.ours), 17)
                + Benchmarks.number(Benchmarks.median(times.foundation), 21))
    }

    /// Microseconds of one call.
    private func time(_ body: () throws -> Void) rethrows -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        try body()
        return Benchmarks.nanoseconds(clock.now - start) / 1_000
    }
}

/// Two processes that save after each of 1,000 keys of their own into one domain: how long, and what is left.
struct TwoProcesses {
    /// The keys of each process.
    static let count = 1_000
    /// The domain of our side, and of Foundation's.
    static let domains = (ours: "org.example.two-ours", foundation: "org.example.two-foundation")

    /// The folder of the preference files.
    let folder: String

    /// Runs both sides one after the other and prints a row for each.
    func run() throws {
        print("two processes x \(TwoProcesses.count) keys, saving after each")
        for (name, side, domain) in [
            ("ManagedDefaults", "ours", TwoProcesses.domains.ours),
            ("Foundation", "foundation", TwoProcesses.domains.foundation),
        ] {
            let clock = ContinuousClock()
            let start = clock.now
            let children = try ["a", "b"].map { prefix in
                let child = Process()
                child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
                child.arguments = ["--two", side, folder, prefix]
                try child.run()
                return child
            }
            for child in children {
                child.waitUntilExit()
                guard child.terminationStatus == 0 else { throw BenchmarkLab.Failure.wrongValues }
            }
            let seconds = Benchmarks.nanoseconds(clock.now - start) / 1e9
            let stored = try storage().read(StoredPlace(domain: Key(domain), host: .anyHost))
            guard case .values(let values, _) = stored else { throw BenchmarkLab.Failure.wrongValues }
            print(
                "  " + Benchmarks.column(name, 20) + Benchmarks.number(seconds, 6) + " s, "
                    + "\(values.count) of \(2 * TwoProcesses.count) keys survive")
        }
    }

    /// Saves in one of the processes.
    func save(_ side: String, prefix: String) throws {
        if side == "ours" {
            let storage = storage()
            let place = StoredPlace(domain: Key(TwoProcesses.domains.ours), host: .anyHost)
            for number in 0..<TwoProcesses.count {
                _ = try storage.save(place, [Key("\(prefix)\(number)"): .integer(number)], replacing: false)
            }
            return
        }
        guard let defaults = UserDefaults(suiteName: TwoProcesses.domains.foundation) else {
            throw BenchmarkLab.Failure.noUserDefaults
        }
        for number in 0..<TwoProcesses.count {
            defaults.set(number, forKey: "\(prefix)\(number)")
            guard defaults.synchronize() else { throw BenchmarkLab.Failure.wrongValues }
        }
    }

    /// A storage of the folder.
    private func storage() -> FileStorage {
        FileStorage(
            PreferencesDirectory(
                root: .system, directory: folder, machineID: nil, owner: CurrentProcess.euid, home: folder))
    }
}
