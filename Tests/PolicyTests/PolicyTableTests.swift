import Platform
import PropertyList
import Testing

@testable import Policy

/// What policy remembers, as text.
struct PolicyTableTests {
    @Test
    func `Zones are recorded by their names, and the machine's own without one`() throws {
        var table = PolicyTable()
        table.zones = [Key(""): SHA256.hash([1]), Key("Europe/Zurich"): SHA256.hash([2]), Key("-"): SHA256.hash([3])]
        let lines = String(decoding: table.encoded(), as: UTF8.self).split(separator: "\n")
        #expect(lines.contains("zone \(SHA256.hash([1]))"))
        #expect(lines.contains("zone Europe/Zurich \(SHA256.hash([2]))"))
        #expect(try PolicyTable(decoding: table.encoded()) == table)
    }

    @Test(arguments: ["zone", "zone -", "zone a b c", "zone Europe/Zurich 00"])
    func `A line of a zone that does not read makes the record unusable`(_ line: String) {
        var lines = SealedLines(header: PolicyTable.header)
        lines.add(line.split(separator: " ").map(String.init))
        #expect(throws: TableError.self) { try PolicyTable(decoding: lines.sealed) }
    }

    @Test
    func `A zone stands in the record once`() {
        var lines = SealedLines(header: PolicyTable.header)
        for _ in 0..<2 { lines.add("zone", "UTC", SHA256.hash([1]).hex) }
        #expect(throws: TableError.self) { try PolicyTable(decoding: lines.sealed) }
    }
}
