package import Platform
import PropertyList

/// Finds what is wrong with policy files, one by one and together.
package enum Lint {
    /// Everything that is wrong with the policy beneath a root, ordered by file and place.
    ///
    /// Nothing is written. On the system, names that the account files lack are asked of the directory service.
    package static func run(root: Root) -> [Diagnostic] {
        let store = PolicyStore(root: root)
        guard store.isManaged else { return [] }
        let accounts = AccountDatabase(root: root)
        let pass = PolicyPass(root: root, thorough: true) { names, recorded in
            guard root.isSystem else { return NameResolver.authoritative(names, accounts) }
            return NameResolver.renewed(names, recorded: recorded, accounts: accounts, anew: true)
        }
        var findings = pass.set().diagnostics
        for file in pass.etc.ignored + pass.run.ignored {
            let message = "this file is not read: its name \(file.reason)"
            findings.append(
                Diagnostic(
                    file: root.display(file.path), severity: .warning, code: .ignoredName, message: message))
        }
        for problem in accounts.problems {
            findings.append(
                Diagnostic(
                    file: problem.file, position: Position(line: max(problem.line, 1), column: 1, offset: 0),
                    severity: .warning, code: .accounts, message: problem.message))
        }
        let current = pass.order.files.compactMap(\.current)
        let files = current.map { LintFile(policy: $0, shownPath: root.display($0.path)) }
        findings += LintSet(files: files).findings
        findings += LintTargets(files: files, names: pass.names, host: Machine.hostName(root: root)).findings
        return findings.sorted()
    }

    /// Everything that is wrong with some files, as if they lay in one directory, in the order given.
    ///
    /// Paths are those of the process, relative ones included; neither owners nor targets are looked at.
    package static func run(files paths: [String]) -> [Diagnostic] {
        var findings: [Diagnostic] = []
        var files: [LintFile] = []
        for path in paths {
            let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
            if let reason = PolicyFileName.reasonToIgnore(name) {
                findings.append(
                    Diagnostic(
                        file: path, severity: .warning, code: .ignoredName,
                        message: "a file of this name is not read: it \(reason)"))
            }
            // The kernel knows the working directory by this link, and no directory changes beneath it.
            let isAbsolute = path.utf8.first == UInt8(ascii: "/")
            do throws(SystemError) {
                let file = try Root.system.read(
                    isAbsolute ? path : "/proc/self/cwd/\(path)", limit: PolicyFile.limits.bytes)
                let parsed = PolicyFile.parse(bytes: file.bytes, path: path)
                findings += parsed.diagnostics
                if let policy = parsed.file { files.append(LintFile(policy: policy, shownPath: path)) }
            } catch {
                let message = "the file cannot be read: \(Printable.escape(error.text))"
                findings.append(Diagnostic(file: path, code: .unreadable, message: message))
            }
        }
        return (findings + LintSet(files: files).findings).sorted()
    }
}
