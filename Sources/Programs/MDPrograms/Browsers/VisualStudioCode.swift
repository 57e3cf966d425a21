package import MDPlatform
package import MDPropertyList

/// Visual Studio Code: one JSON file whose members are policies.
///
/// Source: <https://code.visualstudio.com/docs/setup/enterprise>
package struct VisualStudioCode: Program {
    package let name = "vscode"
    package let title = "Visual Studio Code"
    package let executables = ["/usr/share/code/code", "/usr/bin/code"]
    package let sandboxes = [Sandbox.flatpak("com.visualstudio.code")] + Sandbox.snap("code")
    package let reach = ProgramReach.instance(folder: "/etc/vscode")

    package init() {}

    /// Debian lacks it.
    package var isTried: Bool { false }

    package var domains: [Key] { ["com.microsoft.VSCode"] }

    package func render(_ policy: ProgramPolicy, for audience: Audience, in root: Root) -> ProgramRendering {
        var rendering = ProgramRendering()
        var members: [Key: Value] = [:]
        for entry in policy.entries {
            if case .forced(let value) = entry.level, PlainJSON.accepts(value) {
                members[entry.key] = value
            } else if case .recommended = entry.level {
                rendering.findings.append(
                    ProgramFinding(.unsupported, program: self, entry, "\(title) has no defaults beside its policies"))
            } else {
                rendering.findings.append(
                    ProgramFinding(.unsupported, program: self, entry, "\(title) \(entry.level.unsupported)"))
            }
        }
        if !members.isEmpty { rendering.files = [ProgramFile("/etc/vscode/policy.json", .members(path: [], members))] }
        return rendering
    }
}
