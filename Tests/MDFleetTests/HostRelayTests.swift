import Foundation
import MDFleet
import MDPlatform
import MDPropertyList
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

    @Test(SystemTools.needed("ssh-keygen"))
    func `a first snapshot comes in one turn and is no problem, a file that is gone is`()
        throws
    {
        let school = try FleetSchool()
        let folder = try TemporaryFolder()
        let centre = try FolderTransport(school.centre.path + CentreFolder.path)
        let relay = try HostRelay(folder.path, of: school.configuration.host, to: centre)
        /// Runs a turn; returns what each run of root's part said.
        func turn() throws -> [[String]] {
            var problems: [[String]] = []
            try relay.turn { () throws(FleetFault) in
                let exchange = try ExchangeTransport(folder.path, for: "centre")
                let installer = SnapshotInstaller(
                    root: school.host.root, configuration: school.configuration, now: school.now)
                problems.append(installer.run(exchange).problems)
            }
            return problems
        }
        try school.publish(["10-site.json": FleetSchool.policy("one")])
        #expect(try turn() == [[], [], []])
        #expect(try school.page() == "one")
        let next = try school.publish(["10-site.json": FleetSchool.policy("two")])
        let file = "\(CentreFolder.files)/\(try #require(next.files["10-site.json"]).hex)"
        try school.centre.root.rename(file, to: "\(CentreFolder.path)/kept", replacing: false)
        #expect(try turn() == [[]])
        let missing = "What the centre published was not taken: the content of 10-site.json did not come yet."
        #expect(try turn() == [[missing]])
        try school.centre.root.rename("\(CentreFolder.path)/kept", to: file, replacing: false)
        #expect(try turn() == [[missing], []])
        #expect(try school.page() == "two")
    }

    /// A centre that counts what it gives, and calls equal contents by one name.
    private final class CountingCentre: CentreTransport {
        let name = "centre"
        var content: [UInt8] = [1]
        var tag = "\"1\""
        private(set) var given = 0

        func read(_ path: String, limit: Int) -> [UInt8]? { nil }
        func put(_ bytes: [UInt8], as name: SpoolName) {}
        func isWaiting(_ name: SpoolName) -> Bool? { nil }
        func awaitNews(seconds: Int) -> Bool { false }

        func fetch(_ path: String, limit: Int, unless tag: String?) -> CentreAnswer {
            guard path == "pub/snapshot" else { return .missing }
            if tag == self.tag { return .unchanged }
            given += 1
            return .content(content, tag: self.tag)
        }
    }

    @Test func `a file that was the same twice is not fetched again until it changes`() throws {
        let folder = try TemporaryFolder()
        let centre = CountingCentre()
        let relay = try HostRelay(folder.path, of: try #require(FleetHost("pc01")), to: centre)
        func turn() throws -> Int {
            try relay.turn { () throws(FleetFault) in
                _ = try ExchangeTransport(folder.path, for: "centre").read("pub/snapshot", limit: 64)
            }
            return centre.given
        }
        #expect(try turn() == 1)
        // Published twice in one second, with one tag.
        centre.content = [2]
        #expect(try turn() == 2)
        #expect(try (turn(), turn(), turn()) == (3, 3, 3))
        (centre.content, centre.tag) = ([3], "\"2\"")
        #expect(try (turn(), turn(), turn()) == (4, 5, 5))
        #expect(try folder.read("pub/snapshot") == [3])
        // What is gone here comes again.
        try folder.remove("pub/snapshot")
        #expect(try turn() == 6)
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
