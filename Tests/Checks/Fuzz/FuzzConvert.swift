import MDPolicyAdministration
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

// seeds: Tests/MDPolicyTests/Fixtures/Convert/chromium/managed Tests/MDPolicyTests/Fixtures/Convert/chromium/recommended
// seeds: Tests/MDPolicyTests/Fixtures/Convert/preferences Tests/MDPolicyTests/Fixtures/Convert/intune

/// Feeds `policy convert` with files of every kind but keyfiles; what it makes loads, or it says what is wrong.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    for path in ["managed/lab.json", "recommended/lab.json", "org.example.App.plist", "org.example.App.xml", "a"] {
        do throws(ConversionError) {
            let input = ConversionInput(path: path, bytes: bytes)
            let text = try Conversion([input], ConversionOptions()).policyFile()
            let parsed = PolicyFile.parse(bytes: text, path: "a.json", refusing: .none)
            guard parsed.file != nil else { fatalError("a converted \(path) does not load: \(parsed.diagnostics)") }
        } catch {
            guard !error.message.isEmpty else { fatalError("a mistake without words") }
        }
    }
    return 0
}
