import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

// seeds: Examples/lab/etc/managed-defaults/policies.d Examples/lab/run/managed-defaults/policies.d

/// Feeds the policy parser in each of its formats; what loads is resolved, what does not must say why, and what is mended
/// has fewer findings and needs no further mending.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let host = HostName("room1-pc03.lab.example") else { fatalError("the host has no name") }
    for path in ["/etc/managed-defaults/policies.d/50-a.json", "/etc/managed-defaults/policies.d/50-a.plist"] {
        let parsed = PolicyFile.parse(bytes: bytes, path: path, refusing: .none)
        let mended = PolicyFile.fixed(bytes, path: path)
        if !mended.fixes.isEmpty {
            let again = PolicyFile.parse(bytes: mended.bytes, path: path, refusing: .none)
            // Behind padding, a file is read for the first time.
            let wasPadded = mended.fixes.contains { $0.code == .trailingContent }
            guard wasPadded || again.diagnostics.count < parsed.diagnostics.count else {
                fatalError("\(mended.fixes)")
            }
        } else if mended.bytes != bytes {
            fatalError("a file was changed without a word")
        }
        let hasError = parsed.diagnostics.contains { $0.severity == .error }
        guard (parsed.file == nil) == hasError else {
            fatalError("a file without a mistake does not load, or one with")
        }
        for finding in parsed.diagnostics {
            // Offsets count in UTF-8; the same text in UTF-16 takes half as much again.
            guard !finding.message.isEmpty, finding.position.offset <= 2 * count else { fatalError("\(finding)") }
        }
        guard let policy = parsed.file else { continue }
        let loaded = PolicyFileState(
            path: path, policy: policy, diagnostics: [])
        let subject = Subject(
            userName: "alice", uid: 1001, gid: 2001, groups: [2001], groupNames: ["students"], home: "/home/alice",
            host: host, tags: ["lab"],
            moment: Moment(time: Timestamp(microseconds: 0), zones: ZoneDatabase(root: .system)))
        for entry in PolicySet(files: [loaded]).resolve(for: subject).entries {
            guard entry.origin.policy == policy.identifier else { fatalError("an entry comes from nowhere") }
        }
    }
    return 0
}
