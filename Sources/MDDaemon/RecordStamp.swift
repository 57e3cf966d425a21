import MDAuditClient
import MDPlatform
import MDPropertyList

/// What the service writes into the records of a connection in place of what its sender says.
struct RecordStamp {
    /// The process, as the kernel sees it.
    var peer: PeerStamp
    /// The name of its user, if it is known.
    let user: String?
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

    /// Who is responsible for the volume: the login, if there is one.
    var login: UInt32 { peer.loginUID ?? peer.uid }

    /// Why a record is not accepted, as a clause; `nil` if it is.
    func objection(to record: AuditRecord) -> String? {
        guard RecordStamp.kinds.all.contains(record.kind) || (isRoot && RecordStamp.kinds.root.contains(record.kind))
        else { return "a record has a kind that this process may not send" }
        guard record.via?.isKnown ?? true, record.outcome?.isKnown ?? true, record.src?.isKnown ?? true else {
            return "a record has a word that is unknown"
        }
        if record.kind == .override, record.domain == nil { return "an attempt has no domain" }
        if let count = record.count, !(1...MessageHead.mostAttempts).contains(count) {
            return "a record has a count that is none"
        }
        return nil
    }

    /// Replaces what the sender says of itself and of the moment, and sensitive values by their digests.
    func apply(to record: inout AuditRecord, machine: MachineStamp, time: Timestamp, monotonic: Int64) {
        record.forced = record.forced.map { summary($0, machine) }
        record.tried = record.tried.map { summary($0, machine) }
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
        return claim.digested(under: machine.key)
    }

    /// The first bytes of a path.
    private static func cut(_ path: String) -> String {
        path.utf8.count <= longestClaim ? path : String(decoding: path.utf8.prefix(longestClaim), as: UTF8.self) + "…"
    }
}

/// What the records of this machine have in common.
struct MachineStamp {
    /// The kernel's identifier of the boot.
    let boot: String?
    /// The name of the host.
    private(set) var host: String
    /// The key of the digests of sensitive values; `nil` if there can be none.
    let key: HostKey?
    /// The root of the machine.
    private let root: Root
    /// When the name was read.
    private var time: Int64

    /// How long a name is used, in microseconds.
    private static let lifetime: Int64 = 60_000_000

    /// Reads the names of a machine.
    init(root: Root) {
        self.root = root
        boot = Machine.bootID()
        host = Machine.hostName(root: root).short
        key = HostKey(ofService: root)
        time = Clock.monotonicMicroseconds()
    }

    /// Reads the name again after some time.
    mutating func renew(now: Int64) {
        guard now - time > MachineStamp.lifetime else { return }
        (host, time) = (Machine.hostName(root: root).short, now)
    }
}

/// The names of users in `/etc/passwd`, read again when the file changes.
struct UserNames {
    /// The root of the machine.
    private let root: Root
    /// The users.
    private var accounts: AccountDatabase
    /// The file as it was read; `nil` if there is none.
    private var status: FileStatus?

    /// Reads the names.
    init(root: Root) {
        self.root = root
        status = try? root.status("/etc/passwd", followingLinks: true)
        accounts = AccountDatabase(root: root)
    }

    /// The name of a user.
    mutating func name(of uid: UInt32) -> String? { account(of: uid)?.name }

    /// The entry of a user.
    mutating func account(of uid: UInt32) -> Account? {
        let now = try? root.status("/etc/passwd", followingLinks: true)
        if now != status { (status, accounts) = (now, AccountDatabase(root: root)) }
        return accounts.account(uid: uid)
    }
}
