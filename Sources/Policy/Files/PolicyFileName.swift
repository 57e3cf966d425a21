/// What the name of a file in a policy directory says.
enum PolicyFileName {
    /// The kinds of policy file.
    enum Kind: Hashable, Sendable {
        /// JSON with comments.
        case json
        /// A property list in XML, binary or OpenStep text.
        case propertyList
        /// An Apple profile.
        case profile
    }

    /// The longest name that is read, in bytes: what the name of its good copy has left beside number and digest.
    static let longest = 160

    /// The kind that the suffix says; `nil` for any other suffix.
    static func kind(of path: String) -> Kind? {
        if hasSuffix(path, ".json") { return .json }
        if hasSuffix(path, ".plist") { return .propertyList }
        if hasSuffix(path, ".mobileconfig") { return .profile }
        return nil
    }

    /// The name of the file whose signature a name is; `nil` for a name that is none of a signature.
    static func signed(_ name: String) -> String? {
        hasSuffix(name, ".sig") ? String(name.utf8.dropLast(4)) : nil
    }

    /// Why a name is not read, in words; `nil` for the name of a policy file.
    static func reasonToIgnore(_ name: String) -> String? {
        if name.utf8.first == UInt8(ascii: ".") { return "begins with a dot" }
        if kind(of: name) != nil {
            if name.utf8.count > longest { return "is longer than \(longest) bytes" }
            if name.hasOnlyBytes({ $0 >= 0x20 && $0 < 0x7f }) { return nil }
            if name.unicodeScalars.contains("\u{fffd}") { return "is not valid UTF-8" }
            return PolicyName.hasControl(name) ? "contains a control character" : nil
        }
        if let (suffix, meaning) = leftovers.first(where: { hasSuffix(name, $0.suffix) }) {
            return "ends in \(suffix): \(meaning)"
        }
        if let suffix = [".json", ".plist", ".mobileconfig"].first(where: { hasSuffix(name.lowercased(), $0) }) {
            return "does not end in \(suffix): the suffix is written in lower case"
        }
        return "does not end in .json, .plist or .mobileconfig"
    }

    /// What editors and package managers leave behind.
    private static let leftovers: [(suffix: String, meaning: String)] = [
        ("~", "an editor's backup"),
        (".swp", "an editor's swap file"),
        (".swo", "an editor's swap file"),
        (".bak", "a backup"),
        (".orig", "what a merge left over"),
        (".rej", "what a patch could not apply"),
        (".tmp", "a temporary file"),
        (".dpkg-new", "not unpacked to the end by dpkg"),
        (".dpkg-old", "a version that dpkg replaced"),
        (".dpkg-dist", "a new version that dpkg did not install"),
        (".dpkg-tmp", "a temporary file of dpkg"),
        (".ucf-new", "a temporary file of ucf"),
        (".ucf-old", "a version that ucf replaced"),
        (".ucf-dist", "a new version that ucf did not install"),
        (".rpmsave", "a version that rpm replaced"),
        (".rpmorig", "a version that rpm replaced"),
        (".rpmnew", "a new version that rpm did not install"),
        (".pacnew", "a new version that pacman did not install"),
        (".pacsave", "a version that pacman replaced"),
        (".disabled", "switched off by its name"),
        (".off", "switched off by its name"),
    ]

    /// Whether a text ends in another, compared as bytes.
    static func hasSuffix(_ text: String, _ suffix: String) -> Bool {
        let (text, suffix) = (text.utf8.span, suffix.utf8.span)
        guard text.count >= suffix.count else { return false }
        // The last ones are most often enough to tell.
        for index in suffix.indices.reversed() where text[text.count - suffix.count + index] != suffix[index] {
            return false
        }
        return true
    }
}
