import Foundation
import MDTestSupport
import Testing

@testable import MDPlatform

/// Zones agree with another implementation about every zone of this machine.
struct ZonePeerTests {
    /// Tells offsets of all zones at random moments, and the jumps of a few years: `name second offset`.
    static let script = """
        import random, zoneinfo
        from datetime import datetime, timezone, timedelta
        random.seed(4)
        epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
        def offset(zone, second):
            return int((epoch + timedelta(seconds=second)).astimezone(zone).utcoffset().total_seconds())
        for name in sorted(zoneinfo.available_timezones()):
            if name == "localtime": continue
            zone = zoneinfo.ZoneInfo(name)
            first = None
            for _ in range(40):
                second = random.randrange(-3000000000, 8000000000)
                print(name, second, offset(zone, second))
            # The jumps of two years, searched in halves.
            start = random.randrange(-1000000000, 4000000000)
            for day in range(0, 730):
                low = start + day * 86400
                high = low + 86400
                if offset(zone, low) == offset(zone, high): continue
                while high - low > 1:
                    middle = (low + high) // 2
                    if offset(zone, middle) == offset(zone, low): low = middle
                    else: high = middle
                print(name, low, offset(zone, low))
                print(name, high, offset(zone, high))
                print("jump", name, low, high)
        """

    /// Whether there is a peer and something to compare.
    static let isAvailable: Bool = {
        guard ZoneTests.hasZones, FileManager.default.fileExists(atPath: "/usr/bin/python3") else { return false }
        let result = try? SpawnedProgram.run("/usr/bin/python3", ["-c", "import zoneinfo"])
        return result?.code == 0
    }()

    @Test(.enabled(if: isAvailable, "there is no python3 with zoneinfo, or no /usr/share/zoneinfo"))
    func `offsets and jumps of all zones are those of the peer`() throws {
        let result = try SpawnedProgram.run(
            "/usr/bin/python3", ["-c", ZonePeerTests.script],
            environment: ["PYTHONTZPATH": "/usr/share/zoneinfo", "PATH": "/usr/bin:/bin"])
        #expect(result.code == 0, "\(result.error)")
        let zones = ZoneDatabase(root: .system)
        var compared = 0
        var wrong: [String] = []
        for line in result.output.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
            let isJump = words[0] == "jump"
            let zone = try zones.zone(named: words[isJump ? 1 : 0])
            let first = Timestamp(microseconds: (try #require(Int64(words[isJump ? 2 : 1]))) * 1_000_000)
            let answer = try #require(Int64(words[isJump ? 3 : 2]))
            compared += 1
            if isJump {
                let next = zone.nextTransition(after: first)?.microseconds
                if next != answer * 1_000_000 { wrong.append("\(String(Substring(line))): \(next ?? -1)") }
            } else if zone.local(at: first).offset != Int(answer) {
                wrong.append("\(String(Substring(line))): \(zone.local(at: first).offset)")
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count) differ: \(wrong.prefix(10))")
        #expect(compared > 10_000)
    }
}
