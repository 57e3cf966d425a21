import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDPolicyCore
import MDPropertyList
import MDTools

/// What the service writes into the records of a connection in place of what its sender says.
struct RecordStamp {
    /// The process, as the kernel sees it.
    var peer: PeerStamp
    /// The name of its user, if it is known.
    let user: String?
    /// The person that its limits are charged to.
    let person: UInt32
    /// Whether the process acts for the machine: it is root's, or the owner's of the root.
    let isRoot: Bool

    /// The kinds of records of any process, and those that only root's add.
    ///
    /// With `drop` a process says what it lost itself: what an earlier service did not confirm.
    private static let kinds: (all: Set<RecordKind>, root: Set<RecordKind>) = (
        [.override, .damaged, .drop], [.policy, .grant, .recover]
    )
    /// The most bytes of a program's path that only its sender says.
    private static let longestClaim = 512

    /// Why a record is not accepted, as a clause; `nil` if it is.
    func objection(to record: AuditRecord) -> String? {
        guard RecordStamp.kinds.all.contains(record.kind) || (isRoot && RecordStamp.kinds.root.contains(record.kind))
        else { return "a record has a kind that this process may not send" }
        guard record.via?.isKnown ?? true, record.outcome?.isKnown ?? true, record.src?.isKnown ?? true else {
            return "a record has a word that is unknown"
        }
        if record.kind == .override, record.domain == nil { return "an attempt has no domain" }
        // What a process lost itself may be of more than one window.
        let isOfAttempts = [.override, .damaged].contains(record.kind)
        let most = isOfAttempts ? AuditRecord.mostEqualAttempts : MessageHead.mostAttempts
        if let count = record.count, !(1...most).contains(count) {
            return "a record has a count that is none"
        }
        return nil
    }

    /// Replaces what the sender says of itself and of the moment, and sensitive values by their digests.
    func apply(to record: inout AuditRecord, machine: MachineStamp, time: Timestamp, monotonic: Int64) {
        record.forced = record.forced.map { summary($0, machine) }
        record.tried = record.tried.map { summary($0, machine) }
        // Whether a key is sensitive is not for the sender to say.
        if let domain = record.domain, machine.keys.sensitive.concern(record.key, of: domain) {
            record.hideValues(under: machine.key)
        }
        if isRoot {
            // Root's commands act for other users.
            if record.uid == nil || record.uid == peer.uid { (record.uid, record.user) = (peer.uid, user) }
            record.src = record.src ?? .client
        } else {
            (record.uid, record.user) = (peer.uid, user)
            // What a user kept is worth less than what a user sends now, so a user may say so.
            if record.src == .spool {
                record.first = record.first ?? record.time
                record.last = record.last ?? record.time
            } else {
                record.src = .client
            }
        }
        // Of itself a process can only say what it did since the machine started; what was kept may be older.
        let boot = Timestamp(microseconds: time.microseconds - monotonic)
        record.boundClaimedTimes(from: record.src == .spool ? nil : boot, to: time)
        (record.auid, record.session) = (peer.loginUID, peer.sessionID)
        (record.pid, record.start) = (peer.pid > 0 ? peer.pid : nil, peer.startTime)
        if let program = peer.executable {
            record.exe = program
        } else if let claim = record.exe {
            record.exe = RecordStamp.cut(claim)
            if record.src == .client { record.src = .claim }
        }
        record.unit = peer.unit
        (record.v, record.seq, record.extra) = (AuditRecord.formatVersion, 0, [])
        (record.time, record.mono) = (time, Int(monotonic))
        (record.boot, record.host) = (machine.boot, machine.host)
    }

    /// A summary with the digest that only this process and root can make.
    private func summary(_ claim: ValueSummary, _ machine: MachineStamp) -> ValueSummary {
        if case .sensitive = claim, !isRoot { return .sensitive(hmac: nil) }
        return claim.shortened.digested(under: machine.key)
    }

    /// The first bytes of a path.
    private static func cut(_ path: String) -> String {
        path.utf8.count <= longestClaim ? path : String(decoding: path.utf8.prefix(longestClaim), as: UTF8.self) + "…"
    }
}

/// What the records of this machine have in common.
final class MachineStamp {
    /// The kernel's identifier of the boot.
    let boot: String?
    /// The end of the field of the time, the field of the boot, and the name of the next one, as bytes of a line.
    let bootField: [UInt8]
    /// The name of the host.
    private(set) var host: String
    /// The key of the digests of sensitive values; `nil` if there can be none.
    let key: HostKey?
    /// The keys of policy.
    var keys = PolicyKeys()
    /// The root of the machine.
    private let root: Root
    /// When the name was read.
    private var time: Int64

    /// How long a name is used, in microseconds.
    private static let lifetime: Int64 = 60_000_000

    /// Reads the names of a machine.
    init(root: Root, key: HostKey?) {
        (self.root, self.key) = (root, key)
        boot = Machine.bootID()
        var record = AuditRecord(kind: .start)
        record.boot = boot
        bootField = [UInt8(ascii: "\"")] + record.encoded(from: .boot, to: .boot) + RecordMember.mono.bytes
        host = Machine.hostName(root: root).short
        time = Clock.monotonicMicroseconds()
    }

    /// Reads the name again after some time.
    func renew(now: Int64) {
        guard now - time > MachineStamp.lifetime else { return }
        (host, time) = (Machine.hostName(root: root).short, now)
    }
}

/// The names of users in `/etc/passwd`, read again when the file changes, and in the register of people.
struct UserNames {
    /// The root of the machine.
    private let root: Root
    /// The users, and who is responsible for which uids.
    private var persons: Persons
    /// The files as they were read; `nil` for one that is not there.
    private var files: [FileStatus?]

    /// Reads the names.
    init(root: Root) {
        self.root = root
        files = UserNames.states(root)
        persons = Persons(root: root, accounts: AccountDatabase(root: root))
    }

    /// The states of the files.
    private static func states(_ root: Root) -> [FileStatus?] {
        ["/etc/passwd", SubordinateIDs.path].map { try? root.status($0, followingLinks: true) }
    }

    /// Reads the names again if a file changed.
    private mutating func renew() {
        let now = UserNames.states(root)
        if now == files { return }
        (files, persons) = (now, Persons(root: root, accounts: AccountDatabase(root: root)))
    }

    /// The person that the limits of a uid are charged to.
    mutating func person(of uid: UInt32) -> UInt32 {
        renew()
        return persons.person(of: uid) ?? PersonalShares.anyone
    }

    /// The name of a user.
    mutating func name(of uid: UInt32) -> String? { account(of: uid)?.name }

    /// The entry of a user; of one of a directory what the register of people has.
    mutating func account(of uid: UInt32) -> Account? {
        renew()
        if let account = persons.accounts.account(uid: uid) { return account }
        return PeopleRegister.person(of: uid, in: root).map {
            Account(inDirectory: $0.name, uid: uid, gid: .max, home: $0.home)
        }
    }
}
