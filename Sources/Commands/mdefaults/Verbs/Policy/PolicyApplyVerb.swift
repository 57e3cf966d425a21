import MDAuditReading
import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// `policy apply`: checks the policy files, records what is in force, writes the compiled table and a generation.
enum PolicyApplyVerb: Verb {
    static let name = ["policy", "apply"]
    static let summary = "check the policy files, compile the table, keep a generation"
    static let usage = ["policy apply [--dry-run] [--keep N] [--json]"]
    static let help = """
        Policy is in force as soon as a file lies in its directory; no step is needed for that. This verb, which a path
        unit runs on every change, does the rest: it checks every file, verifies signatures, stores a copy of each good
        file under its digest, asks the directory service for users and groups again, records every change in the audit
        log, and puts the compiled table in place by one rename. A file with errors keeps its last good version in force.

        A name that is gone leaves the record, and with it stops being in force, once two equal listings of its directory
        lack it, half a second apart; this verb waits for that, at most ten seconds. What is recorded of a directory that
        is gone stays in force until policy forget. A user or group that is found nowhere is said, and matches nobody.

        Where the sources in /etc/managed-defaults/policies.d changed, they are kept as a generation, byte for byte,
        with the time, who applied them, and what changed (policy history lists them, policy rollback puts one back).
        A broken file is kept as it is, with its last good version; of a file that is not trusted only the last good
        version is kept.

        Signed policy: where /etc/managed-defaults/trusted-signers exists (in the form of ssh-keygen's allowed_signers:
        NAME KEYTYPE KEY, a line for each signer), a policy file is obeyed only with a signature beside it, FILE.sig, made
        by ssh-keygen -Y sign -n managed-defaults -f KEYFILE FILE. With an ed25519 key that is a detached Ed25519
        signature. This verb has ssh-keygen -Y verify check it and records the result, which everybody else reads; a file
        of which no good signature is recorded is not obeyed, and its last good copy stays in force: the last one that was
        verified or, until there is one, the one that was in force when trusted-signers came. A later change of
        trusted-signers leaves in force what was verified before, until a file or its signature changes. An Apple profile that is a signed message needs no FILE.sig where its certificate leads to
        one in /etc/managed-defaults/trusted-anchors.pem (openssl cms -verify) and is for code signing, S/MIME or
        Developer ID Installer, where it says what it is for. A list that is there and cannot be read, is not trusted or
        names nobody vouches for nothing new. Temporary policy in /run needs no signature: the files of a set are checked
        when policy exam starts it. From the end of a key (valid-before) or of a certificate on, a signature
        has to be renewed; until then the last good copy stays in force, and the file shows as not signed. A file with a
        lower Version than was ever recorded of its Identifier is refused in the same way, but by policy rollback.

        What is kept in /var/lib/managed-defaults (record, table, good copies, generations) is for every user's programs to
        read: folders there that are narrower than 0755, and files that are narrower than 0644, get these modes again, and
        that is said. What is root's alone stays so, and what others could have written is not touched: policy lint and
        doctor name it.

        Without the audit service, what users' programs could not write into the audit log waits in the users' homes. It is
        taken into the log, each home as the user whose it is, with "src":"spool", because it is what the user says.

        What policy says of other programs' domains is written into the files that these programs obey (programs list);
        a file that was changed since is written again, and that is recorded in the audit log. Where nothing changed,
        nothing is written.

        --dry-run   say what would change, and write nothing
        --keep N    how many generations stay, from 1 to 1000; 20 without it. The oldest ones go

        JSON: {"files":{"current","lastGood","notInForce"},"changes":[{"file","change","from","to"}],"generation",
        "changed":bool,"table":bool,"tableReason","failures":[…],"findings":[{"file","line","column","severity","code","message"}],
        "mended":[sentence],"programs":{"changes":[{"program","file","change"}],"findings":[…]},"spools":{"records","users","problems":[sentence]}}
        "from" and "to" are digests (SHA-256) of what was and is in force. "generation" is missing where the sources
        had not changed.
        "changed" says whether anything did: what is in force, a generation, a file of a program; with --dry-run, whether it
        would. "table" says whether applications open the compiled table; "tableReason" why they read the
        files instead. "failures" says what could not be written. "mended" has a sentence for each mode that was put
        right; it, "programs", as programs status has them, and "spools" are missing where there are none. With
        --dry-run there is "dryRun":true and neither "generation" nor "table". "unknown" is there where it cannot be told
        what is forced, and says why.

        exit codes: 0 applied; 1 a file has errors, a name was found nowhere, something that is gone is still in force, the
        newest recorded time lies more than a day ahead of the clock, or the audit log does not continue the checkpoint that
        is kept beside the record, the rest is applied; 2 wrong command line; 4
        could not be written, the audit log included, or it cannot be told what is forced, because policy could not be read.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let isDryRun = arguments.flag("--dry-run")
        let limit = try PolicyWriting.retainedGenerations(&arguments)
        try arguments.requireEnd()
        let root = try context.root()
        let store = PolicyStore(root: root)
        var report = ApplyReport(root: root, isDryRun: isDryRun)
        var checkpoint = ExitCode.success
        if store.isBereft {
            let paths = [PolicyDirectory.etc.home, StorePath.record].map { Printable.escape(root.display($0)) }
            context.console.say(
                "There is no policy to record: neither \(paths.joined(separator: " nor ")) exists. What running programs"
                    + " retain stays until one is back, or until mdefaults policy forget.")
            // What was tried while there was some may still wait.
            if !isDryRun { report.spools = SpoolCollector.collect(on: try context.machine(saying: false)) }
        } else if isDryRun {
            report.preview(store.preview())
            report.programs = ProgramFiles.preview(on: try context.machine(saying: false))
        } else {
            try PolicyWriting.requirePermission(for: store, to: "apply policy")
            let recorder = PolicyChangeRecorder(root: root)
            report.add(store.apply(retaining: limit) { recorder.record($0) })
            checkpoint = try PolicyWriting.finish(&report, context)
        }
        return try PolicyWriting.print(report, checkpoint, context)
    }
}
