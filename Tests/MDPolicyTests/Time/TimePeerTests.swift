import Foundation
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// Schedules open and close as an independent reading of their definition says, on random windows and moments.
struct TimePeerTests {
    /// Makes cases and answers them minute by minute: `case moment open next|none`, and a line for each window before it.
    ///
    /// A window is open exactly while the local clock shows one of its times; the search goes through eight days.
    static let script = """
        import random, zoneinfo
        from datetime import datetime, timezone, timedelta
        random.seed(11)
        epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
        names = ["Europe/Zurich", "America/New_York", "Australia/Sydney", "Australia/Lord_Howe", "Pacific/Apia",
                 "Africa/Casablanca", "Europe/Dublin", "Asia/Kathmandu", "America/Sao_Paulo", "Pacific/Chatham",
                 "America/Santiago", "Africa/Cairo", "Asia/Tehran", "Asia/Gaza", "America/St_Johns", "UTC",
                 "Antarctica/Troll", "Pacific/Auckland", "America/Nuuk"]
        zones = {name: zoneinfo.ZoneInfo(name) for name in names}
        def local(name, second):
            return (epoch + timedelta(seconds=second)).astimezone(zones[name])
        def is_open(windows, second):
            for name, days, start, end in windows:
                clock = local(name, second)
                minute = clock.hour * 60 + clock.minute
                if start < end:
                    if clock.weekday() in days and start <= minute < end: return True
                else:
                    if clock.weekday() in days and minute >= start: return True
                    if (clock.weekday() + 6) % 7 in days and minute < end: return True
            return False
        def jumps(name):
            found = []
            second = 1104537600
            before = local(name, second).utcoffset()
            while second < 2240611200:
                second += 86400
                after = local(name, second).utcoffset()
                if after != before: found.append(second)
                before = after
            return found
        jumpy = {name: jumps(name) for name in names}
        for number in range(250):
            windows = []
            for _ in range(random.choice([1, 1, 2, 3])):
                name = random.choice(names)
                days = sorted(random.sample(range(7), random.choice([1, 2, 3, 7])))
                start = random.randrange(0, 1440 // 5) * 5
                end = random.choice([random.randrange(1, 289) * 5, (start + 10) % 1440 or 1440, (start + 120) % 1440 or 1440])
                if start == end: end = end % 1440 + 5
                windows.append((name, days, start, end))
            kind = random.randrange(3)
            near = jumpy[windows[0][0]]
            if kind > 0 and near: second = random.choice(near) - 86400 + random.randrange(-2 * 86400, 86400)
            elif kind == 1: second = int(datetime(random.randrange(2005, 2045), 12, 31, 20, tzinfo=timezone.utc).timestamp())
            else: second = random.randrange(1104537600, 2240611200)
            if "Pacific/Apia" in windows[0][0] and random.random() < 0.5: second = 1325239200 + random.randrange(-172800, 86400)
            now = is_open(windows, second)
            next = None
            step = second - second % 300
            for _ in range(8 * 288):
                step += 300
                if is_open(windows, step) != now:
                    next = step
                    break
            for name, days, start, end in windows:
                print("window", name, ",".join(map(str, days)), start, end)
            print("case", second, int(now), next if next is not None else "none", step)
        """

    /// Whether there is a peer and something to compare.
    static let isAvailable: Bool = {
        guard TimeVerdictTests.hasZones, FileManager.default.fileExists(atPath: "/usr/bin/python3") else {
            return false
        }
        let result = try? SpawnedProgram.run("/usr/bin/python3", ["-c", "import zoneinfo"])
        return result?.code == 0
    }()

    @Test(.enabled(if: isAvailable, "there is no python3 with zoneinfo, or no /usr/share/zoneinfo"))
    func `openness and its next change are those of the peer`() throws {
        let result = try SpawnedProgram.run(
            "/usr/bin/python3", ["-c", TimePeerTests.script],
            environment: ["PYTHONTZPATH": "/usr/share/zoneinfo", "PATH": "/usr/bin:/bin"])
        #expect(result.code == 0, "\(result.error)")
        let zones = ZoneDatabase(root: .system)
        var windows: [Window] = []
        var wrong: [String] = []
        var (cases, found) = (0, 0)
        for line in result.output.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
            if words[0] == "window" {
                let days = words[2].utf8.split(separator: UInt8(ascii: ",")).compactMap { Int(Substring($0)) }
                windows.append(
                    Window(
                        days: Set(days.compactMap(Weekday.init)), from: try #require(Int(words[3])) * 60,
                        to: try #require(Int(words[4])) * 60, timeZone: Key(words[1])))
                continue
            }
            let target = Target(include: Target.Clauses(), schedule: windows.map { .window($0) })
            let time = Timestamp(microseconds: try #require(Int64(words[1])) * 1_000_000)
            let verdict = target.time(at: Moment(time: time, zones: zones), calendars: [:])
            let next = verdict.nextChange.map { $0.microseconds / 1_000_000 }
            let end = try #require(Int64(words[4]))
            let isRight = words[3] == "none" ? next.map { $0 > end } ?? true : next == Int64(words[3])
            if verdict.isOpen != (words[2] == "1") || !isRight {
                wrong.append("\(windows.map { ($0.days, $0.from, $0.to, $0.timeZone) }) \(words): \(verdict)")
            }
            if next != nil { found += 1 }
            cases += 1
            windows = []
        }
        #expect(wrong.isEmpty, "\(wrong.count) differ: \(wrong.prefix(3))")
        #expect(cases == 250 && found > 200)
    }
}
