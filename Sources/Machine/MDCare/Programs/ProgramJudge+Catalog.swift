package import MDPlatform
package import MDPolicyAdministration
import MDPolicyModel
import MDPrograms
import MDPropertyList

extension ProgramJudge {
    /// Judges by the programs that policy is written for, and by what common settings mean to them.
    ///
    /// - Parameters:
    ///   - root: the machine whose programs they are; read for what they accept.
    ///   - isElsewhere: whether the files are for other machines, which may know more common settings than this one.
    /// - Returns: the judge.
    package static func catalog(_ root: Root, ofFiles isElsewhere: Bool = false) -> ProgramJudge {
        ProgramJudge(taking: { !ProgramCatalog.programs(taking: $0).isEmpty }) { file in
            guard file.hasCommonSettings else { return findings(in: file, root).compactMap(verdict) }
            do {
                let expanded = try CommonSettings(root: root).expanded(file)
                return (expanded.findings + findings(in: expanded.policy, root)).compactMap(verdict)
            } catch {
                // A machine without the package has no data of common settings, and no mistake is in the file.
                if isElsewhere { return [] }
                let message = "what \(CommonSettings.domain) means is unknown: \(error)"
                return [Verdict(position: file.identifierPosition, message: Printable.escape(message))]
            }
        }
    }

    /// What programs cannot carry out.
    private static func findings(in file: PolicyFile, _ root: Root) -> [ProgramFinding] {
        ProgramCatalog.all.flatMap { program in
            let policy = ProgramPolicy(of: file, for: program)
            guard !policy.isEmpty else { return [ProgramFinding]() }
            return program.render(policy, for: .everybody, in: root).findings.filter { !$0.isIdle(in: root) }
        }
    }

    private static func verdict(on finding: ProgramFinding) -> Verdict? {
        finding.origin.map { origin in
            let key = finding.key.map { $0.string.isEmpty ? "" : " \($0.string)" } ?? ""
            return Verdict(
                position: origin.position, message: Printable.escape("\(finding.program)\(key): \(finding.message)"))
        }
    }
}
