import Foundation
import Platform
import Preferences
import PropertyList

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

    /// What one of the processes does.
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
