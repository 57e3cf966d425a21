import Foundation
import MDPlatform
import MDPolicyCore
import MDPolicyStore
import MDTestSupport
import Testing

/// What a process that runs out of descriptors says of policy.
struct HostNameShortageTests {
    @Test func `policy is unknown if the host name cannot be read, unless one is recorded`() async {
        await #expect(processExitsWith: .success) {
            let machine = try TemporaryMachine()
            try machine.write("etc/hostname", "room1-pc07\n")
            try machine.force("10-a.json", 1, more: #""Target": { "Users": ["alice"] },"#)
            /// Why policy is unknown, perhaps with no descriptor left for the host's name.
            func failure(isShort: Bool) -> String? {
                var limit = rlimit()
                let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
                getrlimit(kind, &limit)
                let usual = limit.rlim_cur
                defer {
                    limit.rlim_cur = usual
                    setrlimit(kind, &limit)
                }
                var isAsked = false
                let scan = PolicyScan(root: machine.root, .reading) { _, recorded in
                    isAsked = true
                    // The host's name is what is read next.
                    if isShort {
                        limit.rlim_cur = 0
                        setrlimit(kind, &limit)
                    }
                    return (recorded, nil)
                }
                #expect(isAsked)
                return scan.knowledge.failure
            }
            #expect(failure(isShort: false) == nil)
            #expect(failure(isShort: true) != nil)
            machine.apply()
            #expect(failure(isShort: true) == nil)
        }
    }
}
