// seeds: Tests/MDPolicyTests/Fixtures/Profiles
import MDPlatform
import MDPolicyAdministration
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

/// Feeds the reader of profiles; what loads is converted, and the policy file that comes out loads with as many entries.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let parsed = PolicyFile.parse(bytes: bytes, path: "/etc/managed-defaults/policies.d/50-a.mobileconfig")
    let hasError = parsed.diagnostics.contains { $0.severity == .error }
    guard (parsed.file == nil) == hasError else { fatalError("a profile without a mistake does not load, or one with") }
    for finding in parsed.diagnostics {
        guard !finding.message.isEmpty, finding.position.offset >= 0 else { fatalError("\(finding)") }
    }
    guard let policy = parsed.file else { return 0 }
    do throws(ConversionError) {
        let input = ConversionInput(path: "a", bytes: bytes)
        let text = try Conversion([input], ConversionOptions(kind: .profile)).policyFile()
        let again = PolicyFile.parse(bytes: text, path: "a.json", refusing: .none)
        guard let file = again.file, file.entries.count == policy.entries.count else {
            fatalError("a converted profile does not load: \(again.diagnostics)")
        }
    } catch {
        fatalError("a profile that loads is not converted: \(error)")
    }
    return 0
}
