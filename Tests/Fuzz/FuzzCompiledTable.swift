// seeds: Tests/Fuzz/Seeds/FuzzCompiledTable
import Platform
import PropertyList

@testable import Policy

/// Feeds the reader of compiled tables, behind a right checksum; whatever opens is resolved for somebody.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    // Magic, version, size and sums stand in the way of everything else.
    let bytes = TableFormat.sealed(Array(UnsafeBufferPointer(start: start, count: count)))
    guard let pages = try? TablePages(bytes), let table = (try? CompiledTable(checking: pages, root: nil)) ?? nil
    else { return 0 }
    let subject = Subject(
        userName: "alice", uid: 1001, gid: 2001, groups: [2001, 2003], home: "/home/alice", host: table.host,
        tags: (try? table.tags()) ?? [],
        moment: Moment(time: Timestamp(microseconds: 0), zones: ZoneDatabase(root: .system)))
    _ = try? table.resolve(for: subject)
    _ = try? table.forcedEntry(domain: "org.example.App", key: "Level", for: subject)
    _ = try? table.resolve(for: subject, in: ["org.example.App", "NSGlobalDomain"], ownTags: true)
    return 0
}
