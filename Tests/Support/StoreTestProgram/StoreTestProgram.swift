import Foundation
import MDPlatform
import MDPreferences
import MDPropertyList

/// A process that uses a store, for tests that run several of them or kill them.
///
/// The first argument is the verb, the second the home; problems are printed, and the exit code is then 1.
@main
enum StoreTestProgram {
    /// The domain of all verbs.
    static let domain: Key = "org.x"

    /// Runs one verb.
    static func main() {
        let words = CommandLine.arguments
        guard words.count > 2 else { exit(64) }
        let storage = FileStorage(
            PreferencesDirectory(
                root: .system, directory: words[2] + "/.config", machineID: nil, owner: CurrentProcess.euid,
                home: words[2]))
        let rest = Array(words.dropFirst(3))
        do {
            switch words[1] {
            case "keys": try saveKeys(storage, prefix: rest[0], count: Int(rest[1]) ?? 0)
            case "increment": try increment(storage, count: Int(rest[0]) ?? 0)
            case "endlessly": try saveEndlessly(storage, prefix: rest[0], confirmations: rest[1])
            case "text": try save(storage, key: Key(rest[0]), length: Int(rest[1]) ?? 0)
            case "foundation": try saveWithFoundation(key: rest[0], text: rest[1])
            case "hold": try hold(words[2] + "/.config/.managed-defaults.lock", told: rest[0])
            default: exit(64)
            }
        } catch {
            print(error)
            exit(1)
        }
    }

    /// Saves a text as a program of Foundation's, whose folder of preferences the environment names.
    private static func saveWithFoundation(key: String, text: String) throws {
        let defaults = UserDefaults(suiteName: domain.string)
        defaults?.set(text, forKey: key)
        guard defaults?.synchronize() == true else { throw CocoaError(.fileWriteUnknown) }
    }

    /// Where the domain is.
    private static var place: StoredPlace { StoredPlace(domain: domain, host: .anyHost) }

    /// Saves many keys one by one.
    private static func saveKeys(_ storage: FileStorage, prefix: String, count: Int) throws {
        for number in 0..<count {
            _ = try storage.save(place, [Key("\(prefix)\(number)"): .integer(number)], replacing: false)
        }
    }

    /// Counts up a stored number many times.
    private static func increment(_ storage: FileStorage, count: Int) throws {
        for _ in 0..<count {
            _ = try storage.modify(place) { values in
                guard case .integer(let integer) = values["n"], let number = integer.int64 else {
                    return ["n": .integer(1)]
                }
                return ["n": .integer(Int(number) + 1)]
            }
        }
    }

    /// Saves new keys until it is killed, and leaves the number of the last confirmed one in a file.
    private static func saveEndlessly(_ storage: FileStorage, prefix: String, confirmations: String) throws {
        let descriptor = open(confirmations, O_WRONLY | O_CREAT, 0o600)
        guard descriptor >= 0 else { exit(2) }
        for number in 0... {
            _ = try storage.save(place, [Key("\(prefix)-\(number)"): .integer(number)], replacing: false)
            // One write of eight bytes is there or not, whenever the process is killed.
            var count = number + 1
            guard pwrite(descriptor, &count, 8, 0) == 8 else { exit(2) }
        }
    }

    /// Saves one text of some length.
    private static func save(_ storage: FileStorage, key: Key, length: Int) throws {
        let text = String(repeating: "x", count: length)
        _ = try storage.save(place, [key: .string(text)], replacing: false)
        print("saved")
    }

    /// Holds the lock until it is killed, and makes a file once it has it.
    private static func hold(_ path: String, told file: String) throws {
        let lock = try Root.system.lockInTurn(path, owner: CurrentProcess.euid)
        guard FileManager.default.createFile(atPath: file, contents: nil) else { exit(2) }
        while true { pause() }
        withExtendedLifetime(lock) {}
    }
}
