import Foundation
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDEngine
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

/// Damage to the audit log and to the files beside it.
@Suite(.serialized)
struct AuditDamageTests {
    /// The files of the log.
    static let files = ["current.jsonl", "checkpoint", "checkpoints", "state", "key"]

    @Test(arguments: files) func `sees any damage to the audit log`(_ name: String) async {
        let progress = Sweep.progressPath()
        await #expect(processExitsWith: .success) { [name, progress = progress as String] in
            try AuditDamage(name: name).sweep(progress: progress)
        }
        Sweep.check(progress)
    }
}

/// What is compared for one file of the log.
private struct AuditDamage {
    /// A folder with nothing but a log of a few records.
    let lab: TemporaryMachine
    /// The name of the file.
    let name: String
    /// The content of all files of the log.
    let contents: [String: [UInt8]]
    /// How many records there are.
    let records: Int

    /// Makes a log of seven records; one append has stored two of them.
    init(name: String) throws {
        lab = try TemporaryMachine(attempts: 0)
        self.name = name
        try FileManager.default.removeItem(atPath: lab.path + TemporaryMachine.log)
        let log = AuditLog(root: lab.root)
        for number in 1...6 {
            var record = AuditRecord(kind: .override, src: .client, note: "record \(number)")
            (record.user, record.domain, record.key) = ("alice", "org.example.Browser", "HomePage")
            record.tried = ValueSummary(.string("https://games.example/\(number)"))
            _ = try log.append(number == 6 ? [record, record] : [record])
        }
        var contents: [String: [UInt8]] = [:]
        for name in lab.names(TemporaryMachine.log) { contents[name] = try lab.read("\(TemporaryMachine.log)/\(name)") }
        self.contents = contents
        records = 7
        #expect(AuditVerifier.verify(root: lab.root).status == .intact)
    }

    /// Runs through every damage, and appends after every fifth.
    func sweep(progress: String) throws {
        let file = "\(TemporaryMachine.log)/\(name)"
        let bytes = try #require(contents[name])
        var sweep = Sweep(progress: progress)
        sweep.run(file, bytes) { number, damage, damaged in
            try lab.overwrite(file, damaged)
            let verification = AuditVerifier.verify(root: lab.root)
            if verification.detail.isEmpty { return "nothing is said" }
            let isBad = [.altered, .truncated].contains(verification.status)
            switch name {
            case "current.jsonl", "checkpoint":
                // A wrong signature is found by a holder of the first key.
                if !isBad, !signsTheSame(damaged) { return "it counts as \(verification.status)" }
            case "checkpoints":
                // The history proves nothing that the checkpoint does not; what it says of other records is seen.
                if !isBad, verification.records != records { return "it has \(verification.records) records" }
            default:
                if verification.status != .intact { return "a cache makes it \(verification.status)" }
            }
            if name == "current.jsonl", let bad = verification.firstBad, case .flipped(let index, _) = damage {
                let line = bytes[..<index].count { $0 == 0x0a } + 1
                // A flipped line end joins two lines; the last two records were stored at once and vouch as one.
                if bad != line, !(line >= 6 && bad >= 6) { return "record \(bad) is named, and it is record \(line)" }
            }
            let reading = try AuditLog(root: lab.root).records()
            if reading.records.count > records { return "there are more records than before" }
            if number % 5 != 0 { return nil }
            defer { try? restore() }
            return try problemOfAppending(damaged)
        }
        try restore()
        #expect(AuditVerifier.verify(root: lab.root).status == .intact)
    }

    /// What is wrong with appending after the damage.
    private func problemOfAppending(_ damaged: [UInt8]) throws -> String? {
        let result: AppendResult
        do throws(AuditError) {
            result = try AuditLog(root: lab.root).append([AuditRecord(kind: .start, src: .client)])
        } catch {
            return "nothing can be recorded any more: \(error)"
        }
        let after = AuditVerifier.verify(root: lab.root)
        guard after.status == .intact || after.status == .gaps else { return "the log is \(after.status) afterwards" }
        let asides = lab.names(TemporaryMachine.log).filter { $0.hasPrefix("current-") }
        guard name == "current.jsonl" || name == "checkpoint", !signsTheSame(damaged) else { return nil }
        // What the checkpoint covers is damaged, or the checkpoint is: such a log is set aside whole, with an alarm.
        guard result.alarm != nil else { return "there is no alarm" }
        guard let aside = asides.first, asides.count == 1 else { return "the log was continued" }
        let log = name == "current.jsonl" ? damaged : contents["current.jsonl"]
        guard try lab.read("\(TemporaryMachine.log)/\(aside)") == log else {
            return "what was set aside is not the log"
        }
        let first = try AuditLog(root: lab.root).records().records.first
        return first?.kind == .recover ? nil : "the new log does not say why it was begun"
    }

    /// Whether a checkpoint differs from what it was only in its signature.
    private func signsTheSame(_ damaged: [UInt8]) -> Bool {
        guard name == "checkpoint", let now = Checkpoint(text: damaged),
            let before = contents[name].flatMap({ Checkpoint(text: $0) })
        else { return false }
        return now.isSameCommitment(as: before)
    }

    /// Puts the log back as it was.
    private func restore() throws {
        try FileManager.default.removeItem(atPath: lab.path + TemporaryMachine.log)
        try FileManager.default.createDirectory(
            atPath: lab.path + TemporaryMachine.log, withIntermediateDirectories: true)
        for (name, content) in contents { try lab.overwrite("\(TemporaryMachine.log)/\(name)", content) }
    }
}
