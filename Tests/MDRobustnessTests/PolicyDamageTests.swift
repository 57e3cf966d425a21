import Foundation
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTestSupport
import Testing

/// A damaged policy file changes no forced value while it does not load, and only its own entries while it does.
struct PolicyDamageTests {
    /// The policy files of both directories.
    static let files =
        TemporaryMachine.files(below: "/etc/managed-defaults/policies.d").filter { !$0.hasSuffix("~") }
        + TemporaryMachine.files(below: "/run/managed-defaults/policies.d")

    @Test(arguments: files) func `survives any damage to a policy file`(_ file: String) async {
        let progress = Sweep.progressPath()
        await #expect(processExitsWith: .success) { [file, progress = progress as String] in
            try PolicyDamage(file: file).sweep(progress: progress)
        }
        Sweep.check(progress)
    }

    @Test func `finds the policy files of the lab`() {
        #expect(Self.files.count >= 9)
    }
}

/// What is compared for one policy file.
///
/// Every damaged content is parsed. What does not load is opened as a machine for every kind of mistake and for
/// some contents besides: nothing of such a content but its findings goes any further, so that two with one code take
/// the same way. What loads is put into the policy set in memory, as loading from the disk would, which some
/// contents do.
private struct PolicyDamage {
    /// The lab.
    let lab: TemporaryMachine
    /// The file.
    let file: String
    /// Its content.
    let bytes: [UInt8]
    /// The waivers in it.
    let waivers: [Waiver]
    /// The machine as it was recorded.
    let machine: PolicyInForce
    /// The users, and what policy says about them.
    let users: [(subject: Subject, before: [String: ResolvedEntry])]
    /// Whether the file takes part; one of the lab's is switched off from `/run`, and must change nothing at all.
    let takesPart: Bool

    /// Opens the lab.
    init(file: String) throws {
        lab = try TemporaryMachine(attempts: 2)
        self.file = file
        bytes = try lab.read(file)
        waivers = PolicyFile.parse(bytes: bytes, path: file).file?.waivers ?? []
        let machine = try PolicyMachine(folder: lab.path).policy()
        self.machine = machine
        users = machine.accounts.accounts.map { account in
            let subject = machine.subject(for: account)
            return (subject, PolicyDamage.index(machine.policies.resolve(for: subject)))
        }
        takesPart = machine.policies.files.contains { $0.path == file }
        try #require(machine.policies.files.allSatisfy { $0.isRecorded && $0.source == .current })
        try #require(users.contains { !$0.before.isEmpty })
    }

    /// The entries by level kind, domain and key.
    static func index(_ set: ResultantSet) -> [String: ResolvedEntry] {
        var result: [String: ResolvedEntry] = [:]
        for entry in set.entries {
            result["\(entry.level == .recommended) \(entry.domain)\u{0}\(entry.key)"] = entry
        }
        return result
    }

    /// Runs through every damage.
    func sweep(progress: String) throws {
        var sweep = Sweep(progress: progress)
        var seen: Set<String> = []
        var opened = 0
        var renewed = 0
        sweep.run(file, bytes) { number, _, damaged in
            let parsed = PolicyFile.parse(bytes: damaged, path: file)
            guard let policy = parsed.file else {
                let code = parsed.diagnostics.first { $0.severity == .error }?.code
                guard let code else { return "it does not load and nothing says why" }
                guard seen.insert(code).inserted || Sweeping.isTaken(number, oneOf: 51) else { return nil }
                opened += 1
                try lab.overwrite(file, damaged)
                return try problemOfUnloadable()
            }
            if takesPart, let problem = problem(of: machine.policies.replacing(file, by: policy)) { return problem }
            guard Sweeping.isTaken(number, oneOf: 33) else { return nil }
            try lab.overwrite(file, damaged)
            let set = PolicyStore(root: lab.root).load()
            let isChange = policy.digest != SHA256.hash(bytes)
            if isChange, takesPart, set.changes.map(\.path) != [file] { return "no change is reported" }
            if let problem = problem(of: set) { return problem }
            guard isChange, takesPart, renewed < 12, number % 3 == 0 else { return nil }
            renewed += 1
            return try problemOfRecording(policy)
        }
        // Whatever was recorded meanwhile, the machine comes back to what it was.
        try lab.overwrite(file, bytes)
        #expect(record().isRecorded)
        let after = try PolicyMachine(folder: lab.path).policy()
        #expect(after.policies.digest == machine.policies.digest)
        #expect(opened > 3)
        try lab.useEverything()
    }

    /// What is wrong with the machine while the file does not load.
    private func problemOfUnloadable() throws -> String? {
        let set = PolicyStore(root: lab.root).load()
        guard set.diagnostics.contains(where: { $0.code == "last-good" }) else { return "nobody says so" }
        if takesPart {
            guard let loaded = set.files.first(where: { $0.path == file }) else { return "the file is not listed" }
            guard loaded.source == .lastGood, !loaded.valid else { return "the last good copy is not in force" }
        }
        for user in users {
            let now = PolicyDamage.index(set.resolve(for: user.subject))
            guard now.count == user.before.count else { return "\(user.subject.userName) has other keys" }
            for (key, entry) in user.before where now[key]?.line != entry.line {
                return "\(user.subject.userName): \(entry.line) became \(now[key]?.line ?? "nothing")"
            }
        }
        return nil
    }

    /// What is wrong with a set in which the file loads: entries that changed though they neither are nor were its own.
    private func problem(of set: PolicySet) -> String? {
        for user in users {
            let now = PolicyDamage.index(set.resolve(for: user.subject))
            for (key, entry) in user.before {
                let after = now[key]
                if let after, after.line == entry.line || after.origin.file == file { continue }
                if entry.origin.file == file { continue }
                return "\(user.subject.userName): \(entry.line) became \(after?.line ?? "nothing")"
            }
            for (key, entry) in now where user.before[key] == nil && entry.origin.file != file {
                // A waiver that is damaged lifts nothing.
                if waivers.contains(where: { $0.domain == entry.domain && $0.key == entry.key }) { continue }
                return "\(user.subject.userName): \(entry.line) appeared"
            }
        }
        return nil
    }

    /// Records what is in force.
    private func record() -> ApplyResult {
        let recorder = PolicyChangeRecorder(root: lab.root)
        return PolicyStore(root: lab.root, settlingTime: 1_000).apply { recorder.record($0) }
    }

    /// What is wrong with recording the change: it must be in the audit log, and the same for the way back.
    private func problemOfRecording(_ policy: PolicyFile) throws -> String? {
        for digest in [policy.digest, SHA256.hash(bytes)] {
            if digest != policy.digest { try lab.overwrite(file, bytes) }
            guard record().isRecorded else { return "the change cannot be recorded" }
            let records = try AuditLog(root: lab.root).records(matching: AuditQuery(kind: .policy, limit: 1)).records
            guard records.last?.policy?.file == file, records.last?.policy?.sha256 == digest else {
                return "the change is not in the audit log"
            }
        }
        return nil
    }
}

extension PolicySet {
    /// The set with another content of one file.
    fileprivate func replacing(_ path: String, by policy: PolicyFile) -> PolicySet {
        let files = files.map { file in
            guard file.path == path else { return file }
            return PolicyFileState(path: path, policy: policy, diagnostics: [])
        }
        return PolicySet(files: files, names: names, tags: tags, hostName: hostName)
    }
}
