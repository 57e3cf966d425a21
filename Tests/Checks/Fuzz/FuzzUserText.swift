import MDEngine
import MDPlatform
import MDPropertyList

@testable import MDPolicyAdministration
@testable import MDPolicyModel
@testable import MDPolicyStore

/// Feeds the readers of small texts: command lines, moments, globs, host names, variables, tags, rules of time zones.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let text = String(decoding: bytes, as: UTF8.self)
    let words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    let values = ArgumentDomain.values(of: words)
    guard values.count <= words.count / 2 + 1, values.keys.allSatisfy({ !$0.string.isEmpty }) else {
        fatalError("\(words): \(values)")
    }
    if let moment = Timestamp(rfc3339: text), Timestamp(rfc3339: moment.rfc3339) != moment {
        fatalError("\(text) is \(moment), and that is something else")
    }
    if let host = HostName(text), let glob = HostPattern(words.first ?? "") {
        guard HostPattern("*")?.matches(host.full) == true else { fatalError("a star matches all but \(host)") }
        _ = glob.matches(host.short)
    }
    _ = try? Template(text)
    _ = try? TagFile.words(in: bytes)
    _ = ZoneDatabase.isName(text)
    if let value = try? OpenStepReader.read(SourceText(decoding: bytes)).root.value { _ = value.stringValue }
    return 0
}
