// seeds: Examples/lab/etc

@testable import MDPlatform

/// Feeds the parsers of the user list and of the group list.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let lines = bytes.split(separator: 0x0a).count
    var file = AccountFile(shown: "passwd")
    for account in file.accounts(in: bytes) {
        guard !account.name.isEmpty, account.uid != .max, account.gid != .max else { fatalError("\(account)") }
    }
    var groups = AccountFile(shown: "group")
    let found = groups.groups(in: bytes)
    guard found.count <= lines, found.allSatisfy({ !$0.name.isEmpty && $0.gid != .max }) else { fatalError("\(found)") }
    for problem in file.problems + groups.problems {
        guard problem.line > 0, !problem.message.isEmpty else { fatalError("\(problem)") }
    }
    return 0
}
