import Platform

@testable import Policy

/// Feeds the reader of the policy table, with the right checksum at the end as well, which a damaged file never has.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let sealed = bytes + Array("sha256 \(SHA256.hash(bytes).hex)\n".utf8)
    for bytes in [bytes, sealed] {
        let table: PolicyTable
        do throws(TableError) {
            table = try PolicyTable(decoding: bytes)
        } catch {
            guard !error.description.isEmpty else { fatalError("a mistake has no message") }
            continue
        }
        do throws(TableError) {
            let written = table.encoded()
            guard try PolicyTable(decoding: written).encoded() == written else { fatalError("a table changed") }
        } catch {
            fatalError("what was written does not read: \(error)")
        }
    }
    return 0
}
