import Foundation
import Glibc
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// Rollbacks that are refused, or whose end cannot be recorded.
struct RollbackFailureTests {
    /// The administrator's directory.
    private static let directory = "/etc/managed-defaults/policies.d"

    /// Rolls back, and returns the reported changes.
    @discardableResult
    private static func rollBack(
        _ machine: TemporaryMachine, to number: Int?, announce: (Generation) -> Bool = { _ in true }
    ) throws -> (result: RollbackResult, changes: [PolicyChange]) {
        var changes: [PolicyChange] = []
        let result = try PolicyStore(root: machine.root).rollBack(to: number, announce: announce) {
            changes += $0
            return true
        }
        return (result, changes)
    }

    /// A machine whose generation 1 has `10-a.json` and `20-b.json`, and whose generation 2, which is in place, has another
    /// `10-a.json` and `30-c.json`.
    private static func machine() throws -> TemporaryMachine {
        let machine = try TemporaryMachine()
        try machine.force("10-a.json", 1)
        try machine.force("20-b.json", 11)
        GenerationTests.apply(machine)
        try machine.force("10-a.json", 2)
        try machine.remove("\(directory)/20-b.json")
        try machine.force("30-c.json", 22)
        GenerationTests.apply(machine)
        return machine
    }

    /// Something mounted over itself, read-only, until this goes away; `nil` if that cannot be arranged.
    private final class Mount {
        /// The path of the mount.
        private let path: String

        /// Mounts it.
        init?(_ path: String) {
            self.path = path
            guard getuid() == 0, mount(path, path, nil, UInt(MS_BIND), nil) == 0 else { return nil }
            let flags = UInt(MS_BIND) | UInt(MS_REMOUNT) | UInt(MS_RDONLY)
            guard mount(nil, path, nil, flags, nil) == 0 else {
                umount2(path, Int32(MNT_DETACH))
                return nil
            }
        }

        deinit { umount2(path, Int32(MNT_DETACH)) }
    }

    /// The reason why a rollback to generation 1 is refused; also checks that nothing is announced, stored or written.
    private static func refusal(_ machine: TemporaryMachine) throws -> String {
        let home = "/etc/managed-defaults"
        /// Every path with what the kernel says of it.
        func state() throws -> [String] {
            try FileManager.default.subpathsOfDirectory(atPath: machine.url(home).path).sorted().map { name in
                let status = try machine.root.status("\(home)/\(name)", followingLinks: false)
                return "\(name) \(status)"
            }
        }
        let (before, level, numbers) = (try state(), try machine.level(), GenerationStore(root: machine.root).numbers)
        var isAnnounced = false
        let error = #expect(throws: OperationError.self) {
            try rollBack(machine, to: 1) { _ in
                isAnnounced = true
                return true
            }
        }
        #expect(!isAnnounced)
        #expect(try state() == before)
        #expect(try machine.level() == level)
        #expect(GenerationStore(root: machine.root).numbers == numbers)
        let text = try #require(error).description
        #expect(text.hasSuffix(", so nothing was changed"), "\(text)")
        return text
    }

    @Test func `a rollback writes no first record of half a look`() throws {
        let machine = try TemporaryMachine()
        try machine.force("10-a.json", 1)
        GenerationTests.apply(machine)
        try machine.force("10-a.json", 2)
        try machine.force("00-r.json", 7, more: "\"Enforced\": true,", place: "run")
        GenerationTests.apply(machine)
        // What the folder of /run forces is unknown then.
        try machine.setMode("/run/managed-defaults/policies.d", 0o777)
        for name in ["policy.record", "policy.table", "good"] {
            try machine.remove("/var/lib/managed-defaults/\(name)")
        }
        let before = try GenerationTests.content(machine)
        let applied = GenerationTests.apply(machine).set
        #expect(!applied.knowledge.isDecisive)
        #expect(
            applied.diagnostics.contains {
                $0.file.hasSuffix("/run/managed-defaults/policies.d") && $0.severity == .error
            })
        let error = #expect(throws: OperationError.self) { try Self.rollBack(machine, to: 1) }
        #expect(error?.description.contains("not all of policy is known") == true, "\(error as Any)")
        #expect(!machine.names("/var/lib/managed-defaults").contains("policy.record"))
        #expect(!machine.load().knowledge.isDecisive)
        #expect(try GenerationTests.content(machine) == before)
        try machine.setMode("/run/managed-defaults/policies.d", 0o755)
        try Self.rollBack(machine, to: 1)
        #expect(try machine.level() == .integer(7))
    }

    @Test(.enabled(if: getuid() == 0, "only root can mount"), arguments: [false, true])
    func `where nothing can be written nothing is changed`(isMissing: Bool) throws {
        let machine = try Self.machine()
        if isMissing { try machine.remove(Self.directory) }
        let mount = try #require(Mount(machine.url("/etc/managed-defaults").path))
        try withExtendedLifetime(mount) { () throws in
            #expect(try Self.refusal(machine).contains("Read-only file system"))
        }
    }

    @Test(.enabled(if: getuid() == 0, "only root can mount"))
    func `a mount point is refused`() throws {
        let machine = try Self.machine()
        let path = machine.url(Self.directory).path
        let mount = try #require(Mount(path))
        try withExtendedLifetime(mount) { () throws in
            #expect(try Self.refusal(machine).hasPrefix("\(path) is a mount point"))
        }
    }

    @Test func `a directory that is a link is refused`() throws {
        let machine = try Self.machine()
        try FileManager.default.moveItem(at: machine.url(Self.directory), to: machine.url("/etc/policies"))
        try machine.link(Self.directory, to: "/etc/policies")
        let path = machine.url(Self.directory).path
        #expect(
            try Self.refusal(machine).hasPrefix("\(path) is a symbolic link, and only a directory can be exchanged"))
        #expect(machine.names("/etc/policies") == ["10-a.json", "30-c.json"])
    }

    @Test(arguments: ["notes", ".git", "20-b.json", "20-b.json.sig"], [false, true])
    func `what is neither file nor link is refused by its name`(_ name: String, isFolder: Bool) throws {
        let machine = try Self.machine()
        let path = "\(Self.directory)/\(name)"
        if isFolder {
            try machine.makeDirectory(path)
        } else {
            try #require(mkfifo(machine.url(path).path, 0o644) == 0)
        }
        let refusal = try Self.refusal(machine)
        #expect(refusal.hasPrefix("\(machine.url(path).path) is a \(isFolder ? "directory" : "fifo"), and only files"))
        try machine.remove(path)
        try Self.rollBack(machine, to: 1)
        #expect(try machine.level() == .integer(11))
    }

    @Test(arguments: [EINVAL, ENOSYS, EOPNOTSUPP, EXDEV])
    func `a file system that exchanges nothing is refused with a sentence`(_ code: Int32) {
        let error = SystemError(operation: "exchange", path: "/p", code: code)
        let refusal = DirectoryExchange.refusal(of: error, shown: "/p").description
        #expect(refusal.hasPrefix("the file system of /p cannot exchange it for another directory ("))
        #expect(refusal.hasSuffix(", so nothing was changed"))
    }

    @Test(arguments: ["20-b.json", "README", "10-a.json"])
    func `what is written meanwhile is not lost`(_ name: String) throws {
        let machine = try Self.machine()
        try machine.write("\(Self.directory)/README", "old")
        let path = "\(Self.directory)/\(name)"
        let error = #expect(throws: OperationError.self) {
            try Self.rollBack(machine, to: 1) { _ in
                (try? machine.write(path, "{}")) != nil
            }
        }
        #expect(error?.description.hasSuffix("policies.d was changed meanwhile, so nothing was changed") == true)
        #expect(try machine.read(path) == Array("{}".utf8))
        #expect(machine.names("/etc/managed-defaults") == ["policies.d"])
        try Self.rollBack(machine, to: 1)
        #expect(try machine.level() == .integer(11))
    }

    @Test func `what a killed rollback left is removed, and what it never made is not`() throws {
        let machine = try Self.machine()
        let path = "/etc/managed-defaults/\(DirectoryExchange.temporaryName)"
        try machine.write("\(path)/99-z.json", "{")
        try Self.rollBack(machine, to: 1)
        #expect(machine.names(Self.directory) == ["10-a.json", "20-b.json"])
        #expect(machine.names("/etc/managed-defaults") == ["policies.d"])
        try machine.write("/etc/other/file", "x")
        try machine.link(path, to: "/etc/other")
        #expect(try Self.refusal(machine).contains(DirectoryExchange.temporaryName))
        #expect(machine.names("/etc/other") == ["file"])
    }

    @Test(.enabled(if: getuid() == 0, "only root can mount"))
    func `what cannot be recorded after the exchange is said`() throws {
        let machine = try Self.machine()
        var mount: Mount?
        let result = try Self.rollBack(machine, to: 1) { _ in
            mount = Mount(machine.url(StorePath.record).path)
            return mount != nil
        }.result
        #expect(result.unrecordedRemovals == ["\(Self.directory)/30-c.json"])
        #expect(machine.names(Self.directory) == ["10-a.json", "20-b.json"])
        #expect(result.made?.number == 3 && result.failures == [])
        withExtendedLifetime(mount) {}
        mount = nil
        #expect(GenerationTests.apply(machine).isRecorded)
        #expect(try machine.level() == .integer(11))
        let again = try Self.rollBack(machine, to: 2).result
        #expect(again.unrecordedRemovals == [])
    }

    @Test(.enabled(if: getuid() == 0, "only root can mount"))
    func `a generation that cannot be kept after the exchange is said`() throws {
        let machine = try Self.machine()
        var mount: Mount?
        let result = try Self.rollBack(machine, to: 1) { _ in
            mount = Mount(machine.url(StorePath.generations).path)
            return mount != nil
        }.result
        withExtendedLifetime(mount) {}
        #expect(result.made == nil && result.unrecordedRemovals == [])
        #expect(result.failures.count == 1 && result.failures[0].contains("Read-only file system"))
        #expect(try machine.level() == .integer(11))
    }

    @Test func `a reader never sees half of each while both are recorded`() throws {
        let machine = try TemporaryMachine()
        let names = (1...8).map { "\($0)0-\($0).json" }
        for value in 1...2 {
            for (index, name) in names.enumerated() {
                let policy = "{ \"Identifier\": \"e.n\(index)\", \"Forced\": { \"d\": { \"K\(index)\": \(value) } } }"
                try machine.write("\(Self.directory)/\(name)", policy)
            }
            GenerationTests.apply(machine)
        }
        let (root, subject) = (machine.root, try machine.subject())
        /// How often each set of values was read.
        let seen = Guarded<(isOver: Bool, readers: Int, sets: [[String]: Int])>((false, 2, [:]))
        for _ in 0..<2 {
            Thread.detachNewThread {
                while !seen.withLock({ $0.isOver }) {
                    let set = PolicyStore(root: root).load().resolve(for: subject)
                    let values = names.indices.map {
                        String(describing: set.forcedEntry(domain: "d", key: Key("K\($0)"))?.value)
                    }
                    seen.withLock { $0.sets[values, default: 0] += 1 }
                }
                seen.withLock { $0.readers -= 1 }
            }
        }
        let sets = [1, 2].map { value in
            [String](repeating: String(describing: Optional(Value.integer(Integer(Int64(value))))), count: names.count)
        }
        let end = Date(timeIntervalSinceNow: 300)
        var rounds = 0
        // Until readers have seen both often enough, however busy the machine is.
        while rounds < 12 || seen.withLock({ state in sets.contains { state.sets[$0, default: 0] < 20 } }), Date() < end
        {
            for number in 1...2 {
                let store = PolicyStore(root: root, settlingTime: 1_000)
                _ = try store.rollBack(to: number, retaining: GenerationStore.greatestLimit) { _ in
                    true
                } report: { _ in
                    true
                }
                #expect(store.apply(retaining: GenerationStore.greatestLimit) { _ in true }.isRecorded)
            }
            rounds += 1
        }
        seen.withLock { $0.isOver = true }
        while seen.withLock({ $0.readers > 0 }), Date() < end { sched_yield() }
        #expect(Set(seen.withLock { $0.sets }.keys) == Set(sets))
    }
}
