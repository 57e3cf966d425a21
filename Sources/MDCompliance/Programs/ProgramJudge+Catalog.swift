package import MDPlatform
package import MDPolicyAdministration
import MDPolicyModel
import MDPrograms
import MDPropertyList

extension ProgramJudge {
    /// Judges by the programs that policy is written for.
    ///
    /// - Parameter root: the machine whose programs they are; read for what they accept.
    /// - Returns: the judge.
    package static func catalog(_ root: Root) -> ProgramJudge {
        ProgramJudge { file in
            ProgramCatalog.all.flatMap { program in
                let policy = ProgramPolicy(of: file, for: program)
                guard !policy.isEmpty else { return [Verdict]() }
                return program.render(policy, for: .everybody, in: root).findings.compactMap { finding in
                    finding.origin.map { origin in
                        let key = finding.key.map { $0.string.isEmpty ? "" : " \($0.string)" } ?? ""
                        return Verdict(
                            position: origin.position,
                            message: Printable.escape("\(finding.program)\(key): \(finding.message)"))
                    }
                }
            }
        }
    }
}
