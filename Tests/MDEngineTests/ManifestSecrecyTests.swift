import Glibc
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDEngine
@testable import MDPolicyCore

/// What is secret by a manifest is known without reading one.
struct ManifestSecrecyTests {
    @Test func `no manifest is opened as long as the compiled table has its answer`() throws {
        let machine = try TemporaryMachine(.classroom)
        try machine.policy("10-a.json", #"{ "Identifier": "a", "Forced": { "m.n": { "Token": "x" } } }"#)
        let manifest = "etc/managed-defaults/manifests.d/m.n.plist"
        try machine.write(
            manifest,
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>pfm_domain</key><string>m.n</string><key>pfm_subkeys</key><array>
            <dict><key>pfm_name</key><string>Token</string><key>pfm_sensitive</key><true/></dict></array></dict></plist>
            """)
        _ = try machine.mdefaults(["policy", "apply"])
        try #require(CompiledTable.manifestSecrets(root: machine.root) != nil)
        let watch = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        try #require(watch >= 0)
        defer { close(watch) }
        try #require(inotify_add_watch(watch, machine(manifest), UInt32(IN_OPEN)) >= 0)
        /// Whether the manifest was opened since the last call.
        func isOpened() -> Bool {
            var events = [UInt8](repeating: 0, count: 4_096)
            return unsafe read(watch, &events, events.count) > 0
        }
        #expect(ManifestSecrecy.isSensitive("Token", in: ["m.n"], root: machine.root))
        #expect(!ManifestSecrecy.isSensitive("Other", in: ["m.n", "a.b"], root: machine.root))
        #expect(!isOpened())
        try machine.remove("var/lib/managed-defaults/policy.table")
        #expect(ManifestSecrecy.isSensitive("Token", in: ["m.n"], root: machine.root))
        #expect(isOpened())
    }
}
