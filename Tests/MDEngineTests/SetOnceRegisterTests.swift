import Foundation
import MDEngine
import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTestSupport
import MDTestTimes
import MDTools
import Testing

/// What root remembers of the marks in users' state folders.
@Suite(.timed)
struct SetOnceRegisterTests {
    /// A user.
    private static func owner(_ uid: UInt32, _ name: String) -> SetOnceRegister.Owner {
        SetOnceRegister.Owner(Account(name: name, uid: uid, gid: uid, fullName: "", home: "/home"))
    }

    /// A register with names that separate nothing.
    private static var sample: SetOnceRegister {
        var register = SetOnceRegister()
        register.set(
            [
                SetOnceMark(domain: "org.example.a", key: "", policy: "p", occasion: "version 1"),
                SetOnceMark(domain: "org.example.a", key: "-", policy: "p p", occasion: "stamp 2026-01-01T00:00:00Z"),
                SetOnceMark(domain: "ä\n.", key: "mark .x\nsha256 0", policy: "%", occasion: "", word: "w"),
            ].enumerated().map { .init($1, words: $0 == 1 ? nil : SHA256.hash([UInt8($0)])) }, of: owner(1000, "alice"))
        register.set(
            [.init(SetOnceMark(domain: "d", key: "k", policy: "p", occasion: "no version"), words: SHA256.hash([]))],
            of: owner(1000, "al ice\n"))
        return register
    }

    @Test func `what is written is read`() throws {
        let bytes = SetOnceRegisterTests.sample.encoded()
        #expect(try SetOnceRegister(decoding: bytes) == SetOnceRegisterTests.sample)
        #expect(try SetOnceRegister(decoding: SetOnceRegister().encoded()) == SetOnceRegister())
    }

    @Test func `any other byte, and any end, is noticed`() {
        let bytes = SetOnceRegisterTests.sample.encoded()
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 1
            #expect(throws: StoredFileError.self) { try SetOnceRegister(decoding: damaged) }
            #expect(throws: StoredFileError.self) { try SetOnceRegister(decoding: Array(bytes.prefix(index))) }
        }
    }

    @Test func `lines that make no sense are refused, whatever their seal`() {
        for line in [
            ["mark", ".d", ".k", ".p", ".o"], ["mark", ".d", ".k", ".p", ".o", SHA256.hash([]).hex],
            ["user", "x", ".a"], ["user", "1", "a"], ["user", "1"], ["other"],
        ] {
            var lines = ChecksummedLines(header: "managed-defaults set-once register 1")
            lines.add(line)
            #expect(throws: StoredFileError.self) { try SetOnceRegister(decoding: lines.sealed) }
        }
        for words in [[], ["0a"], ["-"], [SHA256.hash([]).hex, "x"]] as [[String]] {
            for number in 1...2 {
                var lines = ChecksummedLines(header: "managed-defaults set-once register \(number)")
                lines.add("user", "1", ".a")
                lines.add(["mark", ".d", ".k", ".p", ".o"] + words)
                let register = try? SetOnceRegister(decoding: lines.sealed)
                #expect((register != nil) == words.isEmpty)
            }
        }
    }

    @Test func `what would not be read any more is not written, and the one before stays`() throws {
        let folder = Scratch.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let root = try Root(directory: folder)
        try root.createDirectory("/var/lib/managed-defaults", mode: 0o755)
        let sample = SetOnceRegisterTests.sample
        try sample.write(root: root, limit: sample.encoded().count)
        var larger = sample
        larger.set(
            [.init(SetOnceMark(domain: "d", key: "k", policy: "p", occasion: ""), words: nil)],
            of: SetOnceRegisterTests.owner(7, "more"))
        #expect(throws: SystemError.self) { try larger.write(root: root, limit: larger.encoded().count - 1) }
        #expect(try SetOnceRegister(root: root) == sample)
        try larger.write(root: root)
        #expect(try SetOnceRegister(root: root) == larger)
    }

    @Test func `no user has more than so many marks`() {
        var register = SetOnceRegister()
        let marks = (0..<5_000).map {
            SetOnceRegister.Seen(
                SetOnceMark(domain: "d", key: Key("\($0)"), policy: "p", occasion: ""), words: SHA256.hash([]))
        }
        register.set(marks, of: SetOnceRegisterTests.owner(1, "a"))
        #expect(register.marks.values.map(\.count) == [4_096])
        #expect(register.marks.values.first?.last?.mark.key == "4999")
    }
}
