import Platform
import PropertyList

extension Conversion {
    /// The domain of Chromium's policies where nobody says another.
    private static let chromiumDomain: Key = "org.chromium.Chromium"

    /// Adds the policies of Chromium or a relative: forced, or recommended where the folder is that of those.
    mutating func addChromium(_ input: ConversionInput) throws(ConversionError) {
        let document: Document
        let root: [Node.Entry]
        do throws(PropertyListError) {
            document = try Document.read(input.bytes, as: .json, limits: PolicyFile.limits)
            root = try document.rootEntries()
        } catch {
            throw ConversionError(Printable.escape(error.message), path: input.path, position: error.position)
        }
        for warning in document.warnings { lose(Printable.escape(warning.message), at: place(input, warning.position)) }
        let isRecommended = options.isRecommended ?? input.has(folder: "recommended")
        for entry in ProfileParser.last(of: root) {
            add(
                Entry(
                    level: isRecommended ? .recommended : .forced,
                    domain: options.domain ?? Conversion.chromiumDomain, key: entry.key, value: entry.value.value,
                    place: place(input, document.position(of: entry.keyOffset))))
        }
    }
}
