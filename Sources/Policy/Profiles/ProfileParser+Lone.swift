import Platform
import PropertyList

extension ProfileParser {
    /// The type of a payload that no profile is around, as its field; `nil` for anything else.
    static func lonePayload(_ root: [Node.Entry]) -> Node.Entry? {
        guard let type = field(ProfileField.type, of: root), case .scalar(.string(let name)) = type.value.content,
            name != "Configuration", field(ProfileField.content, of: root)?.value.elements == nil
        else { return nil }
        return type
    }

    /// Whether a type is that of a question to a device, which comes in a file as profiles do.
    static func isService(_ type: Node.Entry) -> Bool { type.value.value == .string("Profile Service") }

    /// What a property list is that people take for a profile; `nil` for anything else.
    static func lookalike(_ root: [Node.Entry]) -> String? {
        guard field(ProfileField.content, of: root) == nil else { return nil }
        if root.contains(where: { $0.key.string.utf8.starts(with: "pfm_".utf8) }) {
            return "this is a manifest, which belongs into /etc/managed-defaults/manifests.d, and no profile"
        }
        if let command = field("Command", of: root)?.value.entries, field("RequestType", of: command) != nil {
            return "this is a command of an MDM server; the profile is within its Payload, in Base64"
        }
        let lists: Set<Key> = ["ProfileList", "ProfileItems", "_computerlevel"]
        guard root.contains(where: { lists.contains($0.key) }) else { return nil }
        return "this is a list of profiles that are installed, and no profile; get the profile from where it was made"
    }

    /// Reports that a payload stands where a profile does.
    mutating func reportLone(_ type: Node.Entry) {
        guard case .scalar(.string(let name)) = type.value.content else { return }
        let isService = ProfileParser.isService(type)
        report(
            isService ? .notApplicable : .invalidValue, at: type.value.offset,
            isService
                ? "a Profile Service asks a device what it is before it gets a profile; there are no settings in it"
                : "this is a payload \(Printable.escape(name)) without a profile around it; mdefaults policy convert"
                    + " takes it")
    }

    /// Reads a payload that no profile is around.
    mutating func parseLone(_ payload: Node, digest: Digest) -> PolicyFile? {
        parsePayload(payload)
        return loneFile(at: payload.offset, payload.entries ?? [], digest)
    }

    /// Reads an export of MCX: the domains of a payload without a profile around them.
    mutating func parseExport(_ domains: Node, digest: Digest) -> PolicyFile? {
        guard let entries = domains.entries else {
            reportType(domains, ProfileField.applicationData, expected: "a dictionary of domains")
            return nil
        }
        parseDomains(entries, at: domains.offset)
        return loneFile(at: domains.offset, [], digest)
    }

    /// Whether every value is a dictionary of what is forced or set once, so that the keys are domains; there may be other
    /// fields beside that, such as `mcx_targets`.
    static func areDomains(_ entries: [Node.Entry]) -> Bool {
        !entries.isEmpty
            && entries.allSatisfy { domain in
                let levels = (domain.value.entries ?? []).filter { isLevel($0.key) }
                return !levels.isEmpty
                    && levels.allSatisfy { level in
                        level.value.elements?.allSatisfy {
                            $0.entries?.contains { $0.key == "mcx_preference_settings" } == true
                        } == true
                    }
            }
    }

    /// Whether a field of a domain is one of its levels.
    static func isLevel(_ name: Key) -> Bool { name == "Forced" || name == "Set-Once" }

    /// The file of what has no profile around it, and therefore no name; `nil` where something is wrong.
    private mutating func loneFile(at offset: Int, _ fields: [Node.Entry], _ digest: Digest) -> PolicyFile? {
        reportUnreadable()
        let name = (name: "", position: reading.document.position(of: offset))
        return hasErrors ? nil : file(name, nil, nil, 0, fields, digest)
    }
}
