extension LintCode {
    /// Between files: what each code means; `nil` for those of other topics.
    var betweenExplanation: LintExplanation? {
        switch self {
        case .duplicateIdentifier:
            LintExplanation(
                "Two files have one Identifier; both apply, and no record can tell them apart.",
                example: "a copy of a file under another name",
                advice: "Give each file an Identifier of its own.")
        case .conflictingValues:
            LintExplanation(
                "Two files, for targets that may overlap, say different things of one key.",
                example: "\"HomePage\" in 10-site.json and in 20-lab.json",
                advice: "Nothing, if the winner is meant to win; else change the names, the targets or Enforced. "
                    + "To join the values, use Combine.")
        case .neverWins:
            LintExplanation(
                "An entry that another file overrides, or hides, wherever it applies; or a constraint of a key that is "
                    + "forced, or sealed, wherever it applies; or an absent entry, or a seal, of a key that NSGlobalDomain "
                    + "forces a value of: a value comes before none.",
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
                "A value that the manifest of its domain does not allow, or a constraint that allows no other.",
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
