import MDPlatform
import MDPropertyList

@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel

/// What a table is compiled of: every field of a policy file, in the format of today.
private let sources = [
    """
    { "Identifier": "org.example.a", "Version": 3, "Enforced": true, "Contact": "room 12", "OnOverride": "shadow",
      "Temporary": { "Kind": "exam", "Set": "s", "Until": "2999-01-01T00:00:00Z", "By": "b", "Reason": "r" },
      "Target": { "Users": ["alice", "x"], "Groups": ["g"], "Hosts": ["room*"], "Tags": ["lab"],
        "Except": { "Users": ["bob"] }, "NotBefore": "1960-01-01T00:00:00Z", "NotAfter": "2999-01-01T00:00:00Z",
        "Schedule": ["week", { "Days": ["Thu"], "From": "00:00", "To": "12:00", "TimeZone": "UTC" }] },
      "Forced": { "org.example.App": { "Level": 1, "Page": "https://${user}/", "List": [1, "a", { "b": 2.5 }] } },
      "Absent": { "org.example.App": ["Proxy"] }, "Sealed": ["org.example.Kiosk"],
      "Calendars": { "week": [{ "From": "00:00", "To": "24:00", "TimeZone": "UTC" }] } }
    """,
    """
    { "Identifier": "org.example.b", "Forced": { "org.example.App": { "List": ["c"], "Data": { "$data": "AAEC" } } },
      "Recommended": { "NSGlobalDomain": { "Metric": true } }, "SetOnce": { "org.example.App": { "Size": 14 } },
      "Combine": { "org.example.App": { "List": "union" } },
      "Constraints": { "org.example.App": { "Volume": { "Minimum": 1, "Maximum": 70 },
        "Mode": { "OneOf": ["a", "b"] }, "Name": { "Pattern": "[a-z]+" } } },
      "Waivers": [{ "Users": ["alice"], "Domain": "org.example.App", "Key": "Data", "Until": "2999-01-01T00:00:00Z",
        "Reason": "r", "ApprovedBy": "a" }],
      "Metadata": { "org.example.App": { "Level": { "Title": "t", "Description": "d", "Controls": ["CIS 1"],
        "Sensitive": true } } } }
    """,
]

/// What manifests say.
private let manifests: CompiledManifests = {
    var secrets = ManifestSecrets()
    (secrets.domains, secrets.keys) = (["org.example.Lost"], ["org.example.App": ["Token", "Pin"]])
    guard let witness = try? FileFingerprint("etc", .identity, root: .system) else { fatalError("there is no /etc") }
    return CompiledManifests(witnesses: [witness], secrets: secrets)
}()

/// A whole table, without its sums.
private let whole: [UInt8] = {
    let files = sources.enumerated().map { number, text in
        let path = "/etc/managed-defaults/policies.d/\(number).json"
        let parsed = PolicyFile.parse(bytes: Array(text.utf8), path: path)
        guard let policy = parsed.file else { fatalError("\(parsed.diagnostics)") }
        return PolicyFileState(
            path: path, policy: policy, diagnostics: [])
    }
    let names = AccountIDs(users: ["alice": .id(1001), "x": .unknown, "bob": .id(7)], groups: ["g": .id(2001)])
    let bytes = CompiledTable.compile(
        PolicySet(files: files, names: names), host: "room1-pc03.lab.example", tags: ["lab"], surroundings: [],
        sources: [], manifests: manifests)
    guard let bytes, let end = try? bytes.withUnsafeBytes({ try TableFormat.bodyEnd($0) }) else {
        fatalError("the table is not compiled")
    }
    return Array(bytes[..<end])
}()

/// Feeds the reader of compiled tables, behind right checksums; whatever opens is resolved for somebody.
///
/// An input is what is changed in a table of this version: groups of four bytes, an offset of two, what is done, and a
/// byte. So no seed grows old. Behind a first byte of 0xff, the rest is the table itself.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    var table = whole
    if input.first == 0xff {
        table = Array(input.dropFirst())
    } else {
        for group in stride(from: 0, to: input.count - 3, by: 4) {
            let offset = TableFormat.generationOffset + (Int(input[group]) << 8 | Int(input[group + 1]))
            guard offset < table.count else { continue }
            let byte = input[group + 3]
            switch input[group + 2] {
            case 0: table[offset] = byte
            case 1: table[offset] = table[offset] &+ byte
            case 2: table.removeLast(min(Int(byte), table.count - offset))
            case 3: table += table[offset...].prefix(Int(byte))
            case 4: table.swapAt(offset, max(TableFormat.generationOffset, offset - Int(byte)))
            default: table[offset] ^= byte
            }
        }
    }
    let bytes = TableFormat.sealed(table)
    guard let pages = try? TablePages(bytes), let table = (try? CompiledTable(checking: pages, root: nil)) ?? nil
    else { return 0 }
    let subject = Subject(
        userName: "alice", uid: 1001, gid: 2001, groups: [2001, 2003], home: "/home/alice", host: table.host,
        tags: (try? table.tags()) ?? [],
        moment: Moment(time: Timestamp(microseconds: 0), zones: ZoneDatabase(root: .system)))
    let found = try? table.resolve(for: subject)
    for key: Key in ["Level", "Page", "List", "Proxy", "Data", "Volume", "Missing"] {
        let entry = try? table.forcedEntry(domain: "org.example.App", key: key, for: subject)
        // Nothing was changed, so that the driver itself is known to work.
        if input.isEmpty, entry == nil, !["Volume", "Data", "Missing"].contains(key) { fatalError("\(key) is free") }
    }
    if input.isEmpty, found == nil { fatalError("the table does not resolve") }
    let secrets = (try? table.manifestSecrets(root: nil)) ?? nil
    if input.isEmpty, secrets != manifests.secrets { fatalError("the table has other secrets") }
    _ = try? table.manifestSecrets(root: .system)
    _ = try? table.resolve(for: subject, in: ["org.example.App", "NSGlobalDomain"], ownTags: true)
    return 0
}
