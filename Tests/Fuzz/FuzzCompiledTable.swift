// seeds: Tests/Fuzz/Seeds/FuzzCompiledTable
import Platform
import PropertyList

@testable import Policy

/// Feeds the reader of compiled tables, behind a right checksum; whatever opens is resolved for somebody.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard bytes.count >= TableFormat.headerSize else { return 0 }
    // Magic, version, size and checksum stand in the way of everything else.
    var header = TableWriter()
    header.raw(TableFormat.magic)
    header.word(TableFormat.version)
    header.count(bytes.count)
    header.long(0)
    bytes.replaceSubrange(0..<header.bytes.count, with: header.bytes)
    var sum = TableWriter()
    sum.long(TableFormat.checksum(bytes))
    bytes.replaceSubrange(TableFormat.checksumOffset..<(TableFormat.checksumOffset + 8), with: sum.bytes)
    guard let table = (try? CompiledTable(checking: bytes, root: nil)) ?? nil else { return 0 }
    let subject = Subject(
        userName: "alice", uid: 1001, gid: 2001, groups: [2001, 2003], home: "/home/alice", host: table.host,
        tags: (try? table.tags()) ?? [],
        moment: Moment(time: Timestamp(microseconds: 0), zones: ZoneDatabase(root: .system)))
    _ = try? table.resolve(for: subject)
    _ = try? table.forcedEntry(domain: "org.example.App", key: "Level", for: subject)
    return 0
}
