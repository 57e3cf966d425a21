package import PropertyList

extension CompiledTable {
    /// What remains of policy for a subject in some domains: the same as of the sources, without the rest.
    ///
    /// With `ownTags` those of the table stand for the subject's, and are read only where a target asks for them.
    ///
    /// Complexity: O(n) of what all files say of these domains, however many files and other domains there are.
    package func resolve(
        for subject: Subject, in domains: Set<Key>, ownTags: Bool = false
    ) throws(TableError) -> ResultantSet {
        var look = TableLook(table: self, subject: subject, ownTags: ownTags)
        var keys: [KeyMaterial] = []
        var seals: [Key: SealMaterial] = [:]
        for domain in domains {
            guard let place = try place(ofDomain: domain) else { continue }
            let found = try look.domain(at: place, domain)
            keys += found.keys
            if let seal = found.seals { seals[domain] = seal }
        }
        var builder = ResultantBuilder(subject: subject, files: look.files, seals: seals)
        var metadata: [Key: [Key: KeyMetadata]] = [:]
        for material in keys {
            builder.add(material)
            if !material.metadata.isEmpty { metadata[material.domain, default: [:]][material.key] = material.metadata }
        }
        return builder.resultant(metadata: metadata, domains: domains)
    }
}
