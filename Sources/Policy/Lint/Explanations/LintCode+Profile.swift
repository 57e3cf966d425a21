extension LintCode {
    /// Profiles and manifests: what each code means; `nil` for those of other topics.
    var profileExplanation: LintExplanation? {
        switch self {
        case .signedMessage:
            LintExplanation(
                "A signed profile whose message is damaged, encrypted, or holds only a signature.",
                example: "a profile that was cut off",
                advice: "Get the profile again from whoever made it; an encrypted one is for one Mac alone.")
        case .notApplicable:
            LintExplanation(
                "A payload of a profile that belongs to macOS itself; nothing of it is in force.",
                example: "a com.apple.wifi.managed payload",
                advice: "Nothing here; configure it by the means of this system.")
        case .noEffect:
            LintExplanation(
                "A part of a profile that changes nothing here: a field that has no meaning, or a payload without settings.",
                example: "DurationUntilRemoval",
                advice: "Nothing, or what the sentence says.")
        case .placeholder:
            LintExplanation(
                "A mark of a template that nobody has filled in.",
                example: "<string>$USERNAME</string>",
                advice: "Fill it in, or use a variable of policy files: ${user}.")
        case .manifest:
            LintExplanation(
                "A manifest that cannot be read, or one of its fields.",
                example: "a pfm_type that does not exist",
                advice: "Mend or update the manifest; until then it does not say what values must be like.")
        default: nil
        }
    }
}
