import Foundation

/// A fresh machine in a temporary folder for one run of one row: a home, and policy if the row has some.
final class Home {
    /// The folder.
    let path: String
    /// The library that the files are for.
    private let subject: Subject
    /// The user and group that own the files.
    private let owner: (user: uid_t, group: gid_t)

    /// Makes the folder and the files of a row.
    init(for row: Row, of subject: Subject, owner: (user: uid_t, group: gid_t)) throws {
        path = NSTemporaryDirectory() + "conformance-" + UUID().uuidString
        self.subject = subject
        self.owner = owner
        try make(path + "/home/alice")
        let users = ["alice": owner.user, "bob": owner.user + 1]
        let entries = users.map { "\($0):x:\($1):\(owner.group)::/home/\($0):/bin/sh\n" }
        try write(entries.joined(), to: "etc/passwd")
        try write("users:x:\(owner.group):\n", to: "etc/group")
        try write("room1-pc01\n", to: "etc/hostname")
        try write("3f1c9a5e7b2d4c608e91a7d05b64f2c3\n", to: "etc/machine-id")
        for (index, policy) in row.policies.enumerated() {
            try write(policy, to: "etc/managed-defaults/policies.d/1\(index)-row.json")
        }
        if subject == .gnustep {
            try write("GNUSTEP_USER_DEFAULTS_DIR=\(path)/home/alice/Defaults\n", to: "etc/GNUstep.conf")
        }
        for file in row.files {
            if let place = place(of: file.domain, file.kind) { try replace(place, with: file.content) }
        }
        if owner.user != geteuid() { try giveAway() }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The preference file of a domain, if the subject has such files; `nil` if it has no such place.
    func place(of domain: String, _ kind: PreparedFile.Kind = .user) -> String? {
        let home = path + (kind == .other ? "/home/bob" : "/home/alice")
        return switch subject {
        case .gnustep: kind == .host ? nil : "\(home)/Defaults/\(domain).plist"
        case .managed, .subclass, .foundation:
            kind == .host
                ? "\(home)/.config/ByHost/\(fileName(domain))..plist"
                : "\(home)/.config/\(fileName(domain)).plist"
        }
    }

    /// A domain as its file is called.
    private func fileName(_ domain: String) -> String {
        domain == "NSGlobalDomain" ? ".GlobalPreferences" : domain
    }

    /// Puts a preference file in place as careful programs do: written beside it, then renamed.
    func replace(_ place: String, with content: Wire) throws {
        try make((place as NSString).deletingLastPathComponent)
        let data = try PropertyListSerialization.data(fromPropertyList: content.foundation, format: .xml, options: 0)
        try data.write(to: URL(fileURLWithPath: place + ".new"))
        chmod(place + ".new", 0o600)
        guard rename(place + ".new", place) == 0 else { throw CocoaError(.fileWriteUnknown) }
        if owner.user != geteuid() { chown(place, owner.user, owner.group) }
    }

    /// What the preference file of a domain has for a key.
    func stored(_ key: String, in domain: String) -> Wire {
        guard let place = place(of: domain), let data = try? Data(contentsOf: URL(fileURLWithPath: place)),
            let content = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any],
            let value = content[key]
        else { return .nothing }
        return Wire(foundation: value)
    }

    /// Makes the application's preference file and its folder read-only, or writable again.
    func setWritable(_ isWritable: Bool) {
        guard let place = place(of: "Conformance") else { return }
        chmod(place, isWritable ? 0o600 : 0o400)
        chmod((place as NSString).deletingLastPathComponent, isWritable ? 0o755 : 0o555)
    }

    /// Makes a folder that only its owner may change.
    private func make(_ folder: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    }

    /// Writes a file beneath the folder.
    private func write(_ text: String, to file: String) throws {
        let target = path + "/" + file
        try make((target as NSString).deletingLastPathComponent)
        try Data(text.utf8).write(to: URL(fileURLWithPath: target))
        chmod(target, 0o644)
    }

    /// Gives the folder to the user that the row runs as.
    private func giveAway() throws {
        chown(path, owner.user, owner.group)
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            chown(path + "/" + name, owner.user, owner.group)
        }
    }
}
