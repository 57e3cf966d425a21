import Platform
package import PropertyList

/// What one manifest file says of a domain.
package struct Manifest: Sendable {
    /// The domain.
    package let domain: Key
    /// A short name of the software; empty where there is none.
    package let title: String
    /// What the domain is for; empty where the manifest does not say.
    package let description: String
    /// The keys by name.
    package let keys: [Key: ManifestKey]
    /// The path as people are shown it.
    package let shownPath: String

    /// Reads a manifest, a property list with `pfm_` fields.
    ///
    /// Fields that are not known are passed over: the format grows.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - shownPath: the path as people are shown it.
    /// - Returns: the manifest, or `nil` where the file is none; and what is wrong with it.
    package static func parse(bytes: [UInt8], shownPath: String) -> (manifest: Manifest?, diagnostics: [Diagnostic]) {
        do throws(PropertyListError) {
            let reading = try ProfileText.read(bytes, limits: PolicyFile.limits, as: "manifest")
            let root = try reading.document.rootEntries()
            var parser = ManifestParser(reading.document, shownPath: shownPath)
            let manifest = parser.manifest(root, rootOffset: reading.document.root.offset)
            return (manifest, parser.diagnostics)
        } catch {
            let finding = Diagnostic(
                file: shownPath, position: error.position, severity: .warning, code: .manifest,
                message: "the manifest cannot be read: \(Printable.escape(error.message)); values of its domain are not"
                    + " shown")
            return (nil, [finding])
        }
    }

    /// Makes a manifest.
    init(domain: Key, title: String, description: String, keys: [Key: ManifestKey], shownPath: String) {
        self.domain = domain
        self.title = title
        self.description = description
        self.keys = keys
        self.shownPath = shownPath
    }
}
