import MDPlatform

/// The file of alarms.
struct AlarmFile {
    private let centre: Root

    init(_ centre: Root) { self.centre = centre }

    /// Appends alarms of a host that are not among the last ones, which a killed round may have written.
    ///
    /// - Parameters:
    ///   - alarms: the alarms.
    ///   - accepted: when an administrator settled what was raised before; `nil` for never.
    /// - Returns: those that were appended.
    /// - Throws: if the file cannot be read or written.
    func append(_ alarms: [FleetAlarm], after accepted: Timestamp?) throws(SystemError) -> [FleetAlarm] {
        let file = try AppendFile.open(root: centre, path: CentreFolder.alarms, mode: 0o640)
        let size = try file.size()
        let start = max(size - CollectorLimits.alarmTail, 0)
        let tail = try file.read(offset: start, count: size - start).split(separator: 0x0a)
        let last = tail.compactMap { try? FleetAlarm(line: Array($0)) }
            .filter { !$0.isSettled(since: accepted) }
        var bytes: [UInt8] = []
        var added: [FleetAlarm] = []
        for alarm in alarms {
            let before = last.last { $0.host == alarm.host && $0.word == alarm.word }
            // A file that cannot be read is no news when the next one cannot be either.
            if let before, before.sentence == alarm.sentence, before.time == alarm.time || alarm.word == .malformed {
                continue
            }
            bytes += alarm.line
            added.append(alarm)
        }
        try file.append(bytes, after: size)
        return added
    }
}
