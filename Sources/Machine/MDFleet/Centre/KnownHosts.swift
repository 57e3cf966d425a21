import MDPlatform

/// The logs and machines that a centre knows, each with its host: two hosts with one of them are a copy.
struct KnownHosts {
    /// The host of each log.
    var logs: [String: FleetHost] = [:]
    /// The hosts by the facts of their machines.
    private var machines: [String: [(host: FleetHost, machine: FleetMachine)]] = [:]

    /// Reads what is known of every host.
    init(_ centre: Root) throws(SystemError) {
        for name in try centre.names(in: CentreFolder.hosts) {
            guard let host = FleetHost(name), let head = try? HostFolder(centre: centre, host: host).head() else {
                continue
            }
            if let log = head.log { logs[log] = host }
            if let machine = head.machine.flatMap({ FleetMachine($0) }) { add(machine, of: host) }
        }
    }

    /// Adds the machine of a host.
    mutating func add(_ machine: FleetMachine, of host: FleetHost) {
        for mark in machine.marks { machines[mark, default: []].append((host, machine)) }
    }

    /// Another host that is the same machine by what both say; `nil` for none.
    func twin(of host: FleetHost, _ machine: FleetMachine) -> FleetHost? {
        machine.marks.lazy.compactMap { mark in
            machines[mark]?.first { $0.host != host && $0.machine.isSame(as: machine) }?.host
        }.first
    }
}
