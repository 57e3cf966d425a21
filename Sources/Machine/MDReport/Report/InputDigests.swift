import MDAuditRecord
import MDCare
import MDPlatform
import MDPropertyList

/// The attempts of a log, handed out to their users.
struct AttemptsByUser {
    /// Attempts by uid, and by name where there is no uid.
    private var ids: [UInt32: [AuditRecord]] = [:]
    private var names: [Key: [AuditRecord]] = [:]
    private var nobodys: [AuditRecord] = []

    init(_ records: [AuditRecord]) {
        for record in records {
            if let uid = record.uid {
                ids[uid, default: []].append(record)
            } else if let name = record.user {
                names[Key(name), default: []].append(record)
            } else {
                nobodys.append(record)
            }
        }
    }

    /// Takes out the attempts of a user, oldest first: by uid, or by name where a record has no uid.
    mutating func take(_ account: Account) -> [AuditRecord] {
        let own = ids.removeValue(forKey: account.uid) ?? []
        guard let named = names.removeValue(forKey: Key(account.name)) else { return own }
        return (own + named).sorted { $0.seq < $1.seq }
    }

    /// The attempts that were not taken out, oldest first.
    var rest: [AuditRecord] {
        (ids.values.flatMap(\.self) + names.values.flatMap(\.self) + nobodys).sorted { $0.seq < $1.seq }
    }
}

/// Digests of the users that a report covers, and of what their homes hold.
struct InputDigests {
    private var users = DigestBuilder()
    private var homes = DigestBuilder()

    /// Adds a user and what was found in the home.
    mutating func add(_ account: Account, _ home: HomeInspection) {
        users.add("\(account.name)\u{0}\(account.uid)\u{0}\(account.gid)\u{0}\(account.home)")
        // Paths under the root: the place of a folder that is used as a machine is no input.
        for item in home.stored {
            homes.add("\(item.forcedDomain)\u{0}\(item.key)\u{0}\(item.value.domain)\u{0}\(item.value.file)")
            homes.add(ReportValue.whole(item.value.value, isSensitive: false))
        }
        for item in home.outside {
            homes.add("\(item.domain)\u{0}\(item.key)\u{0}\(item.file)")
            homes.add(ReportValue.whole(item.value, isSensitive: false))
        }
        for problem in home.problems { homes.add(problem.message) }
        homes.add("\(home.waiting ?? -1) \(home.dropped)")
    }

    /// The inputs with digests, in a fixed order.
    func inputs(_ policy: Digest?, _ programs: Digest) -> [ReportEvidence.Input] {
        let policy = policy.map { [ReportEvidence.Input(name: "policy", digest: $0)] } ?? []
        return policy + [
            ReportEvidence.Input(name: "users", digest: users.digest),
            ReportEvidence.Input(name: "homes", digest: homes.digest),
            ReportEvidence.Input(name: "programs", digest: programs),
        ]
    }
}
