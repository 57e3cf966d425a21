import Platform
import PropertyList

extension Conversion {
    /// The domain of Chromium's policies where nobody says another.
    private static let chromiumDomain: Key = "org.chromium.Chromium"

    /// Adds the policies of Chromium or a relative: forced, or recommended where the folder is that of those.
    mutating func addChromium(_ input: ConversionInput) throws(ConversionError) {
        let document = try json(input)
        try requireForeign(document.root.entries ?? [], of: input)
        let isRecommended = options.isRecommended ?? input.has(folder: "recommended")
        for entry in ProfileParser.last(of: document.root.entries ?? []) {
            let place = place(input, document.position(of: entry.keyOffset))
            loseMark(in: entry, at: place, hasVariables: true)
            add(
                Entry(
                    level: isRecommended ? .recommended : .forced,
                    domain: options.domain ?? Conversion.chromiumDomain, key: entry.key, value: entry.value.value,
                    place: place))
        }
    }

    /// Adds the policies of Firefox or a relative: what stands in the field `policies`, all of it forced.
    ///
    /// Firefox itself has no levels: a policy that only sets a default says so within its value.
    mutating func addFirefox(_ input: ConversionInput) throws(ConversionError) {
        let document = try json(input)
        let isThunderbird = input.has(folder: "thunderbird")
        let domain = options.domain ?? (isThunderbird ? "org.mozilla.thunderbird" : "org.mozilla.firefox")
        for entry in ProfileParser.last(of: document.root.entries ?? []) {
            let place = place(input, document.position(of: entry.keyOffset))
            guard entry.key == "policies", let policies = entry.value.entries else {
                lose("\"\(Printable.escape(entry.key.string))\" beside policies is left out", at: place)
                continue
            }
            for policy in ProfileParser.last(of: policies) {
                let place = self.place(input, document.position(of: policy.keyOffset))
                loseMark(in: policy, at: place, hasVariables: true)
                add(
                    Entry(
                        level: .forced, domain: domain, key: policy.key, value: policy.value.value, place: place))
            }
        }
    }

    /// Reads a file in JSON whose root is an object.
    private mutating func json(_ input: ConversionInput) throws(ConversionError) -> Document {
        do throws(PropertyListError) {
            let source = try SourceText(decoding: input.bytes)
            let document = try JSONReader.readForeign(source, limits: PolicyFile.limits)
            _ = try document.rootEntries()
            for warning in document.warnings {
                lose(Printable.escape(warning.message), at: place(input, warning.position))
            }
            if document.hasMoreWarnings { loseMore(input) }
            return document
        } catch {
            throw ConversionError(Printable.escape(error.message), path: input.path, position: error.position)
        }
    }
}
