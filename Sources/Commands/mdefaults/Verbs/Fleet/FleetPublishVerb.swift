import MDCare
import MDEngine
import MDFleet
import MDPlatform
import MDPolicyAdministration
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// `fleet publish`: makes a folder the policy of all hosts of a fleet.
enum FleetPublishVerb: Verb {
    static let name = ["fleet", "publish"]
    static let summary = "check a folder of policy, show what it changes, give it to all hosts of a fleet"
    static let usage = [
        "fleet publish FOLDER [--reason TEXT] [--key KEYFILE] [--days N] [--serial N]",
        "  [--dry-run] [--yes] [--json]",
    ]
    static let accepts: GlobalOptions.Kinds = [.root, .json]
    static let help = """
        On the centre of a fleet: FOLDER becomes what hosts have of their fleet in policies.d; files of a host's own
        administrator stay there. Where FOLDER has no policy file, policies.d in it is meant, as in a checkout. Signatures of
        files (.sig) go with them. What FOLDER does not have is removed on the hosts, if it was their fleet's. Going back is
        publishing the old folder again.

        First the files are checked, as policy lint does; with an error nothing is published. Then the command says which
        files change, which snapshot each host has by its last status, and what changes for the people of each host by what
        it sent with its last report (as policy facts has it). Of a host that has sent nothing of this, whose policy has
        changed since, or with a content in force that this centre does not have, it is said that what changes is unknown.
        Then it asks.

        A snapshot has a number, EPOCH.SERIAL, and is signed with the publisher's key, which may be on a token or in the
        agent. Hosts take none that is older than what they have. After --days it is stale: it stays in force, and hosts and
        the pages say so; publishing it again renews it.

          --reason TEXT    why; it stands in the history of each host
          --key KEYFILE    the key; a public one means that the agent or a token signs. Without it
                           /var/lib/managed-defaults-fleet/publisher/key
          --days N         when it becomes stale, from 1 to 3660 days; 90 without it
          --serial N       its number, where hosts have higher ones than this centre, which was restored from an old copy
          --dry-run        check and show, and publish nothing
          --yes            do not ask; needed where nobody could answer

        JSON: {"snapshot","files":[{"file","change":"added"|"changed"|"removed"}],"snapshots":[{"snapshot","hosts":[…]}],
        "hosts":[…],"findings":[…],"published":bool,"signer"}; "hosts" as policy diff --hosts has it.

        exit codes: 0 published, or --dry-run; 1 a file has errors, or nobody agreed: nothing was published; 2 wrong command
        line; 4 could not be read, signed or written, or there is no centre; 5 there is no policy file, a link leads out, or
        something is no policy file.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let (reason, key) = (try arguments.option("--reason"), try arguments.option("--key"))
        let days = try number("--days", from: 1...3_660, &arguments) ?? 90
        let serial = try number("--serial", from: 1...(1 << 53), &arguments)
        let (isDryRun, isAgreed) = (arguments.flag("--dry-run"), arguments.flag("--yes"))
        let folder = try arguments.next("a folder of policy")
        try arguments.requireEnd()
        let root = try context.root()
        if !isDryRun { try PolicyWriting.requirePermission(for: PolicyStore(root: root), to: "publish") }
        let source = try source(folder)
        let publisher = try lifting { () throws(FleetFault) in try SnapshotPublisher(root: root) }
        let now = try ReportTime.givenClock(context) ?? Clock.now()
        let next = publisher.next
        var snapshot = Snapshot(
            fleet: publisher.document.fleet, SnapshotNumber(epoch: next.epoch, serial: serial ?? next.serial),
            issued: now, expires: Timestamp(microseconds: now.microseconds + Int64(days) * 86_400_000_000),
            files: source.installation.items.compactMapValues { item in
                if case .file(let bytes) = item { SHA256.hash(bytes) } else { nil }
            })
        let commit = (try? CallerPath.absolute(folder)).flatMap(GitCheckout.commit).map { "git commit \($0)" }
        let why = [reason, commit].compactMap { $0 }
        snapshot.reason = why.isEmpty ? nil : why.joined(separator: ", ")
        let findings = Lint.run(
            files: source.shownFiles.map(\.path), manifests: .machine(root), judge: .catalog(root, ofFiles: true))
        context.console.sayPlain(findings.sorted().map { Printable.escape($0.description) })
        guard !findings.contains(where: { $0.severity == .error }) else {
            throw Failure(code: .no, message: "Nothing was published, because of these errors.")
        }
        let preview = try PublishPreview(snapshot, source, publisher, at: now, context)
        if !context.options.json {
            for line in preview.lines { try context.console.line(context.console.ink.difference(line)) }
        }
        for note in source.notes + preview.notes { context.console.say(note) }
        var signer: String?
        if !isDryRun {
            if !isAgreed {
                try PolicyWriting.requireAgreement(
                    "Publish this as snapshot \(snapshot.number) of \(Printable.escape(snapshot.fleet))?",
                    orElse: PolicyRollout.remedy, context, self)
            }
            let path = try CallerPath.given(key ?? root.display(SnapshotPublisher.key))
            let contents = source.installation.items.values.compactMap { item in
                if case .file(let bytes) = item { bytes } else { nil }
            }
            let published = try lifting { [snapshot] () throws(FleetFault) in
                try publisher.publish(snapshot, contents, key: path)
            }
            signer = published.signer
            for note in published.notes { context.console.say(Printable.escape(note)) }
        }
        if context.options.json {
            try context.print(preview.document(findings: findings, signer: signer))
        } else if let signer {
            try context.console.line(
                "snapshot \(snapshot.number) published, signed by \(Printable.escape(signer)); stale from "
                    + "\(snapshot.expires.rfc3339.prefix(10))")
        } else {
            try context.console.line("nothing was published")
        }
        return .success
    }

    /// Reads the folder.
    private static func source(_ folder: String) throws(Failure) -> PolicyInput {
        let source = try PolicyInput([folder], of: self)
        guard source.installation.isWhole else { throw .usage("publish takes a folder, not a file.", of: self) }
        if let mask = source.masks.sorted().first {
            throw Failure(
                code: .badInput,
                message:
                    "\(Printable.escape("\(folder)/\(mask.string)")) is a link to /dev/null, which cannot be published."
            )
        }
        return source
    }

    private static func number(
        _ option: String, from range: ClosedRange<Int>, _ arguments: inout Arguments
    ) throws(Failure) -> Int? {
        guard let word = try arguments.option(option) else { return nil }
        guard let number = Int(word), range.contains(number) else {
            throw .usage("\(option) takes a number from \(range.lowerBound) to \(range.upperBound).", of: self)
        }
        return number
    }

    private static func lifting<Result>(_ body: () throws(FleetFault) -> Result) throws(Failure) -> Result {
        do throws(FleetFault) {
            return try body()
        } catch {
            throw Failure(code: .inputOutput, message: Printable.escape("Nothing was published: \(error)."))
        }
    }
}
