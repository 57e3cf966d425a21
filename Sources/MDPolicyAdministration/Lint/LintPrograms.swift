import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

/// Finds domains of programs that do not use this library, so entries for them have no effect.
struct LintPrograms {
    private(set) var findings: [Diagnostic] = []

    /// Checks each file by itself.
    init(files: [LintFile]) {
        for file in files {
            let policy = file.policy
            var places: [Key: Position] = [:]
            let said =
                policy.entries.map { ($0.domain, $0.origin.position) }
                + policy.seals.map { ($0.domain, $0.origin.position) }
                + policy.constraints.map { ($0.domain, $0.origin.position) }
            for (domain, position) in said {
                if let earlier = places[domain], earlier.offset <= position.offset { continue }
                places[domain] = position
            }
            for (domain, position) in places.sorted(by: { $0.value.offset < $1.value.offset }) {
                guard let program = OtherProgram(owning: domain) else { continue }
                findings.append(file.warning(.notObeyed, at: position, program.clause(about: [domain])))
            }
        }
    }
}
