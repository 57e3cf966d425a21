import MDPolicyCore
import MDPolicyModel
import MDPropertyList

/// Feeds the pattern engine: the first line is the pattern, the rest the string.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let end = bytes.firstIndex(of: 0x0a) ?? bytes.endIndex
    let text = String(decoding: bytes[..<end], as: UTF8.self)
    let string = String(decoding: bytes[end...].dropFirst().prefix(256), as: UTF8.self)
    do {
        let pattern = try ConstraintPattern(text)
        let constraint = Constraint(pattern: pattern)
        let isMatch = pattern.matches(string)
        guard (constraint.verdict(on: .string(string)) == .allowed) == isMatch else { fatalError("two answers") }
    } catch {
        guard !error.message.isEmpty, error.offset <= text.unicodeScalars.count else { fatalError("\(error)") }
    }
    return 0
}
