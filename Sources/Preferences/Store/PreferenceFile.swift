import Platform
import PropertyList

/// What was found in the place of a preference file.
enum PreferenceFile {
    /// There is no file.
    case missing
    /// A file that parses.
    case intact(StoredDomain)
    /// A file that parses, and was followed: the keys that differ from what was known, and its state.
    case followed([Key: Value?], FileStatus)
    /// A file that does not parse, or whose root is no dictionary, and its state.
    case damaged(PropertyListError, FileStatus)

    /// Parses the content of a file.
    ///
    /// Control characters in XML are read, though XML forbids them: Foundation writes a string as it is, and the
    /// settings of an application that changes over are to be kept. What we write ourselves holds none.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - path: where it is, under the root.
    ///   - status: its state while it was read.
    /// - Returns: the domain, or the first mistake.
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

    /// The state of the file, or `nil` where there is none.
    var status: FileStatus? {
        switch self {
        case .missing: nil
        case .intact(let domain): domain.status
        case .followed(_, let status), .damaged(_, let status): status
        }
    }
}
