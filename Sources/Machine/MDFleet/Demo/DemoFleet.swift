package import MDEngine
package import MDPlatform
import MDTools

/// A school in a folder: the centre, and 30 machines in two rooms that send to it for some hours.
///
/// Machines and centre do what they do elsewhere; only the clock is given, so that hours take seconds.
package struct DemoFleet {
    /// The name of the fleet.
    static let name = "demo"
    /// The rooms, and how many machines each has.
    private static let (rooms, machinesOfRoom) = (["room1", "room2"], 15)
    /// The machines that something is wrong with, by their numbers.
    private static let (setBack, silent, behind, copied) = (7, 12, 19, 23)
    /// How many seconds ago each round was: a machine is copied and one set back before the last but one, and in the last
    /// one nothing new is recorded.
    private static let rounds = [4 * 3_600, 3 * 3_600, 300, 60]
    /// How many seconds ago the policy of the school was published, and that of its new term.
    private static let published = [5 * 3_600, 2 * 3_600]

    private let centre: Root
    private let machines: [DemoMachine]
    /// Who publishes; `nil` without ssh-keygen.
    private let publisher: DemoPublisher?
    /// The time at the end.
    private let now: Timestamp
    private let version: String
    /// Reads the policy of a machine at a moment.
    private let policy: @Sendable (Root, Timestamp) -> PolicyInForce

    /// The names of the machine that was set back, of the silent one, of the one that does not take the newest policy, and of
    /// the one that was copied.
    package var special: (setBack: FleetHost, silent: FleetHost, behind: FleetHost, copied: FleetHost) {
        let numbers = [DemoFleet.setBack, DemoFleet.silent, DemoFleet.behind, DemoFleet.copied]
        let hosts = numbers.map { machines[$0 - 1].host }
        return (hosts[0], hosts[1], hosts[2], hosts[3])
    }

    /// Whether policy is published: for that `ssh-keygen` is needed.
    package var publishes: Bool { publisher != nil }

    /// The folder of policy that is published, which people can change and publish again.
    package static let policies = DemoPublisher.folder

    /// The folder of a machine beneath the centre's.
    package static func folder(_ name: String) -> String { "/machines/\(name)" }

    /// Makes the folders.
    ///
    /// - Parameters:
    ///   - path: the folder of everything, which does not exist.
    ///   - now: the time.
    ///   - version: the version of the program.
    ///   - policy: reads the policy of a machine at a moment.
    /// - Throws: if something could not be made; what was made stays.
    package init(
        at path: String, now: Timestamp, version: String,
        policy: @escaping @Sendable (Root, Timestamp) -> PolicyInForce
    ) throws(FleetFault) {
        (self.now, self.version, self.policy) = (now, version, policy)
        let centre: Root
        do throws(SystemError) {
            try Root.system.createDirectory(path, mode: 0o755)
            centre = try Root(directory: path)
            for folder in [
                CentreFolder.published, CentreFolder.spool, CentreFolder.acknowledgements, CentreFolder.hosts,
                "/machines",
            ] { try centre.createDirectory(folder, mode: 0o755) }
        } catch {
            throw FleetFault("\(error)")
        }
        self.centre = centre
        let publisher = SigningKey.canBeMade ? try DemoPublisher(centre) : nil
        self.publisher = publisher
        let places = (0..<DemoFleet.rooms.count * DemoFleet.machinesOfRoom).map { index in
            (name: DemoFleet.name(index + 1), room: DemoFleet.rooms[index / DemoFleet.machinesOfRoom])
        }
        machines = try DemoFleet.all(places) { (place) throws(FleetFault) in
            guard let host = FleetHost(place.name) else { throw FleetFault("\(place.name) is no name of a host") }
            return try DemoMachine.make(
                host, room: place.room, at: "\(path)\(DemoFleet.folder(place.name))", centre: centre,
                rootKey: publisher?.rootKey)
        }
    }

    /// Lets the hours pass.
    ///
    /// - Returns: what the collector raised.
    /// - Throws: if a machine could not send, or the centre not take.
    package func run() throws(FleetFault) -> [FleetAlarm] {
        var alarms: [FleetAlarm] = []
        var clone: DemoMachine?
        try publish(["10-school.json": DemoMachine.school], "first policy", before(DemoFleet.published[0]))
        for (index, seconds) in DemoFleet.rounds.enumerated() {
            let (time, isLate) = (before(seconds), index >= DemoFleet.rounds.count - 2)
            let isLast = index == DemoFleet.rounds.count - 1
            if index == 1 { try copy(machines[DemoFleet.setBack - 1], to: DemoFleet.spare) }
            if isLate, !isLast {
                try setBack(machines[DemoFleet.setBack - 1])
                clone = try self.clone(of: machines[DemoFleet.copied - 1])
                try publishTerm()
            }
            let senders = machines.filter { !isLate || $0.host != special.silent }
            _ = try DemoFleet.all(senders) { (machine) throws(FleetFault) in
                if !isLast { try machine.recordAttempts(at: time) }
                try send(machine, at: time)
            }
            alarms += try collect(at: time)
            guard let clone else { continue }
            // It has the original's name, whose status is taken first.
            try send(clone, at: time)
            alarms += try collect(at: time)
        }
        return alarms
    }

    /// Publishes what a machine does not take, because its administrator has a file of that name.
    private func publishTerm() throws(FleetFault) {
        guard publisher != nil else { return }
        do throws(SystemError) {
            try machines[DemoFleet.behind - 1].writePolicy(DemoMachine.term, to: "20-term.json")
        } catch {
            throw FleetFault("\(error)")
        }
        try publish(
            ["10-school.json": DemoMachine.school, "20-term.json": DemoMachine.term], "new term",
            before(DemoFleet.published[1]))
    }

    private func publish(_ files: [String: String], _ reason: String, _ time: Timestamp) throws(FleetFault) {
        try publisher?.publish(files, reason: reason, at: time)
    }

    /// The folder that machines are copied to while it is needed.
    private static let spare = "/spare"

    private func before(_ seconds: Int) -> Timestamp {
        Timestamp(microseconds: now.microseconds - Int64(seconds) * 1_000_000)
    }

    /// One turn of a machine's sender.
    private func send(_ machine: DemoMachine, at time: Timestamp) throws(FleetFault) {
        guard let configuration = try FleetConfiguration.read(machine.root) else { return }
        let transport = try Transports.transport(to: configuration, of: machine.root)
        let policy = policy
        var run = HostRun(machine.root, configuration, over: transport, now: time, version: version) {
            policy(machine.root, time)
        }
        _ = try run.run()
    }

    /// One round of the collector.
    private func collect(at time: Timestamp) throws(FleetFault) -> [FleetAlarm] {
        let round: CollectorRound
        do throws(SystemError) {
            round = try Collector.run(centre, now: time)
        } catch {
            throw FleetFault("\(error)")
        }
        if let problem = round.problems.first { throw FleetFault(problem) }
        return round.alarms
    }

    private func copy(_ machine: DemoMachine, to folder: String) throws(FleetFault) {
        do throws(SystemError) {
            try DemoCopy.copy("/", of: machine.root, to: folder, of: centre)
        } catch {
            throw FleetFault("\(error)")
        }
    }

    /// Puts back a machine's disk as it was when it was copied.
    private func setBack(_ machine: DemoMachine) throws(FleetFault) {
        do throws(SystemError) {
            try DemoCopy.remove("/var", of: machine.root)
            try DemoCopy.copy("\(DemoFleet.spare)/var", of: centre, to: "/var", of: machine.root)
            try DemoCopy.remove(DemoFleet.spare, of: centre)
        } catch {
            throw FleetFault("\(error)")
        }
    }

    /// Copies a machine's disk to another one, which gets a name and an id of its own.
    private func clone(of machine: DemoMachine) throws(FleetFault) -> DemoMachine {
        let name = DemoFleet.name(machines.count + 1)
        let folder = DemoFleet.folder(name)
        try copy(machine, to: folder)
        do throws(SystemError) {
            let root = try Root(directory: centre.display(folder))
            try root.replace("/etc/hostname", with: Array("\(name)\n".utf8), mode: 0o644, durable: false)
            try root.replace(
                "/etc/machine-id", with: Array(DemoMachine.machineID(name).utf8), mode: 0o644, durable: false)
            return DemoMachine(host: machine.host, room: machine.room, root: root)
        } catch {
            throw FleetFault("\(error)")
        }
    }

    private static func name(_ number: Int) -> String { "pc\(number < 10 ? "0" : "")\(number)" }

    /// Works on all elements; throws the first fault.
    private static func all<Element: Sendable, Result: Sendable>(
        _ elements: [Element], _ work: @escaping @Sendable (Element) throws(FleetFault) -> Result
    ) throws(FleetFault) -> [Result] {
        let results = Workers.map(elements) { element -> Swift.Result<Result, FleetFault> in
            do throws(FleetFault) {
                return .success(try work(element))
            } catch {
                return .failure(error)
            }
        }
        var all: [Result] = []
        for result in results { all.append(try result.get()) }
        return all
    }
}
