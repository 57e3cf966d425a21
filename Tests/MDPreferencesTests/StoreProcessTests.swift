import Foundation
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPreferences

/// Several processes with one domain, and processes that are killed.
@Suite(.serialized) struct StoreProcessTests {
    /// How many processes are killed; `STORE_KILLS` says another number.
    private static let kills = ProcessInfo.processInfo.environment["STORE_KILLS"].flatMap { Int($0) } ?? 25

    /// The domain that all processes use.
    private let place = StoredPlace(domain: "org.x", host: .anyHost)

    @Test func `two processes that save after each of 1,000 keys lose none`() throws {
        let home = try TemporaryFolder()
        let programs = try ["a", "b"].map { try StoreProgram.start("keys", home, [$0, "1000"]) }
        for program in programs { #expect(try program.code(within: 600) == 0) }
        let values = try #require(try home.preferences().read("org.x", host: .anyHost)).values
        #expect(values.count == 2_000)
        #expect(values["a999"] == .integer(999))
        #expect(try home.names() == ["org.x.plist"])
    }

    @Test func `two processes that increment 500 times count to 1,000`() throws {
        let home = try TemporaryFolder()
        let programs = try (0..<2).map { _ in try StoreProgram.start("increment", home, ["500"]) }
        for program in programs { #expect(try program.code(within: 600) == 0) }
        #expect(try home.preferences().read("org.x", host: .anyHost)?.values == ["n": .integer(1_000)])
    }

    @Test func `no kill destroys a file, loses a confirmed key, or leaves a lock or a file behind`() throws {
        let home = try TemporaryFolder()
        let storage = FileStorage(home.preferences(machineID: nil))
        var filling: [Key: Value?] = [:]
        for number in 0..<500 { filling[Key("filling-\(number)")] = .some(.string("a text for number \(number)")) }
        _ = try storage.save(place, filling, replacing: false)
        var (total, leftovers) = (0, 0)
        for round in 0..<StoreProcessTests.kills {
            let file = "\(home.path)/confirmed-\(round)"
            let program = try StoreProgram.start("endlessly", home, ["\(round)", file])
            // Every other process is killed while it saves, the others while they start or read as well.
            let limit = ContinuousClock.now + .seconds(30)
            while round % 2 == 0, confirmed(in: file) == nil, ContinuousClock.now < limit { usleep(1_000) }
            // The moment of the kill is what is random here; nothing waits for anything.
            usleep(UInt32.random(in: 0...20_000))
            program.send(SIGKILL)
            #expect(try program.code(within: 60) == -SIGKILL)
            let isLeft = FileManager.default.fileExists(atPath: home.config + "/.managed-defaults.tmp")
            leftovers += isLeft ? 1 : 0
            // A lock that the killed process left behind would be an error.
            let saved = try storage.save(place, ["round": .integer(round)], replacing: false)
            #expect(saved.damaged.isEmpty)
            #expect(try home.names() == ["org.x.plist"])
            let values = try #require(try home.preferences().read("org.x", host: .anyHost)).values
            let count = confirmed(in: file) ?? 0
            for number in 0..<count { #expect(values[Key("\(round)-\(number)")] == .integer(number)) }
            #expect(filling.keys.allSatisfy { values[$0] != nil })
            total += count
        }
        print("\(StoreProcessTests.kills) kills, \(total) confirmed keys, \(leftovers) new files left")
        #expect(total > 0)
    }

    /// How many keys a process confirmed before it was killed; `nil` if it confirmed none.
    private func confirmed(in file: String) -> Int? {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: file)), data.count == 8 else { return nil }
        return data.withUnsafeBytes { $0.loadUnaligned(as: Int.self) }
    }

    @Test func `a lock that is held is given up in the end, and free when its holder is killed`() throws {
        let home = try TemporaryFolder()
        let storage = FileStorage(home.preferences(machineID: nil))
        var impatient = home.preferences(machineID: nil)
        impatient.acquireLock = { (root, path, _) throws(SystemError) in try root.lock(path, seconds: 0.1) }
        _ = try storage.save(place, ["a": .integer(1)], replacing: false)
        let told = home.path + "/told"
        let holder = try StoreProgram.start("hold", home, [told])
        let limit = ContinuousClock.now + .seconds(30)
        while !FileManager.default.fileExists(atPath: told), ContinuousClock.now < limit { usleep(1_000) }
        let error = #expect(throws: PreferencesError.self) {
            try FileStorage(impatient).save(place, ["a": .integer(2)], replacing: false)
        }
        #expect(error == .locked(path: home.config + "/.managed-defaults.lock"))
        #expect(try storage.read(place).isUnchanged)
        holder.send(SIGKILL)
        #expect(try holder.code(within: 60) == -SIGKILL)
        #expect(try storage.save(place, ["a": .integer(2)], replacing: false).isWritten)
    }
}
