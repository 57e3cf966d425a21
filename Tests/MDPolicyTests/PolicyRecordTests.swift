import MDPlatform
import MDPropertyList
import MDTools
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// What policy remembers, as text.
struct PolicyRecordTests {
    /// A digest.
    private static let digest = SHA256.hash([1])

    @Test func `a record reads as it was written`() throws {
        var record = PolicyRecord()
        (record.host, record.tags, record.boot) = ("a.b", ["x", "ü %"], "00000000-0000-4000-8000-000000000001")
        record.names = AccountIDs(users: ["a b": .id(7), "-": .id(0)], groups: ["g": .id(.max)])
        record.trust = [.ssh: Self.digest]
        record.verified[Self.digest] = Verification(
            verifier: .ssh, signature: SHA256.hash([2]), trust: SHA256.hash([3]), signer: "a b",
            until: Timestamp(microseconds: -1))
        for (name, number) in [("a b", 1), ("-", .max)] as [(String, UInt64)] {
            let isAdded = record.versions.add(number, for: Key(name))
            #expect(isAdded)
        }
        let states: [PolicyRecord.Entry.State] = [.current, .lastGood, .none, .mask]
        for (number, state) in states.enumerated() {
            let digest = state == .current || state == .lastGood ? SHA256.hash([UInt8(number)]) : nil
            for (place, name) in [(PolicyDirectory.etc, "\(number).json"), (.run, "\(number) ä.json")] {
                record.files[PolicyRecord.FileName(place: place, name: Key(name))] = .init(state: state, digest: digest)
            }
        }
        #expect(try PolicyRecord(decoding: record.encoded()) == record)
        #expect(record.digests.count == 2)
        #expect(try PolicyRecord(decoding: PolicyRecord().encoded()) == PolicyRecord())
    }

    @Test func `what a later version adds is kept as it is`() throws {
        var record = PolicyRecord()
        record.engine = "9.0"
        record.readers = [Self.digest: "10.0"]
        record.others = [["spelling", "a", "", "b"], ["zone", "UTC"]]
        record.files[PolicyRecord.FileName(place: .etc, name: "a.json")] = .init(state: .mask)
        let decoded = try PolicyRecord(decoding: record.encoded())
        #expect(decoded == record)
        #expect(decoded.encoded() == record.encoded())
        #expect(decoded.reader(of: Self.digest) == "10.0")
        #expect(decoded.reader(of: SHA256.hash([9])) == "9.0")
    }

    @Test func `the record of the version before reads`() throws {
        var lines = ChecksummedLines(header: "managed-defaults policy record 5")
        lines.add("file", "etc", "a.json", "mask", "-")
        let record = try PolicyRecord(decoding: lines.sealed)
        #expect(record.engine == nil)
        #expect(record.files.count == 1)
    }

    @Test func `the record of a later version names its versions, but not if it is damaged`() throws {
        var lines = ChecksummedLines(header: "managed-defaults policy record 7")
        #expect(PolicyRecord.newerEngine(lines.sealed)?.least == "of a later version")
        lines.add("engine", "9.1", "9.0")
        #expect(throws: StoredFileError.self) { try PolicyRecord(decoding: lines.sealed) }
        let found = PolicyRecord.newerEngine(lines.sealed)
        #expect(found?.writer == "9.1" && found?.least == "9.0")
        var bytes = lines.sealed
        bytes[bytes.count / 3] ^= 1
        #expect(PolicyRecord.newerEngine(bytes) == nil)
        for other in [PolicyRecord().encoded(), [], [0x0a]] { #expect(PolicyRecord.newerEngine(other) == nil) }
    }

    @Test func `a name without an id is not recorded`() throws {
        var record = PolicyRecord()
        record.names = AccountIDs(users: ["a": .unknown, "b": .id(1)])
        #expect(try PolicyRecord(decoding: record.encoded()).names.users == ["b": .id(1)])
    }

    @Test(arguments: [
        "", "engine", "engine 1", "engine %zz 1", "reader 00 1", "reader \(digest.hex)", "host", "host a b", "user a",
        "user a x", "user a -1", "group a 4294967296", "boot", "version a", "version a 0", "version a -1",
        "version a 18446744073709551616", "version a 1 2",
        "trust ssh 00", "trust other \(digest.hex)", "verified ssh \(digest.hex)", "file etc a.json current -",
        "file etc a.json mask \(digest.hex)", "file etc a.json none \(digest.hex)", "file etc a.json last-good -",
        "file var a.json mask -", "file etc a.json other -", "file etc a.json current 00", "file etc  mask -",
    ])
    func `a line that does not read makes the record unusable`(_ line: String) {
        var lines = ChecksummedLines(header: PolicyRecord.header)
        lines.add(line.split(separator: " ", omittingEmptySubsequences: false).map(String.init))
        #expect(throws: StoredFileError.self) { try PolicyRecord(decoding: lines.sealed) }
    }

    @Test(arguments: [
        "engine 1 1", "reader \(digest.hex) 1", "host a", "tags a", "boot a", "user a 1", "group a 1", "version a 1",
        "trust ssh \(digest.hex)", "file etc a.json mask -",
        "file run a.json current \(digest.hex)",
    ])
    func `nothing is said twice`(_ line: String) throws {
        var lines = ChecksummedLines(header: PolicyRecord.header)
        let fields = line.split(separator: " ").map(String.init)
        lines.add(fields)
        _ = try PolicyRecord(decoding: lines.sealed)
        lines.add(fields)
        #expect(throws: StoredFileError.self) { try PolicyRecord(decoding: lines.sealed) }
    }

    @Test func `what is recorded of run holds for its boot, and an unknown boot ends nothing`() {
        var record = PolicyRecord()
        for place in PolicyDirectory.allCases {
            record.files[PolicyRecord.FileName(place: place, name: "a.json")] = .init(state: .mask)
        }
        record.boot = "a"
        #expect(record.entries(of: .run, boot: "a").count == 1)
        #expect(record.entries(of: .run, boot: nil).count == 1)
        #expect(record.entries(of: .run, boot: "b").isEmpty)
        #expect(record.entries(of: .etc, boot: "b").count == 1)
        record.boot = nil
        #expect(record.entries(of: .run, boot: "b").count == 1)
    }
}
