import MDAuditLog
import MDAuditReading
import MDCare
package import MDPlatform
import MDPropertyList

/// The result of verifying a report: its digest, its signature, and the audit log that it names.
package struct ReportVerification: Sendable {
    /// How the report's log compares with the one that is here.
    package enum LogFinding: Hashable, Sendable {
        /// The log here begins with all records that the report has seen.
        case extends(String)
        /// It does not, or it does not verify; why, in sentences.
        case differs(String)
        /// The log of the report is that of another machine, or there is none here.
        case elsewhere
        /// The report does not say which log it has seen.
        case none
    }

    package let digest: ReportSeal.Finding
    package let signature: ReportSignature.Finding
    package let log: LogFinding
    /// The host, time and id of a JSON report; `nil` for any other.
    package let about: (host: String, generated: Timestamp, id: String)?
    /// What is wrong with a JSON report, if something is.
    package let fault: ReportFault?

    /// Checks a report.
    ///
    /// - Parameters:
    ///   - bytes: the report.
    ///   - signature: its signature; `nil` if there is none.
    ///   - signers: the trusted signers; `nil` if there is no list.
    ///   - root: the machine whose log it is compared with.
    package init(_ bytes: [UInt8], signature: [UInt8]?, signers: [UInt8]?, root: Root) {
        digest = ReportSeal.check(bytes)
        self.signature = ReportSignature.check(bytes, signature: signature, signers: signers)
        guard bytes.first == UInt8(ascii: "{"), bytes.starts(with: "{\n  \"schema\"".utf8) else {
            (log, about, fault) = (.none, nil, nil)
            return
        }
        do throws(ReportFault) {
            let report = try MachineReport(reading: bytes)
            about = (report.host, report.generated, report.id)
            fault = nil
            log = report.head.map { ReportVerification.compare($0, root) } ?? .none
        } catch {
            // Of another kind or version, damaged or changed; of the last the digest says more.
            (log, about, fault) = (.none, nil, error)
        }
    }

    private static func compare(_ head: Checkpoint, _ root: Root) -> LogFinding {
        guard let own = Checkpoint.newest(of: root), own.origin.utf8.elementsEqual(head.origin.utf8) else {
            return .elsewhere
        }
        let result = AuditVerifier.verify(root: root, held: [HeldCheckpoint(head, holder: "the report")])
        switch result.status {
        case .intact, .gaps: return .extends(result.detail)
        case .altered, .truncated, .unchecked: return .differs(result.detail)
        }
    }

    /// Whether the report is as it was made, by a trusted signer, and no log contradicts it.
    package var isGood: Bool {
        guard case .good = signature else { return false }
        switch digest {
        case .fits, .missing: break
        case .differs: return false
        }
        if case .differs = log { return false }
        return true
    }

    /// What was found, a sentence a line.
    package var sentences: [String] {
        var lines: [String] = []
        if let about {
            lines.append("Report \(about.id) of \(about.host), made \(about.generated.rfc3339).")
        }
        switch digest {
        case .fits(let digest): lines.append("The digest fits its content: \(digest.hex).")
        case .differs: lines.append("CHANGED: the digest does not fit the content.")
        case .missing: lines.append("There is no digest in it: it is cut, or of a form that has none.")
        }
        switch signature {
        case .good(let signer):
            let isOwn = about.map { ReportSigners.isHost(signer, $0.host) } ?? true
            lines.append("Signed by \(signer)\(isOwn ? "" : ", not by the machine itself").")
        case .bad(let reason): lines.append("NOT SIGNED BY ANYBODY WHO IS TRUSTED: \(reason).")
        case .unsigned: lines.append("Not signed: nobody vouches for it, and who changed it could renew its digest.")
        case .noSigners: lines.append("It has a signature, and there is no list of signers to check it with.")
        }
        switch log {
        case .extends(let detail): lines.append("The audit log here continues what it has seen. \(detail)")
        case .differs(let detail): lines.append("THE AUDIT LOG HERE CONTRADICTS IT. \(detail)")
        case .elsewhere: lines.append("The audit log that it has seen is not here.")
        case .none: break
        }
        if let fault, case .fits = digest, about == nil {
            lines.append("It is no report of one machine: \(fault.message).")
        }
        return lines
    }
}
