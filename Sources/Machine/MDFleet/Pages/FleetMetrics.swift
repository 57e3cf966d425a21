import MDPlatform
import MDReport

/// A fleet as metrics, by room: hosts are counted and not named.
package enum FleetMetrics {
    /// The metrics, each with its meaning and type.
    package static func render(_ view: FleetView) -> [UInt8] {
        var metrics = MetricsText(prefix: "mdefaults_centre_")
        metrics.gauge(
            "timestamp_seconds", "When this was made, in seconds since 1970.",
            [([], Int(view.time.microseconds / 1_000_000))])
        metrics.gauge("in_order", "1 if every host is in order.", [([], view.isGood ? 1 : 0)])
        // Metrics are kept, and read by many.
        let rooms = view.publicRooms
        metrics.gauge(
            "hosts", "Hosts by what they are: in order, to mend, silent, or with an alarm.",
            rooms.flatMap { room in
                HostCondition.allCases.map { ([("room", room.name), ("state", $0.rawValue)], room.count($0)) }
            })
        metrics.gauge(
            "alarms", "Alarms that are open, by what they are.",
            DisputeWord.allCases.map { word in
                ([("word", word.rawValue)], view.alarms.count { $0.word == word })
            })
        metrics.gauge("unreadable", "Files of the centre that could not be read.", [([], view.problems.count)])
        metrics.gauge(
            "records", "Records of hosts that the centre has.",
            rooms.map { ([("room", $0.name)], $0.hosts.reduce(0) { $0 + $1.head.size }) })
        metrics.gauge(
            "records_waiting", "Records that hosts say are not acknowledged.",
            rooms.map { room in
                ([("room", room.name)], room.hosts.reduce(0) { $0 + ($1.status?.waiting ?? 0) })
            })
        if let published = view.published {
            metrics.gauge(
                "snapshot_issued_seconds", "When the published snapshot was issued, in seconds since 1970.",
                [([], Int(published.issued.microseconds / 1_000_000))])
            metrics.gauge(
                "hosts_with_snapshot", "Hosts that say that the published snapshot is in force.",
                rooms.map { room in
                    ([("room", room.name)], room.hosts.count { $0.snapshot == published.number })
                })
        }
        return Array(metrics.text.utf8)
    }
}
