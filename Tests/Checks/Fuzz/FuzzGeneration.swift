import MDPlatform
import MDPolicyModel

@testable import MDPolicyAdministration
@testable import MDPolicyFormats
@testable import MDPolicyStore

/// Feeds the reader of the manifests of generations, with the right checksum at the end as well.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    for bytes in [bytes, bytes + Array("sha256 \(SHA256.hash(bytes).hex)\n".utf8)] {
        let generation: Generation
        do throws(StoredFileError) {
            generation = try Generation(decoding: bytes)
        } catch {
            guard !error.description.isEmpty else { fatalError("a mistake has no message") }
            continue
        }
        let written = generation.encoded()
        guard (try? Generation(decoding: written))?.encoded() == written else { fatalError("a manifest changed") }
    }
    return 0
}
