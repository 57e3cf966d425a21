import MDEngine
import MDPlatform
import MDPropertyList

/// Feeds the reader of facts about another host.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do throws(HostFactsError) {
        let facts = try HostFacts(reading: bytes)
        guard !facts.host.full.isEmpty else { fatalError("a host has no name") }
        let names = Set(facts.users.map { Key($0.name) })
        guard names.count == facts.users.count else { fatalError("two users of a name") }
    } catch {
        guard !error.message.isEmpty else { fatalError("a mistake has no message") }
    }
    return 0
}
