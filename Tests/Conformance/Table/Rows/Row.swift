/// One row of the table: what a sentence of the documents says, and how that is seen.
package struct Row: Sendable {
    /// The row's name, unique in the table.
    package let id: String
    /// The group, named after the file.
    package let group: String
    /// The place of the sentence, such as `001:33`, and its first words.
    package var place = ""
    /// What the sentence says, in our words.
    package var statement = ""
    /// What is followed where the documents disagree; empty where they do not.
    package var decision = ""
    /// The command line behind the program's name.
    package var arguments: [String] = []
    /// Preference files of the home before the start.
    package var files: [PreparedFile] = []
    /// Policy files of the machine; none where nothing is managed.
    package var policies: [String] = []
    /// Whether the row runs on a machine in a folder, where the subject has such a thing.
    package var isMachine = false
    /// Whether the row runs as somebody who is not root.
    package var isUnprivileged = false
    /// How long the row waits for something that a subject does by itself, in seconds; `nil` is the common limit.
    package var patience: Double?
    /// The subjects that the row is for, with the reason where it is not for all.
    package var only: Set<Subject> = Set(Subject.allCases)
    /// The row whose preparation and steps this one has; empty where it has its own.
    package var model = ""
    /// What is done and seen, in order.
    package var steps: [Step] = []

    /// Makes a row without content.
    init(id: String, group: String) {
        self.id = id
        self.group = group
    }
}
