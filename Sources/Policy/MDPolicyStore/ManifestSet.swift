package import MDPlatform
package import MDPolicyCore
import MDPolicyFormats
package import MDPolicyModel
package import MDPropertyList

/// The manifests of a machine: types, ranges, allowed values and titles of keys.
///
/// Manifests do not affect effective policy. They are ProfileManifests' property lists, one domain a file, and must be
/// trusted as policy files must. Packages of programs put theirs into `/usr/share/managed-defaults/manifests.d`, so that
/// a program by itself makes no machine a managed one; the administrator's are in `/etc/managed-defaults/manifests.d`,
/// and replace those of the same name, if they can be read. If several files describe one key, one of the administrator's
/// counts, else the last in byte order of the names.
package struct ManifestSet: Sendable {
    /// The administrator's directory.
    package static let directory = "/etc/managed-defaults/manifests.d"
    /// The administrator's directory, then that of programs' packages.
    package static let directories = [directory, "/usr/share/managed-defaults/manifests.d"]
    /// The most bytes that are read of all manifests together; the largest known collection has a tenth of it.
    private static let sizeLimit = 128 << 20

    /// The manifests in byte order of their names.
    package private(set) var manifests: [Manifest] = []
    /// The findings; always warnings, because manifests do not affect effective policy.
    package private(set) var diagnostics: [Diagnostic] = []
    private var keys: [Key: [Key: ManifestKey]] = [:]
    /// The domains of which a manifest has all keys.
    private var whole: Set<Key> = []
    /// The domains of unreadable manifests, as far as their content or names show them.
    ///
    /// Which of their keys are sensitive is unknown.
    private var unknown: Set<Key> = []
    /// Whether no manifest can be read, so that sensitive keys are unknown in every domain.
    private var isUnknown = false

    /// Makes an empty set.
    package init() {}

    /// Reads the manifests beneath a root; none if the directory is missing.
    ///
    /// Unreadable and untrusted manifests are reported and do not affect the others.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - domains: the domains that the caller asks about; `nil` for all. Most manifests of a large collection then
    ///       need no parsing.
    package init(root: Root, of domains: Set<Key>? = nil) {
        if domains?.isEmpty == true { return }
        var files: [Key: [File]] = [:]
        for path in ManifestSet.directories {
            let shown = root.display(path)
            do throws(TrustError) {
                let directory = try root.trustedDirectory(path)
                for name in try directory.names() {
                    files[Key(name), default: []].append(File(directory: directory, shown: shown, name: name))
                }
            } catch {
                if !error.isMissing {
                    warn(shown, "no manifest is used: \(error)")
                    isUnknown = true
                }
            }
        }
        var left = ManifestSet.sizeLimit
        // The administrator's come last, because the last description of a key counts.
        let sorted = files.sorted { one, other in
            let (isOwn, isOtherOwn) = (isOwn(one.value, root), isOwn(other.value, root))
            return isOwn == isOtherOwn ? one.key < other.key : isOtherOwn
        }
        for (key, files) in sorted {
            if let reason = ManifestSet.reasonToIgnore(key.string) {
                diagnostics.append(ManifestSet.ignored("\(files[0].shown)/\(key.string)", reason))
                continue
            }
            // One that cannot be used replaces none.
            for file in files {
                if read(file, &left, of: domains) { break }
            }
        }
    }

    /// A file of a directory.
    private struct File {
        /// The directory.
        let directory: TrustedDirectory
        /// The directory, as it is shown.
        let shown: String
        /// The name.
        let name: String
    }

    /// Whether a file of that name is the administrator's.
    private func isOwn(_ files: [File], _ root: Root) -> Bool {
        files.contains { $0.shown == root.display(ManifestSet.directory) }
    }

    /// Reads a file; false if it cannot be used.
    private mutating func read(_ file: File, _ left: inout Int, of domains: Set<Key>?) -> Bool {
        let path = "\(file.shown)/\(file.name)"
        guard left > 0 else {
            warn(path, "the manifests together are larger than \(ManifestSet.sizeLimit) bytes; this is not read")
            return true
        }
        do throws(TrustError) {
            let bytes = try file.directory.read(file.name, limit: min(left, PolicyFile.limits.bytes)).bytes
            left -= bytes.count
            if let domains, !ManifestSearch.mayConcern(domains, bytes) { return true }
            return add(bytes: bytes, shownPath: path)
        } catch {
            warn(path, "the manifest is not used: \(error)")
            unknown.formUnion(ManifestSearch.domains(path: file.name, []))
            return false
        }
    }

    /// Parses a manifest and adds it; false if it cannot be read.
    @discardableResult package mutating func add(bytes: [UInt8], shownPath: String) -> Bool {
        let parsed = Manifest.parse(bytes: bytes, shownPath: shownPath)
        diagnostics += parsed.diagnostics
        guard let manifest = parsed.manifest else {
            unknown.formUnion(ManifestSearch.domains(path: shownPath, bytes))
            return false
        }
        manifests.append(manifest)
        keys[manifest.domain, default: [:]].merge(manifest.keys) { $1 }
        if manifest.isWhole { whole.insert(manifest.domain) }
        return true
    }

    /// Whether there are neither descriptions nor unreadable manifests.
    package var isEmpty: Bool { keys.isEmpty && unknown.isEmpty && !isUnknown }

    /// Whether the values of a key must not be shown; true if a manifest of the domain cannot be read.
    package func isSensitive(domain: Key, key: Key) -> Bool {
        isUnknown || unknown.contains(domain) || keys[domain]?[key]?.isSensitive ?? false
    }

    /// All sensitive keys.
    package var secrets: ManifestSecrets {
        var secrets = ManifestSecrets()
        (secrets.isEverything, secrets.domains) = (isUnknown, unknown)
        secrets.keys = keys.compactMapValues { described in
            let sensitive = described.filter(\.value.isSensitive).keys
            return sensitive.isEmpty ? nil : Set(sensitive)
        }
        return secrets
    }

    package func describes(_ domain: Key) -> Bool { keys[domain] != nil }

    /// Whether a manifest says that it has all keys of a domain.
    package func isWhole(_ domain: Key) -> Bool { whole.contains(domain) }

    /// The description of a key; `nil` if no manifest has it.
    package func key(domain: Key, key: Key) -> ManifestKey? { keys[domain]?[key] }

    /// The described key of the domain that an undescribed key certainly misspells.
    ///
    /// `nil` if there is no such key: an undescribed key may also be newer than the manifest.
    package func suggestion(domain: Key, key: Key) -> String? {
        guard let known = keys[domain], known[key] == nil else { return nil }
        return Suggestion.misspelling(of: key.string, among: known.keys.sorted().map(\.string))
    }

    /// The described keys of a domain, in byte order.
    package func names(in domain: Key) -> [Key] { keys[domain].map { $0.keys.sorted() } ?? [] }

    /// The described domains.
    package var domains: [Key] { keys.keys.sorted() }

    /// Why a file of the directory is not read because of its name, as a clause that goes on with `it`; `nil` for a manifest.
    package static func reasonToIgnore(_ name: String) -> String? {
        if name.utf8.first == UInt8(ascii: ".") { return "begins with a dot" }
        return name.utf8.suffix(6).elementsEqual(".plist".utf8) ? nil : "does not end in .plist"
    }

    /// Makes the finding for a file whose name is not that of a manifest.
    package static func ignored(_ path: String, _ reason: String) -> Diagnostic {
        Diagnostic(
            file: path, severity: .warning, code: .ignoredName,
            message: "this file is not read: its name \(reason)")
    }

    private mutating func warn(_ path: String, _ message: String) {
        diagnostics.append(
            Diagnostic(
                file: path, severity: .warning, code: .manifest, message: Diagnostic.clause(message)))
    }
}

/// Searches the bytes of a manifest for the domains that it describes, without parsing it.
enum ManifestSearch {
    /// Whether a file may describe one of some domains; true if that is unknown without parsing.
    ///
    /// Complexity: O(n), a small part of what parsing costs.
    static func mayConcern(_ domains: Set<Key>, _ bytes: [UInt8]) -> Bool {
        // Only XML in UTF-8, the usual encoding, shows its texts as they are.
        guard !BinaryReader.recognizes(bytes), bytes.prefix(2).allSatisfy({ $0 != 0 && $0 < 0xfe }) else { return true }
        var index = 0
        var isFound = false
        while let place = nextName(bytes, &index) {
            isFound = true
            guard let range = place.name else { return true }
            let name = bytes[range]
            // References and CDATA sections encode other characters.
            guard !name.contains(UInt8(ascii: "&")), !name.contains(UInt8(ascii: "<")) else { return true }
            let domain = Key(String(decoding: name, as: UTF8.self))
            if domains.contains(domain) { return true }
            if domains.contains("NSGlobalDomain"), ManifestParser.globalNames.contains(domain) { return true }
        }
        return !isFound
    }

    /// The domains that an unreadable manifest probably describes: those that it names, and that of its file name.
    package static func domains(path: String, _ bytes: [UInt8]) -> Set<Key> {
        var result: Set<Key> = []
        var index = 0
        while let place = nextName(bytes, &index) {
            if let range = place.name { result.insert(Key(String(decoding: bytes[range], as: UTF8.self))) }
        }
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
        result.insert(Key(String(Substring(name.utf8.dropLast(".plist".utf8.count)))))
        return Set(result.map { ManifestParser.globalNames.contains($0) ? "NSGlobalDomain" : $0 })
    }

    /// An occurrence of `pfm_domain`.
    private struct NamePlace {
        /// The offsets of the domain; `nil` if no plain string follows the key.
        let name: Range<Int>?
    }

    /// Finds the next `pfm_domain` from an offset on, and moves the offset behind it; `nil` if none is left.
    private static func nextName(_ bytes: [UInt8], _ index: inout Int) -> NamePlace? {
        let text = bytes.span
        guard let start = find("pfm_domain</key>", text, from: index) else { return nil }
        index = start
        while index < text.count, text[index] == 0x20 || (0x09...0x0d).contains(text[index]) { index += 1 }
        guard matches("<string>", text, at: index), let end = find("</string>", text, from: index) else {
            return NamePlace(name: nil)
        }
        return NamePlace(name: (index + 8)..<(end - 9))
    }

    /// The offset behind the next occurrence of a literal.
    private static func find(_ literal: StaticString, _ text: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        let count = literal.utf8CodeUnitCount
        while index + count <= text.count {
            if matches(literal, text, at: index) { return index + count }
            index += 1
        }
        return nil
    }

    /// Whether a literal is at an offset.
    private static func matches(_ literal: StaticString, _ text: Span<UInt8>, at offset: Int) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard offset + count <= text.count else { return false }
        for position in 0..<count {
            // The literal has this many bytes, and lives as long as the program.
            if unsafe literal.utf8Start[position] != text[offset + position] { return false }
        }
        return true
    }
}
