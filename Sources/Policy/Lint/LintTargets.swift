import Platform
import PropertyList

/// What is wrong with targets on this machine.
struct LintTargets {
    /// What was found.
    private(set) var findings: [Diagnostic] = []

    /// Looks at the targets of files.
    init(files: [LintFile], names: NameTable, host: HostName) {
        for file in files {
            guard let target = file.policy.target else { continue }
            for clauses in [target.include, target.except] {
                for user in clauses.users ?? [] { check(user, "user", .unknownUser, names.user(user.name), file) }
                for group in clauses.groups ?? [] {
                    check(group, "group", .unknownGroup, names.group(group.name), file)
                }
            }
            guard let hosts = target.include.hosts, let first = hosts.first else { continue }
            if hosts.contains(where: { $0.matches(host) }) { continue }
            findings.append(
                file.warning(
                    .noMatchingHost, at: first.position,
                    "no host pattern of this target matches \(Printable.escape(host.full)), so the file applies to"
                        + " nobody on this machine"))
        }
    }

    /// Reports a name that has no id.
    private mutating func check(
        _ name: TargetName, _ noun: String, _ code: LintCode, _ state: NameTable.State, _ file: LintFile
    ) {
        let shown = Printable.escape(name.name.string)
        switch state {
        case .id: return
        case .unknown:
            findings.append(
                file.warning(
                    code, at: name.position, "this machine has no \(noun) \"\(shown)\", so the name matches nobody"))
        case .unresolved:
            findings.append(
                file.warning(
                    code, at: name.position,
                    "nobody could tell whether there is a \(noun) \"\(shown)\"; until then the name counts as matching"
                        + " in a target, and as not matching in its exceptions"))
        }
    }
}
