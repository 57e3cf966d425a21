import MDPlatform
import MDPolicyModel

@testable import MDEngine
@testable import MDPolicyFormats
@testable import MDPolicyStore

/// Feeds the reader of the register of what was set once, with the right checksum at the end as well.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    for bytes in [bytes, bytes + Array("sha256 \(SHA256.hash(bytes).hex)\n".utf8)] {
        do throws(StoredFileError) {
            let register = try SetOnceRegister(decoding: bytes)
            let written = register.encoded()
            guard try SetOnceRegister(decoding: written).encoded() == written else { fatalError("a register changed") }
        } catch {
            guard !error.description.isEmpty else { fatalError("a mistake has no message") }
        }
    }
    return 0
}
