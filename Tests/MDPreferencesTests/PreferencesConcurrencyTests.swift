import Foundation
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPreferences

@Suite(.serialized) struct PreferencesConcurrencyTests {
    /// The preferences of a home whose path a process received.
    private static func preferences(of home: String) -> PreferencesDirectory {
        PreferencesDirectory(
            root: .system, directory: home + "/.config", machineID: nil, owner: CurrentProcess.euid, home: home)
    }

    /// Writes, and again as often as the folder was locked.
    ///
    /// On a busy disk four writers may well take longer than a lock is waited for, and then nothing was written. The bound is far above any real run, so that only a hang meets it.
    private static func persistently(_ write: () throws -> UpdateResult) throws {
        for _ in 0..<20 {
            do {
                _ = try write()
                return
            } catch let error as PreferencesError {
                guard case .locked = error else { throw error }
            }
        }
        _ = try write()
    }

    /// Saves many keys one by one.
    private static func saveKeys(prefix: String, count: Int, home: String) throws {
        for number in 0..<count {
            try persistently {
                try preferences(of: home).update(
                    "org.x", host: .anyHost, [Key("\(prefix)\(number)"): .integer(number)])
            }
        }
    }

    /// Counts up a stored number many times.
    private static func increment(count: Int, home: String) throws {
        for _ in 0..<count {
            try persistently {
                try preferences(of: home).modify("org.x", host: .anyHost) { values in
                    guard case .integer(let integer) = values["n"], let number = integer.int64 else {
                        return ["n": .integer(1)]
                    }
                    return ["n": .integer(Int(number) + 1)]
                }
            }
        }
    }

    @Test func `two processes and two threads lose none of each other's keys`() async throws {
        let home = try TemporaryFolder()
        let (count, threadCount) = (300, 40)
        await withTaskGroup { group in
            group.addTask { [path = home.path] in
                _ = await #expect(processExitsWith: .success) { [path = path as String, count = count as Int] in
                    try PreferencesConcurrencyTests.saveKeys(prefix: "a", count: count, home: path)
                }
            }
            group.addTask { [path = home.path] in
                _ = await #expect(processExitsWith: .success) { [path = path as String, count = count as Int] in
                    try PreferencesConcurrencyTests.saveKeys(prefix: "b", count: count, home: path)
                }
            }
            for prefix in ["c", "d"] {
                group.addTask { [path = home.path] in
                    #expect(throws: Never.self) {
                        try PreferencesConcurrencyTests.saveKeys(prefix: prefix, count: threadCount, home: path)
                    }
                }
            }
        }
        let values = try #require(try home.preferences().read("org.x", host: .anyHost)).values
        #expect(values.count == 2 * (count + threadCount))
        #expect(try home.names() == ["org.x.plist"])
    }

    @Test func `increments under the exclusive update are all counted`() async throws {
        let home = try TemporaryFolder()
        let count = 200
        await withTaskGroup { group in
            group.addTask { [path = home.path] in
                _ = await #expect(processExitsWith: .success) { [path = path as String, count = count as Int] in
                    try PreferencesConcurrencyTests.increment(count: count, home: path)
                }
            }
            group.addTask { [path = home.path] in
                #expect(throws: Never.self) {
                    try PreferencesConcurrencyTests.increment(count: count, home: path)
                }
            }
        }
        #expect(try home.preferences().read("org.x", host: .anyHost)?.values == ["n": .integer(2 * count)])
    }

    @Test func `a reader beside a writer sees whole files only`() async throws {
        let home = try TemporaryFolder()
        let preferences = home.preferences()
        _ = try preferences.replace("org.x", host: .anyHost, with: ["a": .integer(0), "b": .integer(0)])
        await withTaskGroup { group in
            group.addTask {
                for number in 1...300 {
                    #expect(throws: Never.self) {
                        try preferences.replace(
                            "org.x", host: .anyHost, with: ["a": .integer(number), "b": .integer(number)])
                    }
                }
            }
            group.addTask {
                for _ in 0..<3_000 {
                    #expect(throws: Never.self) {
                        let values = try #require(try preferences.read("org.x", host: .anyHost)).values
                        #expect(values["a"] == values["b"])
                    }
                }
            }
        }
    }

    @Test func `a program without the lock that writes meanwhile loses nothing`() throws {
        let home = try TemporaryFolder()
        try home.put("{ a = b; }", at: ".config/org.x.plist")
        var runs = 0
        let result = try home.preferences().modify("org.x", host: .anyHost) { values in
            runs += 1
            if runs == 1 { _ = try? home.put("{ a = b; foreign = yes; }", at: ".config/org.x.plist") }
            return ["ours": .integer(values.count)]
        }
        #expect(runs == 2)
        #expect(result.after == ["a": .string("b"), "foreign": .string("yes"), "ours": .integer(2)])
        #expect(try home.preferences().read("org.x", host: .anyHost)?.values == result.after)
    }

    @Test func `a program that never stops writing is an error, and not a hang`() throws {
        let home = try TemporaryFolder()
        var runs = 0
        #expect(throws: PreferencesError.self) {
            try home.preferences().modify("org.x", host: .anyHost) { _ in
                runs += 1
                _ = try? home.put("{ foreign = \(runs); }", at: ".config/org.x.plist")
                return ["ours": .integer(runs)]
            }
        }
        #expect(try home.preferences().read("org.x", host: .anyHost)?.values == ["foreign": .string("\(runs)")])
    }

    @Test func `a process killed while it saves leaves a whole file and no lock`() async throws {
        let home = try TemporaryFolder()
        let rounds = 12
        for round in 0..<rounds {
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = home.path as String, round = round as Int] in
                let moment = DispatchTime.now() + .microseconds(2_000 + round * 1_700)
                DispatchQueue.global().asyncAfter(deadline: moment) { kill(getpid(), SIGKILL) }
                let confirmed = path + "/confirmed-\(round)"
                for number in 0... {
                    _ = try PreferencesConcurrencyTests.preferences(of: path).update(
                        "org.x", host: .anyHost, [Key("\(round)-\(number)"): .integer(number)])
                    try Data("\(number)".utf8).write(to: URL(fileURLWithPath: confirmed), options: .atomic)
                }
            }
            // A lock that the killed process left behind would be an error.
            _ = try home.preferences().update("org.x", host: .anyHost, ["after": .integer(round)])
            let values = try #require(try home.preferences().read("org.x", host: .anyHost)).values
            for earlier in 0...round {
                guard let text = try? home.bytes(at: "confirmed-\(earlier)"),
                    let last = Int(String(decoding: text, as: UTF8.self))
                else { continue }
                for number in 0...last { #expect(values[Key("\(earlier)-\(number)")] == .integer(number)) }
            }
        }
    }
}
