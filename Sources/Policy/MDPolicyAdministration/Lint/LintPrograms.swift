import MDPlatform
import MDPolicyCore
package import MDPolicyModel
package import MDPropertyList

/// Judges what a policy file says of the domains of programs that do not ask this library.
///
/// Only the layer above knows these programs.
package struct ProgramJudge: Sendable {
    /// What a program makes of an entry.
    package struct Verdict: Sendable {
        /// The place of the entry.
        package let position: Position
        package let severity: Severity
        package let code: LintCode
        /// What the program cannot carry out and why, as a clause.
        package let message: String

        package init(position: Position, severity: Severity = .warning, code: LintCode = .notObeyed, message: String) {
            (self.position, self.severity, self.code, self.message) = (position, severity, code, message)
        }
    }

    /// Finds out why probably no program reads some domains, each of them once.
    let doubts: @Sendable () -> (Key) -> DomainDoubt?
    /// Whether a domain is a program's.
    let takes: @Sendable (Key) -> Bool
    /// Expands what a file says of common settings.
    let expand: @Sendable (PolicyFile) -> (policy: PolicyFile, verdicts: [Verdict])
    /// Judges a file that was expanded.
    let judge: @Sendable (PolicyFile) -> [Verdict]
    /// The mistakes in the data of what common settings mean.
    let problems: @Sendable () -> [Diagnostic]

    package init(
        taking takes: @escaping @Sendable (Key) -> Bool,
        expanding expand: @escaping @Sendable (PolicyFile) -> (policy: PolicyFile, verdicts: [Verdict]),
        problems: @escaping @Sendable () -> [Diagnostic], doubts: @escaping @Sendable () -> (Key) -> DomainDoubt?,
        _ judge: @escaping @Sendable (PolicyFile) -> [Verdict]
    ) {
        (self.takes, self.expand, self.problems, self.judge) = (takes, expand, problems, judge)
        self.doubts = doubts
    }
}

/// Finds what the programs whose domains entries are for cannot carry out.
struct LintPrograms {
    private(set) var findings: [Diagnostic] = []

    /// Checks each file by itself.
    init(files: [LintFile], judge: ProgramJudge?) {
        for file in files {
            findings += (file.verdicts + (judge?.judge(file.policy) ?? [])).map {
                Diagnostic(
                    file: file.shownPath, position: $0.position, severity: $0.severity, code: $0.code,
                    message: $0.message)
            }
        }
    }
}
