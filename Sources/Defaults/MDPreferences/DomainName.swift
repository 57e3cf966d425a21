package import MDPropertyList

/// Checks the names of domains and derives their file names.
///
/// A domain's name becomes part of a file name, and often comes from outside. Names that could refer to a file in
/// another folder, or to a file of another domain, are refused here, in one place for all callers.
package enum DomainName {
    /// The domain at the end of every application's search list.
    package static let global: Key = "NSGlobalDomain"

    /// The maximum length of a name in bytes.
    ///
    /// A file name has at most 255 bytes. The longest one derived from a domain is that of a damaged per-host file,
    /// `<domain>.<32 digits>.plist.damaged-<time>-<number>`: 75 bytes more than the domain.
    package static let maximumBytes = 180

    /// The suffix of every preference file.
    static let suffix = ".plist"
    /// The file name of the global domain without its suffix; it begins with a dot so that listings of a folder omit
    /// it.
    static let globalFileName = ".GlobalPreferences"

    /// Refuses a name that cannot be a domain.
    ///
    /// - Throws: `invalidDomain` for an empty name, one of more than ``maximumBytes`` bytes, one with `/`, `..` or a
    ///   control character, NUL included. `.GlobalPreferences` is refused too: as a second name of the global domain it
    ///   would bypass what applies to `NSGlobalDomain`.
    package static func validate(_ name: Key) throws(PreferencesError) {
        if let reason = problem(in: name) { throw .invalidDomain(name: name.string, reason: reason) }
    }

    /// The problem with a name, as the end of a sentence; `nil` for a valid one.
    private static func problem(in name: Key) -> String? {
        let bytes = name.string.utf8
        if bytes.isEmpty { return "it is empty" }
        if bytes.count > maximumBytes { return "it has \(bytes.count) bytes; at most \(maximumBytes) are allowed" }
        // A single pass over bytes, because every command with a domain runs this.
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

    /// The file names of a domain for any host; the first one is written.
    ///
    /// The others are read if the first is missing. Foundation on Linux has two files for the global domain; its own
    /// lookups search only `.GlobalPreferences.plist`.
    static func fileNames(of domain: Key) -> [String] {
        domain == global ? [globalFileName + suffix, global.string + suffix] : [domain.string + suffix]
    }

    /// The file names of a domain for one host, in the folder `ByHost`; the first one is written.
    ///
    /// Foundation on Linux has an empty host identifier: `<domain>..plist`.
    static func fileNames(of domain: Key, machineID: String?) -> [String] {
        let stem = domain == global ? globalFileName : domain.string
        let foreign = stem + "." + suffix
        guard let machineID else { return [foreign] }
        return ["\(stem).\(machineID)\(suffix)", foreign]
    }

    /// The domain of a file name in a folder of preferences; `nil` for the global domain and for other files.
    static func domain(ofFileNamed name: String) -> Key? {
        guard name.hasSuffix(suffix) else { return nil }
        let domain = Key(String(name.dropLast(suffix.count)))
        guard domain != global, !name.hasPrefix("."), problem(in: domain) == nil else { return nil }
        return domain
    }
}

/// Whether a domain applies on every host of a user, or on this one only.
package enum HostScope: String, Sendable, CaseIterable {
    /// The domain applies on every host that shares the home.
    case anyHost
    /// The domain applies on this host only, and comes before the other one.
    case thisHost
}
