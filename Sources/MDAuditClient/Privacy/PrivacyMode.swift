package import MDPlatform
import MDPropertyList

/// Whether records name people, as the administrator says in `/etc/managed-defaults/audit.json`.
package enum PrivacyMode: Hashable, Sendable {
    /// Records name people.
    case open
    /// Records have pseudonyms in place of people, and no value that was tried.
    case pseudonymous
    /// The file is there and cannot be used, for this reason, a clause: records are stored as with ``pseudonymous``, because
    /// a name that is stored cannot be taken back.
    case unknown(String)

    /// The file, under the root.
    package static let path = "/etc/managed-defaults/audit.json"
    /// The most bytes of it.
    private static let limit = 65_536
    /// The only member.
    private static let member: Key = "Pseudonyms"

    /// Whether records have pseudonyms.
    package var isPseudonymous: Bool { self != .open }

    /// Reads the file; without one, records name people.
    package init(of root: Root) {
        do throws(TrustError) {
            self.init(reading: try root.readTrusted(PrivacyMode.path, limit: PrivacyMode.limit).bytes)
        } catch {
            self = error.isMissing ? .open : .unknown(error.description)
        }
    }

    /// Reads the content of the file: one JSON object with the member `Pseudonyms`, a boolean; comments are allowed.
    init(reading bytes: [UInt8]) {
        do throws(PropertyListError) {
            let document = try JSONReader.read(
                SourceText(decoding: bytes), limits: Limits(bytes: PrivacyMode.limit, depth: 4, objects: 16))
            if let warning = document.warnings.first { throw warning }
            let entries = try document.rootEntries()
            for entry in entries where entry.key != PrivacyMode.member {
                self = .unknown("it has the unknown member \"\(entry.key)\"")
                return
            }
            guard let entry = entries.first else {
                self = .unknown("the member \"\(PrivacyMode.member)\" is missing")
                return
            }
            guard case .scalar(.boolean(let isOn)) = entry.value.content else {
                self = .unknown("the member \"\(PrivacyMode.member)\" is not true or false")
                return
            }
            self = isOn ? .pseudonymous : .open
        } catch {
            self = .unknown("\(error.position): \(error.message)")
        }
    }
}
