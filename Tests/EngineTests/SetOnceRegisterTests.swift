import Engine
import Platform
import Policy
import PropertyList
import Testing

/// What root remembers of the marks in users' state folders.
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
                SetOnceMark(domain: "ä\n.", key: "mark .x\nsha256 0", policy: "%", occasion: ""),
            ], of: owner(1000, "alice"))
        register.set(
            [SetOnceMark(domain: "d", key: "k", policy: "p", occasion: "no version")], of: owner(1000, "al ice\n"))
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
            #expect(throws: TableError.self) { try SetOnceRegister(decoding: damaged) }
            #expect(throws: TableError.self) { try SetOnceRegister(decoding: Array(bytes.prefix(index))) }
        }
    }

    @Test func `lines that make no sense are refused, whatever their seal`() {
        for line in [
            ["mark", ".d", ".k", ".p", ".o"], ["user", "x", ".a"], ["user", "1", "a"], ["user", "1"], ["other"],
        ] {
            var lines = SealedLines(header: "managed-defaults set-once register 1")
            lines.add(line)
            #expect(throws: TableError.self) { try SetOnceRegister(decoding: lines.sealed) }
        }
    }

    @Test func `no user has more than so many marks`() {
        var register = SetOnceRegister()
        let marks = (0..<5_000).map { SetOnceMark(domain: "d", key: Key("\($0)"), policy: "p", occasion: "") }
        register.set(marks, of: SetOnceRegisterTests.owner(1, "a"))
        #expect(register.marks.values.map(\.count) == [4_096])
        #expect(register.marks.values.first?.last?.key == "4999")
    }
}
