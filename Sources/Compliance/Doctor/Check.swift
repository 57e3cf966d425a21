/// One thing that was looked at, and whether it is as it should be.
package struct Check: Hashable, Sendable {
    /// What was looked at, a stable word: `directories`, `policy-file`, `audit-log`.
    package let name: String
    /// Which of several it is, the path of a file for example; `nil` where there is one only.
    package let subject: String?
    /// Whether it is as it should be.
    package let isOK: Bool
    /// What was found, in whole sentences.
    package let detail: String
    /// What to do, in whole sentences; `nil` where nothing is to be done.
    package let remedy: String?

    /// Makes a check.
    init(_ name: String, _ isOK: Bool, subject: String? = nil, _ detail: String, remedy: String? = nil) {
        self.name = name
        self.subject = subject
        self.isOK = isOK
        self.detail = detail
        self.remedy = isOK ? nil : remedy
    }
}
