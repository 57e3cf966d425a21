@testable import MDPolicyFormats

/// Feeds the reader of signed messages, whose content is never longer than the message.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if let content = CMSMessage.content(of: bytes), content.count > bytes.count { fatalError("content from nowhere") }
    return 0
}
