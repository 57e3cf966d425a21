import Platform
import Policy
import PropertyList

extension Doctor {
    /// Whether policy files are signed, where the machine asks for it; nothing where it does not.
    var signatures: [Check] {
        let trust = PolicyStore.trustedSignersPath
        let isDemanded: Bool
        do throws(SystemError) {
            _ = try root.status(trust, followingLinks: false)
            isDemanded = true
        } catch {
            isDemanded = !error.isMissing
        }
        guard isDemanded else { return [] }
        let shown = Printable.escape(root.display(trust))
        if let problem = policies.problems.first(where: { Key($0.file) == Key(root.display(trust)) }) {
            return [
                Check(
                    "signatures", false, subject: shown, Doctor.sentence(Printable.escape(problem.description)),
                    remedy: "Make \(writer) the owner of the file, and let everybody read it.")
            ]
        }
        let refused = policies.files.compactMap { file -> String? in
            guard case .refused(let reason) = file.signature else { return nil }
            return Printable.escape("\(root.display(file.path)): \(reason)")
        }
        let program = PolicyStore.signatureProgram
        let hasProgram = (try? Root.system.status(program, followingLinks: true))?.kind == .regular
        if !hasProgram, !policies.files.isEmpty {
            return [
                Check(
                    "signatures", false, subject: shown,
                    "Policy must be signed, and \(program), which checks signatures, is not installed: what was "
                        + "verified before stays in force, and nothing new is obeyed.",
                    remedy: "Install the OpenSSH client.")
            ]
        }
        guard refused.isEmpty else {
            return [
                Check(
                    "signatures", false, subject: shown,
                    "These files do not count as signed, and are not obeyed as they are: \(refused.joined(separator: "; ")).",
                    remedy: "Sign each with ssh-keygen -Y sign -n managed-defaults, then run mdefaults policy apply.")
            ]
        }
        let count = TextReport.count(policies.files.count, "policy file")
        return [Check("signatures", true, subject: shown, "\(count), and every one is signed by somebody in \(shown).")]
    }
}
