import ManagedDefaults
import Platform
import Policy
import PropertyList

extension ManagedDefaults.TestBed.Overlay {
    /// What this leaves for the user.
    func resultant(of application: PropertyList.Key) -> ResultantSet {
        /// Makes entries of policy, by domain and key.
        func entries(_ entries: [Place: Entry], _ level: Level) -> [PropertyList.Key: [PropertyList.Key: ResolvedEntry]]
        {
            var result: [PropertyList.Key: [PropertyList.Key: ResolvedEntry]] = [:]
            for (place, entry) in entries {
                result[place.domain ?? application, default: [:]][place.key] = resolved(
                    place, entry, entry.value == nil ? .absent : level, application)
            }
            return result
        }
        let forced = entries(forced, .forced)
        var seals: [PropertyList.Key: ResolvedEntry] = [:]
        var unsealed: [PropertyList.Key: Set<PropertyList.Key>] = [:]
        for (domain, seal) in sealed {
            let entry = Entry(value: nil, onOverride: .refuse, manager: seal.manager)
            seals[domain ?? application] = resolved(Place(domain: domain, key: ""), entry, .absent, application)
            unsealed[domain ?? application] = seal.free
        }
        var constraints: [PropertyList.Key: [PropertyList.Key: ResolvedConstraint]] = [:]
        var metadata: [PropertyList.Key: [PropertyList.Key: KeyMetadata]] = [:]
        for place in sensitive {
            metadata[place.domain ?? application, default: [:]][place.key] = self.metadata(of: place)
        }
        for (place, allowed) in allowed {
            let domain = place.domain ?? application
            // As on a real machine: a constraint of a key that is forced anyway is none.
            let isSealed = seals[domain] != nil && unsealed[domain]?.contains(place.key) != true
            guard forced[domain]?[place.key] == nil, !isSealed else { continue }
            constraints[domain, default: [:]][place.key] = ResolvedConstraint(
                entry: ConstraintEntry(
                    domain: domain, key: place.key, constraint: allowed.constraint, origin: origin(of: allowed.manager)),
                contact: allowed.manager.contact, fileDigest: digest(of: allowed.manager),
                metadata: self.metadata(of: place))
        }
        return ResultantSet(
            forced: forced, recommended: entries(recommended, .recommended), setOnce: entries(once, .setOnce),
            constraints: constraints, seals: seals, unsealed: unsealed, metadata: metadata)
    }

    /// An entry of policy.
    private func resolved(
        _ place: Place, _ entry: Entry, _ level: Level, _ application: PropertyList.Key
    ) -> ResolvedEntry {
        let manager = entry.manager
        return ResolvedEntry(
            level: level, domain: place.domain ?? application, key: place.key, value: entry.value,
            origin: origin(of: manager), metadata: metadata(of: place),
            onOverride: entry.onOverride == .shadow ? .shadow : .refuse, contact: manager.contact,
            policyVersion: Integer(entry.version), description: manager.summary, fileDigest: digest(of: manager))
    }

    /// What people are told of a key.
    private func metadata(of place: Place) -> KeyMetadata {
        KeyMetadata(isSensitive: sensitive.contains(place))
    }

    /// Where a manager's entries stand.
    private func origin(of manager: Manager) -> Origin {
        Origin(
            policy: manager.policy, file: manager.file,
            position: Position(line: manager.line, column: 1, offset: 0))
    }

    /// The digest of a manager's file.
    private func digest(of manager: Manager) -> Digest {
        SHA256.hash(Array(manager.file.utf8))
    }
}
