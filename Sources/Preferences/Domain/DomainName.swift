package import PropertyList

/// What a domain may be called, and what its file is called.
///
/// A domain's name becomes part of a file name, and often comes from outside. Whatever could name a file in another
/// folder, or a file of another domain, is refused here, once for everybody.
package enum DomainName {
    /// The domain that every application's search list ends with.
    package static let global: Key = "NSGlobalDomain"

    /// The most bytes of a name.
    ///
    /// A file name has at most 255 bytes. The longest that is made of a domain is a damaged per-host file's:
    /// `<domain>.<32 digits>.plist.damaged-<time>-<number>`, 75 bytes more than the domain.
    package static let maximumBytes = 180

    /// The suffix of every preference file.
    static let suffix = ".plist"
    /// What the global domain's file is called without its suffix, so that it does not show in listings of a folder.
    static let globalFileName = ".GlobalPreferences"

    /// Refuses what cannot be a domain.
    ///
    /// - Throws: `invalidDomain` for an empty name, one of more than ``maximumBytes`` bytes, one with `/`, `..` or a
    ///   control character, NUL included, and for `.GlobalPreferences`, which would be a second name of the global
    ///   domain and pass by what is said about `NSGlobalDomain`.
    package static func validate(_ name: Key) throws(PreferencesError) {
        if let reason = mistake(in: name) { throw .invalidDomain(name: name.string, reason: reason) }
    }

    /// What is wrong with a name, as the end of a sentence; `nil` for a good one.
    private static func mistake(in name: Key) -> String? {
        let bytes = name.string.utf8
        if bytes.isEmpty { return "it is empty" }
        if bytes.count > maximumBytes { return "it has \(bytes.count) bytes; at most \(maximumBytes) are allowed" }
        // One pass over plain bytes: every command with a domain comes by here.
        var (hasSlash, hasDots, hasControl) = (false, false, false)
        var last: UInt8 = 0
        for byte in bytes {
            if byte == UInt8(ascii: "/") { hasSlash = true }
            if byte == UInt8(ascii: "."), last == byte { hasDots = true }
            // The control characters of Unicode are U+0000 to U+001F and U+007F to U+009F.
            if byte < 0x20 || byte == 0x7f || (last == 0xc2 && byte < 0xa0) { hasControl = true }
            last = byte
        }
        if hasSlash { return "it contains a slash" }
        if hasDots { return "it contains two dots in a row" }
        if hasControl { return "it contains a control character" }
        if name == Key(globalFileName) { return "the global domain is called \(global)" }
        return nil
    }

    /// The file names of a domain for any host, the one that is written first; the others are read where it is missing.
    ///
    /// Foundation on Linux keeps two files for the global domain, of which its own lookups search
    /// `.GlobalPreferences.plist` only.
    static func fileNames(of domain: Key) -> [String] {
        domain == global ? [globalFileName + suffix, global.string + suffix] : [domain.string + suffix]
    }

    /// The file names of a domain for one host, in the folder `ByHost`, the one that is written first.
    ///
    /// Foundation on Linux has an empty host identifier: `<domain>..plist`.
    static func fileNames(of domain: Key, machineID: String?) -> [String] {
        let stem = domain == global ? globalFileName : domain.string
        let foreign = stem + "." + suffix
        guard let machineID else { return [foreign] }
        return ["\(stem).\(machineID)\(suffix)", foreign]
    }

    /// The domain that a file name in a folder of preferences belongs to; `nil` for the global domain and for files
    /// that are no domain's.
    static func domain(ofFileNamed name: String) -> Key? {
        guard name.hasSuffix(suffix) else { return nil }
        let domain = Key(String(name.dropLast(suffix.count)))
        guard domain != global, !name.hasPrefix("."), mistake(in: domain) == nil else { return nil }
        return domain
    }
}
