package import MDPlatform
package import MDPolicyCore
import MDPolicyModel
import MDPropertyList

extension ManifestSecrets {
    /// The sensitive keys of a machine: those that manifests or policy files call so, whatever user a file is for.
    ///
    /// - Parameters:
    ///   - policies: the policy files.
    ///   - root: the root of the manifests, which are only read if the compiled table does not know what they say.
    package init(of policies: PolicySet, root: Root) {
        self = CompiledTable.manifestSecrets(root: root) ?? ManifestSet(root: root).secrets
        if !policies.knowledge.isDecisive { isEverything = true }
        for file in policies.files {
            for entry in file.policy?.metadata ?? [] where entry.metadata.isSensitive {
                keys[entry.domain, default: []].insert(entry.key)
            }
        }
    }
}
