package import MDEngine
import MDPlatform
package import MDPolicyAdministration
package import MDPolicyCore
import MDPolicyFormats
package import MDPolicyModel
import MDPolicyStore
package import MDPropertyList

/// Policy files as they would stand on a machine: what they would make of its policy, and what is wrong with them there.
package struct InstallationPreview: Sendable {
    /// The policy of the machine with the files in place.
    package let after: PolicySet
    /// What lint and the check of signatures say of the files.
    package let findings: [Diagnostic]

    /// Looks at files that are to be put in place; writes nothing.
    ///
    /// - Parameters:
    ///   - installation: the files.
    ///   - shown: the path of each file for messages, by name.
    ///   - present: the policy of the machine now.
    ///   - mustBeSigned: whether the machine obeys signed files only.
    ///   - machine: the machine.
    package init(
        _ installation: PolicyInstallation, shown: [Key: String], beside present: PolicySet, mustBeSigned: Bool,
        on machine: PolicyInForce
    ) {
        let files = installation.files.map { (path: PolicyDirectory.etc.path($0.name.string), bytes: $0.bytes) }
        let masks = Set(installation.items.filter { $0.value == .mask }.keys)
        after = PolicySet(
            etc: files, masks: masks, removing: installation.removed, isWhole: installation.isWhole, beside: present,
            root: machine.root, accounts: machine.accounts)
        let store = mustBeSigned ? PolicyStore(root: machine.root) : nil
        var findings: [Diagnostic] = []
        var candidates: [(shownPath: String, policy: PolicyFile)] = []
        for (name, bytes) in installation.files {
            let path = shown[name] ?? name.string
            let parsed = PolicyFile.parse(
                bytes: bytes, path: PolicyDirectory.etc.path(name.string), shownPath: path)
            findings += parsed.diagnostics
            if let policy = parsed.file { candidates.append((path, policy)) }
            var signature: [UInt8]?
            if case .file(let bytes) = installation.items[Key("\(name.string).sig")] { signature = bytes }
            let objection = store?.objection(to: bytes, parsed.file, name: name.string, signature: signature)
            guard let objection, let reason = objection.refusal,
                !(installation.mayGoBack && objection.code == .oldVersion)
            else { continue }
            findings.append(
                Diagnostic(file: path, position: objection.position, code: objection.code, message: reason))
        }
        let replaced = installation.removed.union(installation.items.keys)
        let others = present.files.filter { file in
            PolicySet.isTemporary(file.path)
                ? !masks.contains(file.name) : !installation.isWhole && !replaced.contains(file.name)
        }
        self.findings =
            findings
            + Lint.run(
                installing: candidates, beside: others.compactMap(\.policy), names: after.names, tags: present.tags,
                host: machine.host, root: machine.root, accounts: machine.accounts, judge: .catalog(machine.root))
    }
}
