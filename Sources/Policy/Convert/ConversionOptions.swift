package import PropertyList

/// What whoever converts says beside the files.
package struct ConversionOptions: Sendable {
    /// The kind of every file; `nil` finds out for each.
    package var kind: ConversionKind?
    /// The identifier of the policy; `nil` takes that of the profile, or makes one of the first file's name.
    package var identifier: String?
    /// The domain of files that do not say it; `nil` takes the name of the file, or Chromium's.
    package var domain: Key?
    /// Whether Chromium's policies are only recommended; `nil` asks the folder.
    package var isRecommended: Bool?

    /// Why ``domain`` cannot be the name of a domain, as a clause; `nil` where it can.
    package var domainMistake: String? { domain.flatMap { PolicyName.domainMistake($0) } }

    /// Makes options.
    package init(
        kind: ConversionKind? = nil, identifier: String? = nil, domain: Key? = nil, isRecommended: Bool? = nil
    ) {
        self.kind = kind
        self.identifier = identifier
        self.domain = domain
        self.isRecommended = isRecommended
    }
}
