package import Platform
package import PropertyList

/// A policy file that holds until a moment, or until the next boot.
package struct TemporaryPolicy: Hashable, Sendable {
    /// Why a policy file cannot be put in force for a time.
    package struct Failure: Error, Hashable, Sendable {
        /// The findings, errors first; empty where ``reason`` says all.
        package let findings: [Diagnostic]
        /// What is wrong, as a sentence.
        package let reason: String
    }

    /// The directory of temporary policy.
    package static let directory = PolicyPlace.run.directory
    /// What the names of grants begin with.
    package static let grantPrefix = "00-grant-"
    /// What the names of exams begin with.
    package static let examPrefix = ExamName.start

    /// The name of the file.
    package let name: String
    /// Its content.
    package let bytes: [UInt8]
    /// The signature that lies beside it; `nil` for none.
    package var signature: [UInt8]?

    /// The path beneath the root.
    package var path: String { "\(TemporaryPolicy.directory)/\(name)" }
    /// The digest of its content.
    package var digest: Digest { SHA256.hash(bytes) }

    /// Makes a file that is known to be good.
    ///
    /// - Throws: what would make the file refused.
    private init(name: String, bytes: [UInt8]) throws(Failure) {
        self.name = name
        self.bytes = bytes
        if let reason = PolicyFileName.reasonToIgnore(name) {
            throw Failure(findings: [], reason: "The name \(Printable.escape(name)) \(reason).")
        }
        let (file, findings) = PolicyFile.parse(bytes: bytes, path: path)
        guard file != nil else {
            throw Failure(findings: findings, reason: "The policy file that it makes has errors.")
        }
    }
}

extension TemporaryPolicy {
    /// What somebody is granted.
    package struct Grant: Sendable {
        /// The user who is granted it.
        package let user: Key
        /// The domain.
        package let domain: Key
        /// The key.
        package let key: Key
        /// The value that is forced instead; `nil` frees the key.
        package let value: Value?
        /// Why.
        package let reason: String
        /// Who grants it.
        package let approvedBy: String

        /// Makes a grant.
        package init(user: Key, domain: Key, key: Key, value: Value?, reason: String, approvedBy: String) {
            self.user = user
            self.domain = domain
            self.key = key
            self.value = value
            self.reason = reason
            self.approvedBy = approvedBy
        }

        /// A number for user, domain and key, so that a later grant of the same replaces an earlier one.
        private var number: String {
            var bytes: [UInt8] = []
            for part in [user, domain, key] {
                bytes.append(contentsOf: part.string.utf8)
                bytes.append(0)
            }
            return String(SHA256.hash(bytes).hex.prefix(16))
        }

        /// The name of its file.
        package var fileName: String { "\(TemporaryPolicy.grantPrefix)\(number).json" }
        /// The identifier of its policy.
        package var identifier: String { "managed-defaults.grant.g\(number)" }
    }

    /// The file of a grant: a waiver, or with a value a forced entry.
    package init(_ grant: Grant, until end: Timestamp) throws(Failure) {
        let users = Value.array([.string(grant.user.string)])
        let until = Value.string(end.rfc3339)
        var root: [Key: Value] = [
            Key("Identifier"): .string(grant.identifier),
            Key("Description"): .string(grant.reason),
            Key("Contact"): .string(grant.approvedBy),
            Key("Enforced"): .boolean(true),
            Key("Target"): .dictionary([Key("Users"): users, Key("NotAfter"): until]),
        ]
        if let value = grant.value {
            root[Key("Forced")] = .dictionary([grant.domain: .dictionary([grant.key: TemporaryPolicy.literal(value)])])
        } else {
            root[Key("Waivers")] = .array([
                .dictionary([
                    Key("Users"): users, Key("Domain"): .string(grant.domain.string),
                    Key("Key"): .string(grant.key.string), Key("Until"): until, Key("Reason"): .string(grant.reason),
                    Key("ApprovedBy"): .string(grant.approvedBy),
                ])
            ])
        }
        try self.init(name: grant.fileName, bytes: TemporaryPolicy.text(root))
    }

    /// A file of a set, which its name makes `Enforced` and gives an end.
    ///
    /// - Parameters:
    ///   - bytes: the file of the set.
    ///   - file: its name, which decides its format and its place among the files of the set.
    ///   - signature: what lies beside it, where policy has to be signed.
    ///   - set: the name of the set.
    ///   - shownPath: the file's path as people are shown it.
    ///   - end: when the file ends, unless it says that it does so earlier.
    /// - Throws: where the file is no policy file without mistakes.
    package init(
        copying bytes: [UInt8], file: String, signature: [UInt8]?, ofSet set: String, shownPath: String,
        until end: Timestamp
    ) throws(Failure) {
        let (policy, findings) = PolicyFile.parse(bytes: bytes, path: file, shownPath: shownPath)
        guard policy != nil else {
            throw Failure(findings: findings, reason: "\(Printable.escape(shownPath)) has errors.")
        }
        try self.init(name: ExamName(set: set, file: file, end: end).name, bytes: bytes)
        self.signature = signature
    }

    /// The name of the file whose signature a name is; `nil` for any other name.
    package static func signed(_ name: String) -> String? {
        PolicyFileName.signed(name).flatMap { isPolicyFile($0) ? $0 : nil }
    }

    /// Whether a name is that of a policy file.
    package static func isPolicyFile(_ name: String) -> Bool { PolicyFileName.reasonToIgnore(name) == nil }

    /// What the names of a set's files begin with; the name of a set has no point, so that no set takes another's.
    package static func prefix(ofExam set: String) -> String { "\(examPrefix)\(set)." }

    /// Whether a name is one that a set's file gets.
    package static func isOfExam(_ name: String) -> Bool { ExamName(name: name) != nil }

    /// A value as a policy file has it where none of its strings is to have variables.
    private static func literal(_ value: Value) -> Value {
        switch value {
        case .string(let text):
            var bytes: [UInt8] = []
            for (index, byte) in text.utf8.enumerated() {
                if byte == UInt8(ascii: "$"), text.utf8.dropFirst(index + 1).first == UInt8(ascii: "{") {
                    bytes.append(byte)
                }
                bytes.append(byte)
            }
            return .string(String(decoding: bytes, as: UTF8.self))
        case .array(let values): return .array(values.map(literal))
        case .dictionary(let values): return .dictionary(values.mapValues(literal))
        default: return value
        }
    }

    /// A policy file's text.
    private static func text(_ root: [Key: Value]) -> [UInt8] {
        var json = JSONWriter(pretty: true)
        json.value(.dictionary(root))
        return json.utf8 + [0x0a]
    }
}
