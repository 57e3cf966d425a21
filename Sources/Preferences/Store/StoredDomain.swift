package import Platform
package import PropertyList

/// A domain as a file holds it.
package struct StoredDomain: Sendable {
    /// The values by key.
    package let values: [Key: Value]
    /// The file they were read from, under the root.
    package let path: String
    /// The encoding of that file.
    package let format: Format
    /// What was readable but is probably a mistake, a key that stands twice for example.
    package let warnings: [PropertyListError]
    /// The state of the file when it was read; another state means that it was changed since.
    package let status: FileStatus
    /// The file's text, where it is XML of the usual layout.
    let text: XMLDictionaryText?

    /// Makes a domain that was read.
    package init(
        values: [Key: Value], path: String, format: Format, warnings: [PropertyListError], status: FileStatus,
        text: XMLDictionaryText? = nil
    ) {
        self.values = values
        self.path = path
        self.format = format
        self.warnings = warnings
        self.status = status
        self.text = text
    }
}
