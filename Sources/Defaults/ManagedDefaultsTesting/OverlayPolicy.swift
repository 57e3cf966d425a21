import MDEngine
import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import ManagedDefaults

/// The policy of a test, as an engine reads it.
final class OverlayPolicy: PolicySource {
    /// The overlay.
    private let state: Guarded<ManagedDefaults.TestBed.Overlay>
    /// The domain of entries that name none.
    private let application: Key

    /// Makes a policy of an overlay.
    init(_ overlay: ManagedDefaults.TestBed.Overlay, application: Key) {
        state = Guarded(overlay)
        self.application = application
    }

    /// The present overlay.
    var overlay: ManagedDefaults.TestBed.Overlay {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Empty: the test bed makes the engine read policy after each change.
    var folders: [String] { [] }

    /// Reads the policy of all domains.
    func read(_ domains: Set<MDPropertyList.Key>?) throws(SessionError) -> ResultantSet {
        let overlay = overlay
        var resultant = overlay.resultant(of: application)
        resultant.knowledge = PolicyKnowledge(failure: overlay.unknownReason)
        return resultant
    }
}

extension ManagedDefaults.TestBed.Overlay {
    /// The resultant set of the user.
    func resultant(of application: MDPropertyList.Key) -> ResultantSet {
        /// The resolved entries, by domain and key.
        func entries(_ entries: [Place: Entry], _ level: Level) -> [MDPropertyList.Key: [MDPropertyList.Key:
            ResolvedEntry]]
        {
            var result: [MDPropertyList.Key: [MDPropertyList.Key: ResolvedEntry]] = [:]
            for (place, entry) in entries {
                result[place.domain ?? application, default: [:]][place.key] = resolved(
                    place, entry, entry.value == nil ? .absent : level, application)
            }
            return result
        }
        let forced = entries(forced, .forced)
        var seals: [MDPropertyList.Key: ResolvedEntry] = [:]
        var unsealed: [MDPropertyList.Key: Set<MDPropertyList.Key>] = [:]
        for (domain, seal) in sealed {
            let entry = Entry(value: nil, onOverride: .refuse, policy: seal.policy)
            seals[domain ?? application] = resolved(Place(domain: domain, key: ""), entry, .absent, application)
            unsealed[domain ?? application] = seal.free
        }
        var constraints: [MDPropertyList.Key: [MDPropertyList.Key: ResolvedConstraint]] = [:]
        var metadata: [MDPropertyList.Key: [MDPropertyList.Key: KeyMetadata]] = [:]
        for place in sensitive {
            metadata[place.domain ?? application, default: [:]][place.key] = self.metadata(of: place)
        }
        for (place, allowed) in allowed {
            let domain = place.domain ?? application
            // As on a real machine, a forced key has no constraint.
            let isSealed = seals[domain] != nil && unsealed[domain]?.contains(place.key) != true
            guard forced[domain]?[place.key] == nil, !isSealed else { continue }
            constraints[domain, default: [:]][place.key] = ResolvedConstraint(
                entry: ConstraintEntry(
                    domain: domain, key: place.key, constraint: allowed.constraint, origin: origin(of: allowed.policy)),
                contact: allowed.policy.contact ?? "", fileDigest: digest(of: allowed.policy),
                metadata: self.metadata(of: place))
        }
        return ResultantSet(
            forced: forced, recommended: entries(recommended, .recommended), setOnce: entries(once, .setOnce),
            constraints: constraints, seals: seals, unsealed: unsealed, metadata: metadata)
    }

    /// A resolved entry.
    private func resolved(
        _ place: Place, _ entry: Entry, _ level: Level, _ application: MDPropertyList.Key
    ) -> ResolvedEntry {
        let policy = entry.policy
        return ResolvedEntry(
            level: level, domain: place.domain ?? application, key: place.key, value: entry.value,
            origin: origin(of: policy), metadata: metadata(of: place),
            onOverride: entry.onOverride == .shadow ? .shadow : .refuse, contact: policy.contact ?? "",
            policyVersion: Integer(entry.version), description: policy.summary ?? "", fileDigest: digest(of: policy))
    }

    /// The metadata of a key.
    private func metadata(of place: Place) -> KeyMetadata {
        KeyMetadata(isSensitive: sensitive.contains(place))
    }

    /// The origin of a policy's entries.
    private func origin(of policy: Policy) -> Origin {
        Origin(
            policy: policy.identifier, file: policy.file,
            position: Position(line: policy.line, column: 1, offset: 0))
    }

    /// The digest of the file's name, instead of its content.
    private func digest(of policy: Policy) -> Digest {
        SHA256.hash(Array(policy.file.utf8))
    }
}
