import Foundation
import MDFleet
import MDPlatform
import MDTestSupport
import Testing

/// The network part of a host, over a centre that is a folder.
@Suite struct HostRelayTests {
    /// Runs a turn of the network part, with root's part in the middle; returns how often that ran.
    private func turn(
        _ school: TestSchool, _ folder: TemporaryFolder, _ work: (ExchangeTransport) throws -> Void = { _ in }
    ) throws -> Int {
        var count = 0
        let relay = try HostRelay(
            folder.path, of: school.host, to: Transports.transport(to: school.configuration, of: school.machine.root))
        try relay.turn { () throws(FleetFault) in
            count += 1
            do {
                let exchange = try ExchangeTransport(folder.path, for: "centre")
                try work(exchange)
                try school.turn(over: exchange)
            } catch let error as FleetFault {
                // Root's part ends with a failure; the network part sees only that it ended.
                _ = error
            } catch {
                throw FleetFault("\(error)")
            }
        }
        return count
    }

    @Test func `what root's part leaves is sent, and what it wants is fetched`() throws {
        let school = try TestSchool()
        let folder = try TemporaryFolder()
        try school.append(3)
        try school.centre.write("pub/snapshot", "one")
        try school.centre.write("pub/files/\(String(repeating: "a", count: 64))", "file")
        try school.centre.write("secret", "no")
        var seen: [String] = []
        /// Asks as root's part does.
        func ask(_ exchange: ExchangeTransport) throws {
            seen = []
            for path in ["pub/snapshot", "pub/files/\(String(repeating: "a", count: 64))", "pub/none", "secret"] {
                seen.append(try exchange.read(path, limit: 64).map { String(decoding: $0, as: UTF8.self) } ?? "-")
            }
        }
        #expect(try turn(school, folder, ask) == 2)
        #expect(seen == ["one", "file", "-", "-"])
        #expect(try school.collect().last == 3)
        #expect(try school.status().host == school.host && folder.names("in") == [])
        try school.centre.write("pub/snapshot", "two")
        #expect(try turn(school, folder, ask) == 1)
        #expect(seen.first == "two")
        #expect(try school.file(.batch) == nil && school.status().waiting == 0)
    }

    @Test func `root's part learns that the centre does not answer, and that it does again`() throws {
        let school = try TestSchool()
        let folder = try TemporaryFolder()
        try school.append(1)
        #expect(try turn(school, folder) == 1)
        let away = school.centre.path + ".away"
        try FileManager.default.moveItem(atPath: school.centre.path, toPath: away)
        try FileManager.default.createDirectory(atPath: school.centre.path, withIntermediateDirectories: false)
        // A folder in the place of the acknowledgement: nobody can say what the centre has.
        try school.centre.makeDirectory("ack/pc01")
        #expect(throws: FleetFault.self) { try turn(school, folder) }
        let doctor = try school.machine.root.read("/var/lib/managed-defaults/fleet/answer", limit: 4_096).bytes
        #expect(String(decoding: doctor, as: UTF8.self).contains("ack/pc01"))
        try FileManager.default.removeItem(atPath: school.centre.path)
        try FileManager.default.moveItem(atPath: away, toPath: school.centre.path)
        #expect(try turn(school, folder) == 1)
        #expect(!folder.exists("problem"))
    }

    @Test func `turns of hosts are spread over the minute, and each has its place in a boot`() throws {
        let minute: Int64 = 60_000_000
        var places: Set<Int64> = []
        for number in 1...100 {
            let host = try #require(FleetHost("pc\(number)"))
            let schedule = HostSchedule(host, boot: "b")
            let pause = schedule.pause(now: 10 * minute)
            #expect((1_000_000...minute).contains(pause))
            // From there a whole minute.
            #expect(schedule.pause(now: 10 * minute + pause) == minute || pause == 1_000_000)
            places.insert(pause / 1_000_000)
        }
        #expect(places.count > 40)
    }
}
