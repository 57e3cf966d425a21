package import MDPlatform
import MDTools

/// The lines of PAM that give login sessions their instances of programs' folders.
///
/// On Debian they are a profile of pam-auth-update, which the package brings switched off.
package struct LoginStack {
    private let root: Root

    package init(root: Root) {
        self.root = root
    }

    /// The profile's name.
    private static let profile = "managed-defaults"
    /// The profile's file.
    package static let profilePath = "/usr/share/pam-configs/\(profile)"
    /// The tool that puts profiles into PAM's files.
    private static let tool = "/usr/sbin/pam-auth-update"
    /// The file in which a line of the profile shows that it is in place.
    private static let session = "/etc/pam.d/common-session"
    /// What that line has.
    private static let mark = "mdefaults programs prepare"
    /// The folders where PAM's modules can be.
    private static let modules = [
        "/usr/lib/x86_64-linux-gnu/security", "/usr/lib/aarch64-linux-gnu/security", "/lib/x86_64-linux-gnu/security",
        "/lib/aarch64-linux-gnu/security", "/usr/lib64/security", "/lib64/security", "/usr/lib/security",
        "/lib/security",
    ]

    /// Whether the lines are in place.
    package var isInPlace: Bool {
        guard let bytes = try? root.read(LoginStack.session, limit: 1 << 20).bytes else { return false }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.split(separator: "\n").contains { line in
            line.utf8.first != UInt8(ascii: "#") && TextSearch.isPresent(LoginStack.mark, in: line)
        }
    }

    /// Why the lines cannot be put in place, as a sentence; `nil` if they can.
    package var obstacle: String? {
        let module = "pam_namespace.so"
        guard LoginStack.modules.contains(where: { root.mayExist("\($0)/\(module)") }) else {
            return "There is no \(module), which gives login sessions folders of their own."
        }
        guard root.mayExist(LoginStack.tool) else {
            return "There is no \(LoginStack.tool). Put these lines at the end of the session lines of each service in"
                + " /etc/pam.d but the greeter's, then run this again:\n\(LoginStack.lines)"
        }
        if root.mayExist(LoginStack.profilePath) { return nil }
        return "There is no \(LoginStack.profilePath), which the package of this command brings."
    }

    /// The lines for machines whose PAM files have no tool.
    private static let lines = """
        session [success=3 default=ignore] pam_succeed_if.so quiet uid < 1000
        session [success=ignore ignore=ignore default=2] pam_exec.so quiet type=open_session /usr/bin/mdefaults programs prepare
        session optional pam_namespace.so
        session optional pam_env.so readenv=0 conffile=/usr/share/managed-defaults/session-environment
        """

    /// Puts the lines in place, or takes them away.
    ///
    /// - Returns: whether that changed something.
    /// - Throws: a sentence.
    package func change(enabling: Bool) throws(LoginStackError) -> Bool {
        // A folder that is used as `/` has no sessions of its own.
        if !root.isSystem || isInPlace == enabling { return false }
        if enabling, let obstacle { throw LoginStackError(description: obstacle) }
        let steps = enabling ? [["--enable"]] : [["--disable"], ["--remove"]]
        for step in steps {
            _ = try? Subprocess.run(
                LoginStack.tool, ["--package"] + step + [LoginStack.profile],
                variables: ["DEBIAN_FRONTEND=noninteractive", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"],
                timeoutMilliseconds: 60_000, limit: 1 << 20)
        }
        if isInPlace == enabling { return true }
        throw LoginStackError(
            description: enabling
                ? "\(LoginStack.tool) did not change PAM's files, because they were changed by hand. Run pam-auth-update"
                    + " --force, or put these lines there:\n\(LoginStack.lines)"
                : "\(LoginStack.tool) did not take the lines out of \(LoginStack.session). Take them out by hand.")
    }
}

/// Why PAM's lines could not be changed.
package struct LoginStackError: Error, CustomStringConvertible {
    /// A sentence.
    package let description: String
}
