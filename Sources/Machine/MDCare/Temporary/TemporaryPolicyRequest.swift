package import MDEngine
package import MDPlatform
package import MDPolicyAdministration
import MDPolicyModel
package import MDPropertyList

/// A person who starts or ends temporary policy, as the audit log and the file name him or her.
package struct TemporaryPolicyActor: Sendable {
    /// The name for people: the login user and, if it differs, the user of the process.
    package let name: String
    /// The id in the audit record.
    package let uid: UInt32
    /// The account name in the audit record; `nil` if the id has none.
    package let user: String?
    /// Whether it is a delegate: a grant then lifts nothing of a file that is `Enforced`, such as those of an exam.
    package let isDelegate: Bool

    package init(name: String, uid: UInt32, user: String?, isDelegate: Bool = false) {
        (self.name, self.uid, self.user, self.isDelegate) = (name, uid, user, isDelegate)
    }

    /// The caller of this process.
    ///
    /// If the kernel has no login user, as in a container, root's variable `SUDO_UID` names it.
    package static func caller(on machine: PolicyInForce) -> TemporaryPolicyActor {
        /// The name of an id, or its number if it has no name.
        func name(_ uid: UInt32) -> String { machine.accounts.name(of: uid) ?? "uid \(uid)" }
        let uid = CurrentProcess.uid
        var words = name(uid)
        if let login = CurrentProcess.loginUID {
            if login != uid { words = "\(name(login)) as \(words)" }
        } else if uid == 0, let word = Environment.values(of: ["SUDO_UID"])["SUDO_UID"], let caller = UInt32(word),
            caller != uid
        {
            words = "\(name(caller)), by sudo, as \(words)"
        }
        return TemporaryPolicyActor(name: words, uid: uid, user: machine.accounts.name(of: uid))
    }
}

/// A request to start an exam.
package struct ExamRequest: Sendable {
    /// The name of an installed set or, with a slash in it, an absolute path.
    package let set: String
    package let end: Timestamp
    /// Why; may be empty.
    package let reason: String
    package let by: TemporaryPolicyActor
    /// Who sits it; `nil` as the files of the set say.
    package let sitters: ExamSitters?
    /// Whether the next boot ends it.
    package let isUntilBoot: Bool

    package init(
        set: String, end: Timestamp, reason: String, by: TemporaryPolicyActor, sitters: ExamSitters? = nil,
        isUntilBoot: Bool = false
    ) {
        (self.set, self.end, self.reason, self.by) = (set, end, reason, by)
        (self.sitters, self.isUntilBoot) = (sitters, isUntilBoot)
    }
}

/// A request to give or to revoke a grant.
package struct GrantRequest: Sendable {
    /// The user who gets it.
    package let account: Account
    package let domain: Key
    package let key: Key
    /// The value that is forced instead; `nil` frees the key.
    package let value: Value?
    /// Why; empty for one that is revoked.
    package let reason: String
    package let by: TemporaryPolicyActor
    /// Whether the next boot ends it.
    package let isUntilBoot: Bool

    package init(
        account: Account, domain: Key, key: Key, value: Value?, reason: String, by: TemporaryPolicyActor,
        isUntilBoot: Bool = false
    ) {
        (self.account, self.domain, self.key, self.value) = (account, domain, key, value)
        (self.reason, self.by, self.isUntilBoot) = (reason, by, isUntilBoot)
    }
}

/// Why temporary policy was not started or ended, as sentences for people, escaped.
package struct TemporaryPolicyError: Error {
    /// The kind of failure, which a command has an exit code for.
    package enum Kind: Sendable {
        /// Nothing would be in force, or it is not allowed.
        case refused
        /// An argument is invalid.
        case usage
        /// Something could not be read, written or recorded.
        case inputOutput
        /// A file has errors.
        case badInput
    }

    package let kind: Kind
    package let message: String

    init(_ kind: Kind, _ message: String) {
        (self.kind, self.message) = (kind, message)
    }

    /// The failure for a file that would not be in force.
    init(_ error: TemporaryPolicy.Failure) {
        let lines = error.findings.filter { $0.severity == .error }.map { finding in
            // The file of a grant does not exist yet, so its path is omitted.
            let isMade = finding.file.utf8.starts(with: TemporaryPolicy.directory.utf8)
            let place = isMade ? "" : "\(finding.file):\(finding.position): "
            return Printable.escape("\(place)\(finding.message).")
        }
        self.init(.badInput, ([error.reason] + lines).joined(separator: "\n"))
    }
}
