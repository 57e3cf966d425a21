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
    ///   - isRendered: whether it is asked what programs can carry out and which domains they read, besides what common
    ///     settings are.
    /// - Returns: the judge.
    package static func catalog(
        _ root: Root, ofFiles isElsewhere: Bool = false, rendering isRendered: Bool = true
    ) -> ProgramJudge {
        let programs = isRendered ? ProgramCatalog.all.map { $0.prepared(for: root) as any Program } : []
        let settings = Result { () throws(CommonSettingsError) in try CommonSettings(root: root) }
        return ProgramJudge(taking: { !ProgramCatalog.programs(taking: $0).isEmpty }) { file in
            guard file.hasCommonSettings else { return (file, []) }
            switch settings {
            case .success(let settings):
                let expanded = settings.expanded(file)
                return (expanded.policy, expanded.findings.map(verdict))
            case .failure(let error):
                // A machine without the package has no data of common settings, and no mistake is in the file.
                if isElsewhere { return (file, []) }
                let message = "what \(CommonSettings.domain) means is unknown: \(error)"
                return (file, [Verdict(position: file.identifierPosition, message: Printable.escape(message))])
            }
        } problems: {
            let problems = isElsewhere ? [] : (try? settings.get().problems) ?? []
            return problems.map {
                Diagnostic(
                    file: root.display($0.file), position: $0.position,
                    code: LintCode(rawValue: $0.code) ?? .programData,
                    message: $0.message)
            }
        } doubts: {
            let known = KnownDomains(root: isElsewhere ? nil : root)
            return { domain in
                let doubt = known.doubt(about: domain)
                return isRendered || doubt != .unheard ? doubt : nil
            }
        } _: { file in
            findings(in: file, programs, root).compactMap(verdict)
        }
    }

    /// What programs cannot carry out.
    private static func findings(
        in file: PolicyFile, _ programs: [any Program], _ root: Root
    ) -> [ProgramFinding] {
        programs.flatMap { program in
            let policy = ProgramPolicy(of: file, for: program)
            guard !program.isPlace, !policy.isEmpty else { return [ProgramFinding]() }
            // A file may be meant for other machines too, and a common setting for programs that are not here.
            return program.render(policy, for: .everybody, in: root).findings.filter {
                $0.origin?.source.isExpanded != true || !$0.isIdle(in: root)
            }
        }
    }

    private static func verdict(on finding: ProgramFinding) -> Verdict? {
        finding.origin.map { origin in
            let key = finding.key.map { $0.string.isEmpty ? "" : " \($0.string)" } ?? ""
            return Verdict(
                position: origin.position, message: Printable.escape("\(finding.program)\(key): \(finding.message)"))
        }
    }

    private static func verdict(on finding: CommonFinding) -> Verdict {
        let key = finding.key.map { " \($0.string)" } ?? ""
        let message = Printable.escape("\(CommonSettings.domain)\(key): \(finding.message)")
        return switch finding.kind {
        case .impossible:
            Verdict(position: finding.origin.position, severity: .error, code: .commonSetting, message: message)
        case .overridden: Verdict(position: finding.origin.position, code: .neverWins, message: message)
        case .partial, .unheard: Verdict(position: finding.origin.position, message: message)
        }
    }
}
