import MDPolicyAdministration
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// Feeds the reader of manifests; every key of what loads judges a few values.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let parsed = Manifest.parse(bytes: bytes, shownPath: "m.plist")
    guard parsed.manifest != nil || !parsed.diagnostics.isEmpty else {
        fatalError("a manifest is refused without a word")
    }
    for finding in parsed.diagnostics where finding.severity == .error { fatalError("\(finding)") }
    guard let manifest = parsed.manifest else { return 0 }
    let values: [Value] = [
        .string("a"), .integer(Integer(7)), .real(0.5), .boolean(true), .date(0), .data([1]), .array([.string("x")]),
        .array([.dictionary(["Name": .integer(Integer(1))])]), .dictionary(["Name": .string("b")]),
    ]
    for key in manifest.keys.values {
        for value in values {
            if let objection = key.objection(to: value), objection.isEmpty { fatalError("an objection without words") }
        }
    }
    return 0
}
