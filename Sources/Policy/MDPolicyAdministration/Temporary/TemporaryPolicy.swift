package import MDPlatform
import MDPolicyCore
import MDPolicyFormats
package import MDPolicyModel
import MDPolicyStore
package import MDPropertyList

/// A policy file that is in force until a moment, or until the next boot.
package struct TemporaryPolicy: Sendable {
    /// Why a policy file cannot be used as temporary policy.
    package struct Failure: Error, Hashable, Sendable {
        /// The findings, errors first; empty if ``reason`` says all.
        package let findings: [Diagnostic]
        /// The reason as a sentence.
        package let reason: String
    }

    /// The directory of temporary policy.
    package static let directory = PolicyDirectory.run.directory

    package let name: String
    package let bytes: [UInt8]
    /// The file as it is read.
    package let policy: PolicyFile
    /// The reason of a grant, and the user who may read it; `nil` for an exam, whose reason is public.
    package let reason: (text: String, user: UInt32)?

    /// The path beneath the root.
    package var path: String { "\(TemporaryPolicy.directory)/\(name)" }
    package var digest: Digest { SHA256.hash(bytes) }

    /// Makes a file and checks that it is valid.
    ///
    /// - Throws: the errors that would make the file invalid.
    private init(name: String, bytes: [UInt8], reason: (text: String, user: UInt32)? = nil) throws(Failure) {
        self.name = name
        self.bytes = bytes
        self.reason = reason
        if let reason = PolicyFileName.reasonToIgnore(name) {
            throw Failure(findings: [], reason: "The name \(Printable.escape(name)) \(reason).")
        }
        let (file, findings) = PolicyFile.parse(bytes: bytes, path: "\(TemporaryPolicy.directory)/\(name)")
        guard let file, file.temporary != nil else {
            throw Failure(findings: findings, reason: "The policy file that it makes has errors.")
        }
        policy = file
    }
}

extension TemporaryPolicy {
    /// A grant: the user gets another value for a key, or freedom to set it.
    package struct Grant: Sendable {
        /// The user who gets the grant.
        package let user: Key
        /// The id of the user.
        package let uid: UInt32
        package let domain: Key
        package let key: Key
        /// The value that is forced instead; `nil` frees the key.
        package let value: Value?
        /// The reason.
        package let reason: String
        /// The person who approves it.
        package let approvedBy: String
        /// Whether it counts before files that are `Enforced` too.
        package let isEnforced: Bool

        package init(
            user: Key, uid: UInt32, domain: Key, key: Key, value: Value?, reason: String, approvedBy: String,
            isEnforced: Bool = true
        ) {
            self.user = user
            self.uid = uid
            self.domain = domain
            self.key = key
            self.value = value
            self.reason = reason
            self.approvedBy = approvedBy
            self.isEnforced = isEnforced
        }

        /// A number derived from user, domain and key, so that a later grant of the same replaces an earlier one.
        private var number: String {
            var bytes: [UInt8] = []
            for part in [user, domain, key] {
                bytes.append(contentsOf: part.string.utf8)
                bytes.append(0)
            }
            return String(SHA256.hash(bytes).hex.prefix(16))
        }

        package var fileName: String { "00-grant-\(number).json" }
        package var identifier: String { "managed-defaults.grant.g\(number)" }

        /// Whether a policy file grants the same key to the same user, regardless of its name and value.
        package func isGiven(by policy: PolicyFile) -> Bool {
            guard policy.isGrant else { return false }
            let isWaived = policy.waivers.contains { waiver in
                waiver.domain == domain && waiver.key == key && waiver.clauses.users?.map(\.name) == [user]
            }
            let isForced =
                policy.target?.include.users?.map(\.name) == [user]
                && policy.entries.contains { entry in
                    entry.level == .forced && entry.domain == domain && entry.key == key
                }
            return isWaived || isForced
        }
    }

    /// Makes the file of a grant: a waiver, or a forced entry if the grant has a value; without its reason, because the
    /// file is public.
    package init(_ grant: Grant, until end: Timestamp) throws(Failure) {
        let users = Value.array([.string(grant.user.string)])
        let temporary = Temporary(kind: .grant, until: end, by: grant.approvedBy, reason: GrantReason.unshown)
        var root: [(field: PolicyField, value: Value)] = [
            (.identifier, .string(grant.identifier)),
            (.description, .string(GrantReason.unshown)),
            (.contact, .string(grant.approvedBy)),
            (.temporary, PolicyWriter.value(temporary)),
            (.enforced, .boolean(grant.isEnforced)),
            (.target, .dictionary([Key("Users"): users])),
        ]
        if let value = grant.value {
            let value = PolicyWriter.literal(value)
            root.append((.forced, .dictionary([grant.domain: .dictionary([grant.key: value])])))
        } else {
            let waiver: [Key: Value] = [
                Key("Users"): users, Key("Domain"): .string(grant.domain.string),
                Key("Key"): .string(grant.key.string), Key("Until"): .string(PolicyWriter.time(end)),
                Key("Reason"): .string(GrantReason.unshown), Key("ApprovedBy"): .string(grant.approvedBy),
            ]
            root.append((.waivers, .array([.dictionary(waiver)])))
        }
        try self.init(
            name: grant.fileName, bytes: PolicyWriter(root).bytes, reason: (text: grant.reason, user: grant.uid))
    }
}

extension TemporaryPolicy {
    /// The exam for which a set is started.
    package struct Exam: Sendable {
        /// The name of the set.
        package let set: String
        package let end: Timestamp
        /// The reason; may be empty.
        package let reason: String
        /// The person who starts it.
        package let by: String

        package init(set: String, end: Timestamp, reason: String, by: String) {
            self.set = set
            self.end = end
            self.reason = reason
            self.by = by
        }
    }

    /// Makes an `Enforced` JSON file with an end from a file of a set.
    ///
    /// - Parameters:
    ///   - bytes: the file of the set.
    ///   - file: its name, which decides its format and its place among the files of the set.
    ///   - exam: the exam.
    ///   - sitters: the people that the file is for; `nil` as its target says.
    ///   - shownPath: the path for messages.
    /// - Throws: if the file is not a valid policy file, or has content that cannot be carried over.
    package init(
        wrapping bytes: [UInt8], file: String, for exam: Exam, sitters: ExamSitters? = nil, shownPath: String
    ) throws(Failure) {
        let shown = Printable.escape(shownPath)
        let (policy, findings) = PolicyFile.parse(bytes: bytes, path: file, shownPath: shownPath)
        guard let policy else { throw Failure(findings: findings, reason: "\(shown) has errors.") }
        guard policy.temporary == nil else {
            throw Failure(
                findings: [], reason: "\(shown) has the field Temporary, which a file of a set does not have.")
        }
        let temporary = Temporary(
            kind: .exam, set: Key(exam.set), until: exam.end, by: exam.by, reason: exam.reason, digest: policy.digest)
        let writer: PolicyWriter
        do throws(PolicyWriter.Refusal) {
            try TemporaryPolicy.requireSame(policy)
            let unchanged = try PolicyWriter(policy, temporary: temporary)
            writer = sitters.map { PolicyWriter($0.targeting(unchanged.fields)) } ?? unchanged
        } catch {
            throw Failure(
                findings: [], reason: "\(shown) cannot be put in force for a time: \(Printable.escape(error.reason)).")
        }
        try self.init(name: TemporaryPolicy.name(of: file, in: exam.set), bytes: writer.bytes)
    }

    /// The name of the temporary file for a file of a set; it preserves the order of the set.
    private static func name(of file: String, in set: String) -> String {
        let suffix = PolicyFileName.kind(of: file) == .json ? "" : ".json"
        return "00-exam-\(set)-\(file)\(suffix)"
    }

    /// Refuses a file that its JSON form does not represent exactly.
    private static func requireSame(_ policy: PolicyFile) throws(PolicyWriter.Refusal) {
        let writer = try PolicyWriter(policy)
        let (copy, findings) = PolicyFile.parse(bytes: writer.bytes, path: "copy.json")
        guard let copy else {
            let reason = findings.first { $0.severity == .error }?.message
            throw PolicyWriter.Refusal(reason: "as JSON it has errors\(reason.map { ": \($0)" } ?? "")")
        }
        let other = try PolicyWriter(copy)
        for (index, (field, value)) in writer.fields.enumerated() {
            guard index < other.fields.count, other.fields[index].field == field,
                CanonicalPolicy.encode(other.fields[index].value) == CanonicalPolicy.encode(value)
            else { throw PolicyWriter.Refusal(reason: "its \(field.rawValue) is not the same in JSON") }
        }
    }
}

extension TemporaryPolicy {
    /// The name of the file that a signature file belongs to; `nil` for any other name.
    package static func signed(_ name: String) -> String? {
        PolicyFileName.signed(name).flatMap { isPolicyFile($0) ? $0 : nil }
    }

    /// Whether a name is that of a policy file.
    package static func isPolicyFile(_ name: String) -> Bool { PolicyFileName.reasonToIgnore(name) == nil }
}
