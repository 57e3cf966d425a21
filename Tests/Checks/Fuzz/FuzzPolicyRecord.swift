import MDPlatform
import MDPolicyModel

@testable import MDPolicyFormats
@testable import MDPolicyStore

/// Feeds the reader of the policy record, with the right checksum at the end as well, which a damaged file never has.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let sealed = bytes + Array("sha256 \(SHA256.hash(bytes).hex)\n".utf8)
    for bytes in [bytes, sealed] {
        let record: PolicyRecord
        do throws(StoredFileError) {
            record = try PolicyRecord(decoding: bytes)
        } catch {
            guard !error.description.isEmpty else { fatalError("a mistake has no message") }
            continue
        }
        do throws(StoredFileError) {
            let written = record.encoded()
            guard try PolicyRecord(decoding: written).encoded() == written else { fatalError("a record changed") }
        } catch {
            fatalError("what was written does not read: \(error)")
        }
    }
    return 0
}
