import MDPolicyAdministration
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

// seeds: Tests/MDPolicyTests/Fixtures/Convert/dconf Tests/MDPolicyTests/Fixtures/Convert/dconf/locks

/// Feeds keyfiles of dconf, and the same bytes as locks; the policy file that comes out loads.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let keyfile = ConversionInput(path: "a", bytes: bytes)
    let locks = ConversionInput(path: "locks/a", bytes: bytes)
    for inputs in [[keyfile], [ConversionInput(path: "b", bytes: Array("[a/b]\nk=1\n".utf8)), locks]] {
        do throws(ConversionError) {
            var options = ConversionOptions()
            options.kind = inputs.count == 1 ? .keyfile : nil
            let text = try Conversion(inputs, options).policyFile()
            let parsed = PolicyFile.parse(bytes: text, path: "a.json", refusing: .none)
            guard parsed.file != nil else { fatalError("a converted keyfile does not load: \(parsed.diagnostics)") }
        } catch {
            guard !error.message.isEmpty else { fatalError("a mistake without words") }
        }
    }
    return 0
}
