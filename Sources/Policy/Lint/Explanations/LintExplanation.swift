/// What a code means, for people who meet it.
package struct LintExplanation: Hashable, Sendable {
    /// What is wrong, in one sentence.
    package let summary: String
    /// Something that leads to it.
    package let example: String
    /// What to do, in one or two sentences; Markdown code stands between backticks.
    package let advice: String

    /// Makes an explanation.
    init(_ summary: String, example: String, advice: String) {
        self.summary = summary
        self.example = example
        self.advice = advice
    }
}

extension LintCode {
    /// The topic that the code belongs to, and what it means; every code has them.
    package var explained: (topic: LintTopic, explanation: LintExplanation) {
        for topic in LintTopic.allCases {
            if let explanation = topic.explanation(of: self) { return (topic, explanation) }
        }
        return (.file, LintExplanation(rawValue, example: "", advice: ""))
    }
}
