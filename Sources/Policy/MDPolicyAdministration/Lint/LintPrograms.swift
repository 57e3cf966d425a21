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
        /// What the program cannot carry out and why, as a clause.
        package let message: String

        package init(position: Position, message: String) {
            (self.position, self.message) = (position, message)
        }
    }

    /// Whether a domain is a program's.
    let takes: @Sendable (Key) -> Bool
    /// Judges a file.
    let judge: @Sendable (PolicyFile) -> [Verdict]

    package init(
        taking takes: @escaping @Sendable (Key) -> Bool, _ judge: @escaping @Sendable (PolicyFile) -> [Verdict]
    ) {
        (self.takes, self.judge) = (takes, judge)
    }
}

/// Finds entries that the programs whose domains they are for cannot carry out.
struct LintPrograms {
    private(set) var findings: [Diagnostic] = []

    /// Checks each file by itself.
    init(files: [LintFile], judge: ProgramJudge?) {
        guard let judge else { return }
        for file in files {
            findings += judge.judge(file.policy).map { file.warning(.notObeyed, at: $0.position, $0.message) }
        }
    }
}
