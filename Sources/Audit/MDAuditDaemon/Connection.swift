import MDAuditClient
import MDPlatform
import MDTools

/// A connection of a client, with the outcome of its attempts.
final class Connection {
    /// The socket.
    let socket: MessageSocket
    /// Its number in the ledger of the senders; `nil` if that has no place for it.
    let ledgerNumber: Int?
    /// What its records are stamped with.
    private(set) var stamp: RecordStamp
    /// The user of the process.
    let uid: UInt32
    /// The person that its limits are charged to.
    let person: UInt32
    /// Whether the process acts for the machine.
    let isRoot: Bool
    /// What all plain attempts of the client have in common; `nil` before the first one.
    private var common: CommonFields?
    /// Whether the part of root was asked for the program of the client.
    private var isProgramAsked = false
    /// Whether the client opened a domain, and the version of its engine, if it said it.
    var (isProgram, engine): (Bool, String?) = (false, nil)
    /// Whether nothing has arrived yet.
    var isNew = true
    /// When it last sent something, on the monotonic clock.
    var lastUse: Int64
    /// The number of attempts that arrived.
    var received = 0
    /// The number of those that were only counted.
    var dropped = 0
    /// The number of those that were returned to the sender.
    var returned = 0
    /// The number of requests whose answers wait for the disk.
    var waiting = 0
    /// Whether it is closed.
    var isClosed = false
    /// The answers that the client does not read yet.
    private var unread: [[UInt8]] = []

    /// Takes over an accepted connection.
    init(_ socket: consuming MessageSocket, stamp: RecordStamp, ledgerNumber: Int?, now: Int64) {
        self.socket = socket
        (self.stamp, self.ledgerNumber) = (stamp, ledgerNumber)
        (uid, person, isRoot) = (stamp.peer.uid, stamp.person, stamp.isRoot)
        lastUse = now
    }

    /// Asks the root process, once per connection, which program the client runs, if this process may not read it.
    func askForProgram(_ questions: ProgramQuestions, now: Int64) {
        if isProgramAsked || stamp.peer.executable != nil { return }
        isProgramAsked = true
        stamp.peer.executable = questions.program(of: socket, now: now)
        common = nil
    }

    /// The client's number for the coalescer, which no other connection has.
    var sender: Int { ledgerNumber ?? -1 }

    /// What all plain attempts of the client have in common.
    ///
    /// - Parameters:
    ///   - claim: the path of its program, as it says it; `nil` if it does not.
    ///   - machine: what the records of this machine have in common.
    /// - Returns: the fields, which are made once for a claim.
    func common(claim: ArraySlice<UInt8>?, machine: MachineStamp) -> CommonFields {
        if let common, common.isValid(claim: claim, host: machine.host) { return common }
        let new = CommonFields(of: stamp, sender: sender, claim: claim, machine: machine)
        common = new
        return new
    }

    /// Whether answers wait until the client reads; until then nothing more is read from it.
    var isBlocked: Bool { !unread.isEmpty }

    /// The numbers of the answer to `health`, if all that was stored is on disk.
    var totals: ServiceTotals {
        ServiceTotals(received: received, stored: received - dropped - returned, dropped: dropped)
    }

    /// Sends an answer, now or when the client reads; not if the request has the number 0.
    ///
    /// - Returns: whether the client does not read.
    func answer(_ number: Int, _ result: ServiceAnswer.Result) -> Bool {
        guard number > 0, !isClosed else { return false }
        var bytes = ServiceAnswer(number: number, result).encoded
        if bytes.count > ServiceProtocol.longestMessage {
            bytes = ServiceAnswer(number: number, .unavailable("the answer is too long")).encoded
        }
        if unread.isEmpty {
            let code = socket.sendIfPossible(bytes.span)
            // A client that has gone is noticed by reading.
            if code == 0 || !SystemError(operation: "", path: "", code: code).isFull { return false }
        }
        unread.append(bytes)
        return true
    }

    /// Sends the answers that wait.
    ///
    /// - Returns: whether none is left.
    func sendUnread() -> Bool {
        while let bytes = unread.first {
            let code = socket.sendIfPossible(bytes.span)
            if code != 0, SystemError(operation: "", path: "", code: code).isFull { return false }
            unread.removeFirst()
        }
        return true
    }
}

/// The open connections.
struct ConnectionTable {
    /// The connections by their descriptors.
    private(set) var all: [Int32: Connection] = [:]
    /// The number of each person's connections.
    private var counts: [UInt32: Int] = [:]

    /// The connection of a descriptor.
    subscript(raw: Int32) -> Connection? { all[raw] }

    /// Adds a connection.
    mutating func insert(_ connection: Connection) {
        all[connection.socket.raw] = connection
        counts[connection.person, default: 0] += 1
    }

    /// Removes a connection.
    mutating func remove(_ connection: Connection) {
        guard all.removeValue(forKey: connection.socket.raw) != nil else { return }
        let person = connection.person
        counts[person] = counts[person].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    /// The number of a person's connections.
    func count(of person: UInt32) -> Int { counts[person, default: 0] }

    /// The programs of a person, or of all, that have a connection, in the order of their versions.
    func programs(of person: UInt32?) -> [ConnectedProgram] {
        var counts: [[String?]: Int] = [:]
        for connection in all.values where connection.isProgram && (person == nil || connection.person == person) {
            let peer = connection.stamp.peer
            counts[[connection.engine, peer.executable ?? "process \(peer.pid)"], default: 0] += 1
        }
        return counts.map { ConnectedProgram(engine: $0.key[0], name: $0.key[1] ?? "", count: $0.value) }.sorted()
    }

    /// The connection of a person, or of the person with most, that has been idle for the longest time.
    ///
    /// One whose client waits for an answer, or does not read, is the last choice.
    func idlest(of person: UInt32? = nil) -> Connection? {
        guard let person = person ?? counts.max(by: { $0.value < $1.value })?.key else { return nil }
        return all.values.filter { $0.person == person }.min {
            ($0.waiting > 0 ? 1 : 0, $0.lastUse) < ($1.waiting > 0 ? 1 : 0, $1.lastUse)
        }
    }
}
