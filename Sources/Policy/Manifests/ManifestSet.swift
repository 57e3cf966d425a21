package import Platform
package import PropertyList

/// What the manifests of a machine say of keys: types, ranges, allowed values, names for people.
///
/// Manifests change nothing that is in force. They are ProfileManifests' property lists in
/// `/etc/managed-defaults/manifests.d`, one domain a file, and fall under the same rules of trust as policy. Of one key
/// in several files, the last in byte order of the names counts.
package struct ManifestSet: Sendable {
    /// The directory of the manifests.
    package static let directory = "/etc/managed-defaults/manifests.d"
    /// The most bytes of all manifests together; the largest known collection has a tenth of it.
    private static let sizeLimit = 128 << 20

    /// The manifests in order.
    package private(set) var manifests: [Manifest] = []
    /// What is wrong with them; always warnings, because nothing is in force or not because of them.
    package private(set) var diagnostics: [Diagnostic] = []
    /// The keys by domain and name.
    private var keys: [Key: [Key: ManifestKey]] = [:]
    /// The domains of manifests that cannot be read, as far as these or their names tell them: nobody knows which of their
    /// keys are sensitive.
    private var unknown: Set<Key> = []
    /// Whether no manifest can be read, so that this holds for every domain.
    private var isUnknown = false

    /// No manifests.
    package init() {}

    /// Reads the manifests beneath a root; none where the directory is missing.
    ///
    /// What cannot be read, or is not trusted, is a finding and breaks nothing else.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - domains: the domains that are asked about; `nil` for all. A collection has hundreds of manifests, and most of
    ///     them need not be parsed.
    package init(root: Root, of domains: Set<Key>? = nil) {
        if domains?.isEmpty == true { return }
        let shown = root.display(ManifestSet.directory)
        do throws(TrustError) {
            let directory = try root.trustedDirectory(ManifestSet.directory)
            var left = ManifestSet.sizeLimit
            for name in try directory.names() {
                let path = "\(shown)/\(name)"
                if let reason = ManifestSet.reasonToIgnore(name) {
                    diagnostics.append(ManifestSet.ignored(path, reason))
                    continue
                }
                guard left > 0 else {
                    warn(
                        path, "the manifests together are larger than \(ManifestSet.sizeLimit) bytes; this is not read")
                    continue
                }
                do throws(TrustError) {
                    let bytes = try directory.read(name, limit: min(left, PolicyFile.limits.bytes)).bytes
                    left -= bytes.count
                    if let domains, !ManifestGlance.mayConcern(domains, bytes) { continue }
                    add(bytes: bytes, shownPath: path)
                } catch {
                    warn(path, "the manifest is not used: \(error)")
                    unknown.formUnion(ManifestGlance.domains(path: name, []))
                }
            }
        } catch {
            if !error.isMissing {
                warn(shown, "no manifest is used: \(error)")
                isUnknown = true
            }
        }
    }

    /// Reads a manifest and adds it.
    package mutating func add(bytes: [UInt8], shownPath: String) {
        let parsed = Manifest.parse(bytes: bytes, shownPath: shownPath)
        diagnostics += parsed.diagnostics
        guard let manifest = parsed.manifest else {
            unknown.formUnion(ManifestGlance.domains(path: shownPath, bytes))
            return
        }
        manifests.append(manifest)
        keys[manifest.domain, default: [:]].merge(manifest.keys) { $1 }
    }

    /// Whether there is anything to look up.
    package var isEmpty: Bool { keys.isEmpty && unknown.isEmpty && !isUnknown }

    /// Whether the values of a key are not to be shown; where a manifest of the domain cannot be read, none are.
    package func isSensitive(domain: Key, key: Key) -> Bool {
        isUnknown || unknown.contains(domain) || keys[domain]?[key]?.isSensitive ?? false
    }

    /// Whether a manifest describes a domain.
    package func describes(_ domain: Key) -> Bool { keys[domain] != nil }

    /// What is said of a key; `nil` where no manifest knows it.
    package func key(domain: Key, key: Key) -> ManifestKey? { keys[domain]?[key] }

    /// The known name of the domain that is nearest to one that no manifest knows.
    package func suggestion(domain: Key, key: Key) -> String? {
        guard let known = keys[domain], known[key] == nil else { return nil }
        return Suggestion.nearest(to: key.string, among: known.keys.sorted().map(\.string))
    }

    /// Why a file of the directory is not read because of its name, as a clause that goes on with `it`; `nil` for a manifest.
    static func reasonToIgnore(_ name: String) -> String? {
        if name.utf8.first == UInt8(ascii: ".") { return "begins with a dot" }
        return name.utf8.suffix(6).elementsEqual(".plist".utf8) ? nil : "does not end in .plist"
    }

    /// The finding of a file whose name is not that of a manifest.
    static func ignored(_ path: String, _ reason: String) -> Diagnostic {
        Diagnostic(
            file: path, severity: .warning, code: .ignoredName,
            message: "this file is not read: its name \(reason)")
    }

    /// Adds a warning about a whole file.
    private mutating func warn(_ path: String, _ message: String) {
        diagnostics.append(
            Diagnostic(
                file: path, severity: .warning, code: .manifest, message: Diagnostic.clause(message)))
    }
}
