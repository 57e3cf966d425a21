import Foundation
import Platform
import Policy
import PropertyList
import Testing

/// A folder that stands for a machine, made for one test and removed after it.
final class TestMachine {
    /// The folder.
    let directory: URL
    /// The root that stands for it.
    let root: Root

    /// Makes a machine with two users and a policy directory, or a copy of a fixture.
    init(copying fixture: URL? = nil) throws {
        let base = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        directory = base.appendingPathComponent("policy-\(UUID().uuidString)")
        if let fixture {
            try FileManager.default.copyItem(at: fixture, to: directory)
        } else {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path)
        root = try Root(directory: directory.path)
        guard fixture == nil else { return }
        try write(
            "/etc/passwd",
            "alice:x:1001:2001:Alice:/home/alice:/bin/sh\nbob:x:1002:2002:Bob:/home/bob:/bin/sh\n")
        try write("/etc/group", "students:x:2001:\nteachers:x:2002:\nchess:x:2003:alice\n")
        try write("/etc/hostname", "room1-pc03.lab.example\n")
        try makeDirectory("/etc/managed-defaults/policies.d")
    }

    deinit {
        // A test may have taken the permission away that removing needs.
        for path in ["/etc/managed-defaults/policies.d", "/etc/managed-defaults"] { try? setMode(path, 0o755) }
        try? FileManager.default.removeItem(at: directory)
    }

    /// The place of a path of the machine.
    func url(_ path: String) -> URL { URL(fileURLWithPath: directory.path + path) }

    /// Makes a directory with those above it.
    func makeDirectory(_ path: String) throws {
        try FileManager.default.createDirectory(
            at: url(path), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    }

    /// Writes a file, not group-writable whatever the umask says.
    func write(_ path: String, _ text: String) throws { try write(path, Array(text.utf8)) }

    /// Writes a file, not group-writable whatever the umask says.
    func write(_ path: String, _ bytes: [UInt8]) throws {
        try makeDirectory((path as NSString).deletingLastPathComponent)
        try Data(bytes).write(to: url(path))
        try setMode(path, 0o644)
    }

    /// Changes the mode of a file or directory.
    func setMode(_ path: String, _ mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url(path).path)
    }

    /// Removes a file or directory.
    func remove(_ path: String) throws { try FileManager.default.removeItem(at: url(path)) }

    /// Makes a symbolic link.
    func link(_ path: String, to target: String) throws {
        try makeDirectory((path as NSString).deletingLastPathComponent)
        try FileManager.default.createSymbolicLink(atPath: url(path).path, withDestinationPath: target)
    }

    /// The names in a directory; none where it is missing.
    func names(_ path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url(path).path)) ?? []).sorted()
    }

    /// The content of a file.
    func read(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: url(path))) }

    /// Writes a policy into the administrator's directory that forces one key of `org.example.App`.
    func force(_ name: String, _ value: Int, more: String = "", place: String = "etc") throws {
        let policy = """
            { "Identifier": "edu.example.\(name.split(separator: ".")[0].filter(\.isLetter))", \(more)
              "Forced": { "org.example.App": { "Level": \(value) } } }
            """
        try write("/\(place)/managed-defaults/policies.d/\(name)", policy)
    }

    /// Reads policy, as any program does.
    func load() -> PolicySet { PolicyStore(root: root).load() }

    /// Records policy, as `policy apply` does; two listings need not lie as far apart.
    @discardableResult
    func apply(
        keeping limit: Int = 20, report: ([PolicyChange]) -> Bool = { _ in true }
    ) -> ApplyResult {
        PolicyStore(root: root, settlingTime: 1_000).apply(keeping: limit, report: report)
    }

    /// A user of the machine.
    func subject(_ name: String = "alice", host: String? = nil) throws -> Subject {
        let accounts = AccountDatabase(root: root)
        let account = try #require(accounts.account(named: name))
        let groups = accounts.groups(of: account)
        let names = groups.compactMap { accounts.groupName($0) }
        let host = host.flatMap { HostName($0) } ?? Machine.hostName(root: root)
        return Subject(
            userName: account.name, uid: account.uid, gid: account.gid, groups: groups, groupNames: names,
            home: account.home, host: host, tags: load().tags ?? [],
            moment: Moment(time: Clock.now(), zones: ZoneDatabase(root: root)))
    }

    /// What a loaded set forces for `Level` of `org.example.App`.
    func level(in set: PolicySet? = nil, user: String = "alice") throws -> Value? {
        let set = set ?? load()
        return set.resolve(for: try subject(user)).forcedEntry(domain: "org.example.App", key: "Level")?.value
    }
}
