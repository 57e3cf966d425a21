package import MDPlatform

/// The two policy directories; the raw value names one in the policy record.
package enum PolicyDirectory: String, Hashable, Sendable, CaseIterable {
    /// The administrator's directory.
    case etc
    /// The directory for policy until the next boot.
    case run

    /// The parent directory, whose existence shows that the machine is managed.
    package var home: String {
        switch self {
        case .etc: "/etc/managed-defaults"
        case .run: "/run/managed-defaults"
        }
    }

    /// The path of the directory.
    package var directory: String {
        switch self {
        case .etc: "/etc/managed-defaults/policies.d"
        case .run: "/run/managed-defaults/policies.d"
        }
    }

    /// The path of a file of the directory.
    package func path(_ name: String) -> String { "\(directory)/\(name)" }

    /// Whether a machine has one of the directories, that of the policy record or the audit service's socket, and so may
    /// have policy.
    ///
    /// Four system calls; a path whose existence is unknown counts as existing.
    package static func mayExist(in root: Root) -> Bool {
        root.mayExist(PolicyDirectory.etc.home) || root.mayExist(PolicyDirectory.run.home)
            || root.mayExist(StorePath.home) || root.mayExist(RunFolder.serviceSocket)
    }
}

/// The rules for file names in a policy directory.
package enum PolicyFileName {
    package enum Kind: Hashable, Sendable {
        /// JSON with comments.
        case json
        /// A property list in XML, binary or OpenStep text.
        case propertyList
        /// An Apple profile.
        case profile
    }

    /// The longest name that is read, in bytes: a file name without the number and digest of a recorded copy.
    package static let longest = 160

    /// The kind of a file name's suffix; `nil` for any other suffix.
    package static func kind(of path: String) -> Kind? {
        if hasSuffix(path, ".json") { return .json }
        if hasSuffix(path, ".plist") { return .propertyList }
        if hasSuffix(path, ".mobileconfig") { return .profile }
        return nil
    }

    /// The name of a file without its folder and the suffix of a policy file: the identifier of a file that has none.
    package static func stem(of path: String) -> String {
        let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) }
        let name = path.utf8[(start ?? path.utf8.startIndex)...]
        let suffix = [".json", ".plist", ".mobileconfig"].first { hasSuffix(path, $0) } ?? ""
        guard name.count > suffix.utf8.count else { return String(Substring(name)) }
        return String(Substring(name.dropLast(suffix.utf8.count)))
    }

    /// The file that a signature file belongs to; `nil` for a name that is not that of a signature.
    package static func signed(_ name: String) -> String? {
        hasSuffix(name, ".sig") ? String(name.utf8.dropLast(4)) : nil
    }

    /// Why a file name is ignored, in words; `nil` for the name of a policy file.
    package static func reasonToIgnore(_ name: String) -> String? {
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

    /// The suffixes of files that editors and package managers leave.
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
        // Compared from the end, since the last bytes differ most often.
        for index in suffix.indices.reversed() where text[text.count - suffix.count + index] != suffix[index] {
            return false
        }
        return true
    }
}

/// The paths of the stored state of policy.
package enum StorePath {
    /// The directory of all stored state.
    package static let home = "/var/lib/managed-defaults"
    /// The lock of every writer.
    package static let lock = "\(home)/policy.lock"
    /// The policy record: digests of the files in force, ids of names, host and tags.
    package static let record = "\(home)/policy.record"
    package static let table = "\(home)/policy.table"
    /// The file whose time says when policy was last applied.
    package static let clock = "\(home)/policy.clock"
    /// The recorded copies.
    package static let good = "\(home)/good"
    /// The generations of the policy directory.
    package static let generations = "\(home)/generations"
    /// The contents of the generations, each named by its digest.
    package static let objects = "\(generations)/objects"
    /// Exams and grants that outlast a boot; `/run` follows it.
    package static let temporary = "\(home)/temporary"
    /// The reasons of grants, which not everybody may read.
    package static let reasons = "\(home)/reasons"
    /// When exams and grants were last seen, and by which clock.
    package static let temporaryClock = "\(home)/temporary.clock"
    /// The file with the tags of the machine.
    package static let tags = "/etc/managed-defaults/tags"
}
