import MDPolicyModel

extension LintCode {
    /// The explanation of a code about the surroundings of a file; `nil` for codes of other topics.
    var aroundExplanation: LintExplanation? {
        switch self {
        case .ignoredName:
            LintExplanation(
                "A file in a policy folder that is not read because of its name; in other folders, one that has fields of "
                    + "a policy file; in manifests.d, one that does not end in .plist.",
                example: "20-lab.json~, 20-lab.JSON, 20-lab.json.dpkg-new",
                advice: "Rename it so that it ends in .json, .plist or .mobileconfig, or remove it. `--fix` "
                    + "renames nothing, because that would put a file into force.")
        case .replaced:
            LintExplanation(
                "A policy file of which nothing is in force, because a file of the same name in /run stands in its place, or a "
                    + "link to /dev/null of the same name in the other directory switches it off. Enforced does not help: the "
                    + "file does not take part at all.",
                example: "/etc/…/10-site.json beside /run/…/10-site.json",
                advice: "Nothing, if that is meant; else give the file in /run a name of its own, or remove the link.")
        case .temporary:
            LintExplanation(
                "A file with the field Temporary that lies elsewhere than in /run/managed-defaults/policies.d, is not "
                    + "Enforced, or has no Until: the next boot does not end it, other files override it, or nothing "
                    + "but the next boot ends it.",
                example: "a copy of 00-exam-math-10-a.json in /etc/managed-defaults/policies.d",
                advice: "Start exams with `mdefaults policy exam start` and give grants with `mdefaults policy grant`, "
                    + "which write the field; remove it from any other file.")
        case .untrusted:
            LintExplanation(
                "A file, a link or a folder above it that somebody other than root can change; it is not obeyed. Of what "
                    + "root's commands keep in /var/lib/managed-defaults: it is not used.",
                example: "-rw-rw-rw- 20-lab.json",
                advice: "Find out who changed it, then: chown root:root, chmod go-w.")
        case .notReadable:
            LintExplanation(
                "A policy file, or a directory above it, that not everybody can read. Everybody's programs obey policy: those "
                    + "that cannot read it obey what root's commands last recorded, and change nothing without a record. Or "
                    + "that record itself, a good copy, a generation, or a folder of them.",
                example: "-rw------- 20-lab.json, as a umask of 077 leaves it; drwx------ /var/lib/managed-defaults",
                advice: "chmod 0644 the file, chmod 0755 the directory. `mdefaults policy apply` does it for what it "
                    + "keeps.")
        case .groupWritable:
            LintExplanation(
                "Beneath --root: a file that its group may write. On a machine it would not be obeyed.",
                example: "-rw-rw-r-- 20-lab.json",
                advice: "chmod g-w")
        case .unreadable:
            LintExplanation(
                "A file or folder that could not be read.",
                example: "a file system that is not mounted",
                advice: "Mend what the message names; nothing is taken out of force by it.")
        case .lastGood:
            LintExplanation(
                "A file that cannot be used now; its last good copy is in force.",
                example: "a file that was saved half-way",
                advice: "Mend the file; the findings beside this one say where.")
        case .notInForce:
            LintExplanation(
                "A file that cannot be used and never was good: it forces nothing.",
                example: "a new file with a mistake",
                advice: "Mend the file; the findings beside this one say where.")
        case .damagedCopy:
            LintExplanation(
                "The stored good copy of a file is damaged.",
                example: "a disk error",
                advice: "`mdefaults policy apply` writes it again; look at the disk.")
        case .damagedTable:
            LintExplanation(
                "The compiled table, or the record of policy, is damaged, or others can write it; the sources are "
                    + "read instead.",
                example: "a disk error",
                advice: "`mdefaults policy apply` writes it again; find out who could write it.")
        case .notRecorded:
            LintExplanation(
                "What was found could not be recorded, so that a file that breaks later has no good copy.",
                example: "a full disk",
                advice: "Make room, or mend the permissions of /var/lib/managed-defaults, and run `mdefaults "
                    + "policy apply`.")
        case .unsigned:
            LintExplanation(
                "A file without a signature on a machine that asks for one, or beside something that can be none, as a "
                    + "folder is; it is not obeyed, and its last good version stays in force where there is one.",
                example: "20-lab.json without 20-lab.json.sig",
                advice: "Sign it: ssh-keygen -Y sign -n managed-defaults -f KEY FILE.")
        case .badSignature:
            LintExplanation(
                "A signature of nobody whom the machine trusts, or not of this file; the file is not obeyed.",
                example: "a file that was changed after it was signed",
                advice: "Find out who changed it; sign it again, or add the signer to "
                    + "/etc/managed-defaults/trusted-signers.")
        case .signatureUnknown:
            LintExplanation(
                "A signature of which nobody has recorded yet whether it is good.",
                example: "a file that was installed a moment ago",
                advice: "`mdefaults policy apply`, run by root, checks it and records the answer.")
        case .oldVersion:
            LintExplanation(
                "A signed file whose Version is lower than the highest that this machine ever recorded of its Identifier; "
                    + "it is not obeyed, and its last good version stays in force where there is one.",
                example: "\"Version\": 4, after 5 was in force",
                advice: "Put the newer file back. To go back on purpose, run `mdefaults policy rollback`, or raise the "
                    + "Version of the older file and sign it again.")
        case .accounts:
            LintExplanation(
                "A line of the account files that cannot be read, or a file of them.",
                example: "a line of /etc/group with three fields",
                advice: "Mend the line; names on it count as unknown.")
        default: nil
        }
    }
}

extension LintCode {
    /// The explanation of a code about several files; `nil` for codes of other topics.
    var betweenExplanation: LintExplanation? {
        switch self {
        case .duplicateIdentifier:
            LintExplanation(
                "Two files have one Identifier; both apply, and no record can tell them apart.",
                example: "a copy of a file under another name",
                advice: "Give each file an Identifier of its own.")
        case .conflictingValues:
            LintExplanation(
                "Two files, for targets that may overlap and of which neither is within the other, say different things of "
                    + "one key, and neither file is Enforced.",
                example: "\"HomePage\" in 20-students.json and in 40-room1.json",
                advice:
                    "Change the names, the targets or Enforced, or join the values by Combine; if the winner is meant to "
                    + "win, say so under Metadata.LintIgnore.")
        case .neverWins:
            LintExplanation(
                "An entry that a later file gives another value, or hides, wherever it applies; or a constraint of a key "
                    + "that is forced, or sealed, wherever it applies; or an absent entry, or a seal, of a key that "
                    + "NSGlobalDomain forces a value of: a value comes before none; or a common setting that a program loses to a "
                    + "key of its own in the same file.",
                example: "\"HomePage\" in 10-site.json, and for everybody in 20-site.json",
                advice: "Remove the entry, or mend the order or the targets.")
        case .temporaryLoses:
            LintExplanation(
                "Temporary policy, in /run, that loses against a file in /etc.",
                example: "/run/…/60-exam.json without Enforced",
                advice: "Give it Enforced and a name that comes first, such as 00-exam.json.")
        case .temporaryLifted:
            LintExplanation(
                "A waiver, that of a grant for example, takes a key out of temporary policy, in /run.",
                example: "a grant of \"HomePage\" that is older than the exam which forces it",
                advice: "Nothing, if the exception is meant; else end the grant (mdefaults policy grant revoke), or "
                    + "remove the waiver.")
        case .waiverWithoutEffect:
            LintExplanation(
                "A waiver that cannot free its key, because an Enforced file holds it and the waiver's own file is not "
                    + "Enforced, because it ends before its file begins to apply, or because another waiver lifts the key for "
                    + "the same people at least as long.",
                example: "a waiver in 40-exceptions.json of what 30-strict.json, with Enforced, forces",
                advice:
                    "Give the waiver's file Enforced, or put the waiver into the file that holds the key; remove one "
                    + "that another one makes needless.")
        case .outsideConstraint:
            LintExplanation(
                "A forced or recommended value, or one that is set once, that a constraint would not allow.",
                example: "\"Forced\": { \"org.example.Player\": { \"Volume\": 90 } } beside a Maximum of 70",
                advice: "Decide which of them is right.")
        case .outsideManifest:
            LintExplanation(
                "A value that the manifest of its domain does not allow, a constraint that allows no other, or a key "
                    + "that the manifest lacks, of another program or of one whose manifest has all its keys.",
                example: "a string where the manifest says boolean",
                advice: "Mend the value as the finding says, or update the manifest.")
        case .deprecated:
            LintExplanation(
                "A value for a key that the manifest of its domain calls deprecated (pfm_deprecated, pfm_app_deprecated): "
                    + "the software may not obey it any more.",
                example: "\"HomePageURL\", deprecated since version 4.0",
                advice: "Look up in the manifest, or with the vendor, what took its place.")
        case .combineDisagrees:
            LintExplanation(
                "Two files combine one key by different operators; the value that wins stands alone.",
                example: "\"Blocklist\": \"union\" here and \"replace\" there",
                advice: "Write the same operator into both, or remove one.")
        case .cannotCombine:
            LintExplanation(
                "An entry whose type the operator of its key cannot join; it takes no part.",
                example: "\"Blocklist\": \"x.example\" under union",
                advice: "Give the entry the type that is joined: union arrays, merge dictionaries, min and max "
                    + "numbers, and and or booleans.")
        case .idleRule:
            LintExplanation(
                "A waiver or an operator for a key that no file holds; or Sensitive or Controls of a key that neither a "
                    + "policy file nor a manifest mentions, so that the key that is meant may be shown in clear.",
                example: "a waiver of \"AllowDownload\" where \"AllowDownloads\" is forced",
                advice: "Correct the spelling, or remove it.")
        case .sealedGlobalDomain:
            LintExplanation(
                "The global domain is sealed: every key that no file lists is absent in every program.",
                example: "\"Sealed\": [\"NSGlobalDomain\"]",
                advice: "List the keys under Absent instead.")
        case .similarKeys:
            LintExplanation(
                "Two keys, or two domains, that differ only by case or normalization; to every program they are "
                    + "two.",
                example: "\"HomePage\" and \"Homepage\"",
                advice: "Correct the one that is misspelt.")
        default: nil
        }
    }
}
