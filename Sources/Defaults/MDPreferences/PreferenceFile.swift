package import MDPlatform
package import MDPropertyList

/// The content of the place of a preference file.
enum PreferenceFile {
    /// There is no file.
    case missing
    /// A file that parses.
    case intact(StoredDomain)
    /// A file that parses and was followed: the keys that differ from the cached text, and the file's state.
    case followed([Key: Value?], FileStatus)
    /// A file that does not parse, or whose root is not a dictionary, and its state.
    case damaged(PropertyListError, FileStatus)

    /// Parses the content of a file.
    ///
    /// Control characters in XML are accepted although XML forbids them: Foundation writes strings unescaped, and the
    /// settings of an application that migrates must not be lost. Files written here contain none.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - path: its path, under the root.
    ///   - status: its state while it was read.
    /// - Returns: the domain, or the first error.
    static func parse(
        _ bytes: [UInt8], path: String, status: FileStatus
    ) -> Result<StoredDomain, PropertyListError> {
        if let (values, text) = XMLDictionaryText.read(bytes) {
            return .success(
                StoredDomain(values: values, path: path, format: .xml, warnings: [], status: status, text: text))
        }
        do {
            let document = try Document.read(bytes, allowsControlCharacters: true)
            return .success(
                StoredDomain(
                    values: Node.dictionary(try document.rootEntries()), path: path, format: document.format,
                    warnings: document.warnings, status: status))
        } catch {
            return .failure(error)
        }
    }

    /// The state of the file, or `nil` if there is none.
    var status: FileStatus? {
        switch self {
        case .missing: nil
        case .intact(let domain): domain.status
        case .followed(_, let status), .damaged(_, let status): status
        }
    }
}

/// The content of a domain's file.
package struct StoredDomain: Sendable {
    /// The values by key.
    package let values: [Key: Value]
    /// The file they were read from, under the root.
    package let path: String
    /// The encoding of that file.
    package let format: Format
    /// Readable content that is probably an error, for example a duplicate key.
    package let warnings: [PropertyListError]
    /// The state of the file when it was read; a different state means that it changed since.
    package let status: FileStatus
    /// The file's text if it is XML of the usual layout.
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
