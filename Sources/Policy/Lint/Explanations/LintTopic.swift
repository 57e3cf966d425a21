/// What codes are about; the raw value is the heading of the documentation.
package enum LintTopic: String, Sendable, CaseIterable {
    /// Mistakes of the property list itself, whatever it is used for.
    case encoding = "The property list itself"
    /// Mistakes of one policy file.
    case file = "One policy file"
    /// What is wrong with Apple profiles, and with the manifests that describe domains.
    case profile = "Profiles and manifests"
    /// What is wrong with the times that a file names, and with its exceptions.
    case time = "Times and waivers"
    /// What is wrong with names, owners, modes, and with what is stored of policy.
    case around = "Around a file"
    /// What is wrong between files.
    case between = "Between files"
    /// What is wrong with targets on the machine that is checked; files that are checked by their paths have none of these.
    case target = "Targets on this machine"

    /// What a code of this topic means; `nil` for codes of others.
    func explanation(of code: LintCode) -> LintExplanation? {
        switch self {
        case .encoding: code.encodingExplanation
        case .file: code.fileExplanation
        case .profile: code.profileExplanation
        case .time: code.timeExplanation
        case .around: code.aroundExplanation
        case .between: code.betweenExplanation
        case .target: code.targetExplanation
        }
    }

    /// A sentence about the topic.
    package var summary: String {
        switch self {
        case .encoding: "Mistakes of the property list itself, whatever it is used for."
        case .file: "Mistakes of one policy file."
        case .profile: "What is wrong with Apple profiles, and with the manifests that describe domains."
        case .time: "What is wrong with the times that a file names, and with its exceptions."
        case .around: "What is wrong with names, owners, modes, and with what is stored of policy."
        case .between: "What is wrong between files."
        case .target:
            "What is wrong with targets on the machine that is checked; files that are checked by their paths have none of these."
        }
    }
}
