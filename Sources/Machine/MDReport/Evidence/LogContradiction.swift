import MDAuditLog
import MDPlatform

/// How the audit log of one report contradicts that of an earlier report of the same machine.
///
/// A log only grows, and its id stays. The raw value is the code of the finding.
package enum LogContradiction: String, Sendable {
    /// There was a log, and now nothing was ever recorded.
    case gone = "log-gone"
    /// It is another log.
    case replaced = "log-replaced"
    /// It has fewer records.
    case shorter = "log-shorter"
    /// It has as many records, and others.
    case differs = "log-differs"

    /// Compares two heads.
    ///
    /// - Parameters:
    ///   - earlier: the head of the log in the earlier report; `nil` if it says none.
    ///   - later: the head in the later report.
    ///   - isEmpty: whether the later report says that nothing was ever recorded.
    init?(_ earlier: Checkpoint?, _ later: Checkpoint?, isEmpty: Bool) {
        guard let earlier else { return nil }
        guard let later else {
            guard isEmpty, earlier.size > 0 else { return nil }
            self = .gone
            return
        }
        if !earlier.origin.utf8.elementsEqual(later.origin.utf8) {
            self = .replaced
        } else if later.size < earlier.size {
            self = .shorter
        } else if later.size == earlier.size, later.root != earlier.root {
            self = .differs
        } else {
            return nil
        }
    }

    /// What is wrong with two reports of these names, in a clause.
    func words(_ earlier: String, _ later: String) -> String {
        switch self {
        case .gone: "\(later) says that nothing was ever recorded, and \(earlier), made before, has an audit log"
        case .replaced: "the audit log of \(later) is another one than that of \(earlier), made before"
        case .shorter: "the audit log of \(later) has fewer records than that of \(earlier), made before"
        case .differs: "\(earlier) and \(later) have equally many records in the audit log, and not the same ones"
        }
    }
}
