import Foundation
import MDAuditClient
import MDAuditRecord
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPreferences
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDEngine

/// What policy sets once: when it is written, what is remembered of it, and what becomes of it where something fails.
struct SetOnceTests {
    /// Policy that a test makes up.
    private final class Source: PolicySource {
        /// What is in force.
        let resultant: Guarded<ResultantSet>
        /// Nothing is watched.
        var folders: [String] { [] }

        /// Says something.
        init(_ resultant: ResultantSet) { self.resultant = Guarded(resultant) }

        /// Says it.
        func read(_ domains: Set<Key>?) throws(SessionError) -> ResultantSet {
            resultant.withLock { $0 }
        }
    }

    /// An audit log in memory.
    private final class Log: AuditSink {
        /// The records.
        let records = Guarded<[AuditRecord]>([])

        /// Keeps a record.
        func report(_ record: AuditRecord) -> Delivery {
            records.withLock { records in
                records.append(record)
                return .stored(records.count)
            }
        }

        /// Nothing is counted.
        func flush() -> [Delivery] { [] }
    }

    /// A user's files in a temporary folder.
    private final class Home {
        /// The folder.
        let folder = Scratch.makeFolder()
        /// The root.
        let root: Root
        /// What was set once.
        let book: SetOnceFile
        /// The log.
        let log = Log()

        /// Makes the folder.
        init() throws {
            try FileManager.default.createDirectory(atPath: folder + "/home/.config", withIntermediateDirectories: true)
            root = try Root(directory: folder)
            book = SetOnceFile(root: root, home: "", spare: "/home/.local/state/managed-defaults", user: geteuid())
        }

        deinit {
            try? FileManager.default.removeItem(atPath: folder)
        }

        /// A store of the user as a process that starts has it.
        func store(_ resultant: ResultantSet) -> DefaultsStore { store(Source(resultant)) }

        /// A store of the user over some policy.
        func store(_ source: Source, book: (any SetOnceBook)? = nil) -> DefaultsStore {
            let preferences = PreferencesDirectory(
                root: root, directory: "/home/.config", machineID: nil, owner: geteuid(), home: "/home")
            return DefaultsStore(
                account: Account(name: "pupil", uid: geteuid(), gid: getegid(), fullName: "", home: "/home"),
                root: root,
                storage: FileStorage(preferences), sharedDefaults: nil, policy: source, sink: log,
                setOnceBook: book ?? self.book,
                environment: [:])
        }

        /// What an application finds when it opens its defaults.
        func engine(_ resultant: ResultantSet) -> DefaultsEngine { SetOnceTests.engine(store(resultant)) }

        /// The size of the font that an application finds when it opens its defaults.
        func size(_ resultant: ResultantSet) -> Int { SetOnceTests.size(store(resultant)) }

        /// The marks that were recorded.
        var recorded: [SetOnceMark] { log.records.withLock { $0.compactMap(\.setOnceMark) } }
    }

    /// The size of the font that an application finds.
    private static func size(_ store: DefaultsStore) -> Int {
        let engine = engine(store)
        // Readers look at what the engine keeps.
        defer { withExtendedLifetime(engine) {} }
        return engine.cell.integer("FontSize")
    }

    /// Marks of a user, where another process comes in between before they are read for the first time.
    private struct InterruptedBook: SetOnceBook {
        /// The marks.
        let book: SetOnceFile
        /// What the other process does, once.
        let other: Guarded<(@Sendable () -> Void)?>

        /// The marks, after the other process was there.
        func marks() throws(SystemError) -> [SetOnceMark] {
            let other = other.withLock { other in
                defer { other = nil }
                return other
            }
            other?()
            return try book.marks()
        }

        /// Changes the marks.
        func update(_ body: ([SetOnceMark]) -> [SetOnceMark]?) throws(SystemError) { try book.update(body) }
    }

    /// An application's view of a store.
    private static func engine(_ store: DefaultsStore) -> DefaultsEngine {
        DefaultsEngine(
            store: store, identity: ApplicationIdentity(domain: "org.example.Editor", source: .code),
            domain: "org.example.Editor")
    }

    /// Policy that sets a font's size once.
    private static func policy(
        _ size: Int = 14, version: Int? = 1, rule: SetOnceRule = .eachVersion, forced: Value?? = .none
    ) -> ResultantSet {
        let entry = ResolvedEntry(
            level: .setOnce, domain: "org.example.Editor", key: "FontSize", value: .integer(size),
            origin: Origin(policy: "org.example.p", file: "/etc/managed-defaults/policies.d/1.json", position: .start),
            rule: rule, policyVersion: version.map { Integer($0) }, fileDigest: SHA256.hash([]))
        var all: [Key: [Key: ResolvedEntry]] = [:]
        if let forced {
            all["org.example.Editor"] = ["FontSize": Sample.entry("org.example.Editor", "FontSize", forced)]
        }
        return ResultantSet(forced: all, setOnce: ["org.example.Editor": ["FontSize": entry]])
    }

    @Test func `it is written once, over what the user has, and the user changes it for good`() throws {
        let home = try Home()
        do {
            let engine = home.engine(ResultantSet())
            _ = engine.write(.integer(9), forKey: "FontSize")
            _ = engine.write(.boolean(true), forKey: "Other")
            #expect(engine.synchronize())
        }
        #expect(home.size(SetOnceTests.policy()) == 14)
        do {
            let engine = home.engine(SetOnceTests.policy())
            #expect(engine.cell.integer("FontSize") == 14)
            #expect(engine.cell.boolean("Other"))
            #expect(!engine.cell.isForced("FontSize"))
            _ = engine.write(.integer(11), forKey: "FontSize")
            #expect(engine.synchronize())
        }
        #expect(home.size(SetOnceTests.policy()) == 11)
        #expect(home.size(SetOnceTests.policy(16)) == 11)
        #expect(home.size(SetOnceTests.policy(16, version: 2)) == 16)
        #expect(home.recorded.map(\.occasion) == ["version 1", "version 2"])
        #expect(try home.book.marks() == home.recorded)
        let status = try home.root.status(home.book.path, followingLinks: false)
        #expect(status.mode == 0o600)
        var record = try #require(home.log.records.withLock { $0.first })
        record.time = Timestamp(microseconds: 0)
        #expect(
            (record.kind, record.user, record.domain, record.key) == (
                .policy, "pupil", "org.example.Editor", "FontSize"
            ))
        #expect(record.policy?.id == "org.example.p")
        #expect(try AuditRecord(line: record.encoded()).setOnceMark == home.recorded.first)
    }

    @Test func `a forced key is left alone until it is free`() throws {
        let home = try Home()
        #expect(home.size(SetOnceTests.policy(forced: .some(.integer(20)))) == 20)
        #expect(home.size(SetOnceTests.policy(forced: .some(nil))) == 0)
        #expect(try home.book.marks().isEmpty)
        #expect(home.size(SetOnceTests.policy()) == 14)
    }

    @Test func `a stamp and a session are occasions of their own`() throws {
        let home = try Home()
        for (rule, count) in [
            (SetOnceRule.eachStamp("2026-01-01T00:00:00Z"), 1), (.eachStamp("2026-01-01T00:00:00Z"), 1),
            (.eachStamp("2026-02-01T00:00:00Z"), 2), (.eachSession, 3), (.eachSession, 3),
        ] {
            _ = home.engine(SetOnceTests.policy(rule: rule))
            #expect(home.recorded.count == count)
        }
    }

    @Test func `policy that comes while an application runs is set then`() throws {
        let home = try Home()
        let source = Source(ResultantSet())
        let engine = SetOnceTests.engine(home.store(source))
        let changes = Guarded<[Value?]>([])
        let observer = engine.observe("FontSize") { change in changes.withLock { $0.append(change.value) } }
        source.resultant.withLock { $0 = SetOnceTests.policy() }
        #expect(engine.synchronize())
        #expect(engine.cell.integer("FontSize") == 14)
        #expect(changes.withLock { $0 } == [.integer(14)])
        _ = engine.write(.integer(10), forKey: "FontSize")
        #expect(engine.synchronize())
        #expect(engine.cell.integer("FontSize") == 10)
        observer.cancel()
    }

    @Test func `a deleted line of the user's file makes it a changeable default once more`() throws {
        let home = try Home()
        do {
            let engine = home.engine(SetOnceTests.policy())
            _ = engine.write(.integer(9), forKey: "FontSize")
            #expect(engine.synchronize())
        }
        try home.book.update { _ in [] }
        #expect(home.size(SetOnceTests.policy()) == 14)
        #expect(home.recorded.count == 2)
    }

    @Test func `a line of an older version, with a word, counts`() throws {
        let home = try Home()
        _ = home.engine(SetOnceTests.policy())
        let line = String(decoding: try home.root.read(home.book.path, limit: 1 << 20).bytes, as: UTF8.self)
        let old = line.replacing("}", with: #","word":"5f"}"#)
        try home.root.replace(home.book.path, with: Array(old.utf8), mode: 0o600)
        _ = home.engine(SetOnceTests.policy())
        #expect(home.recorded.count == 1)
    }

    /// Marks of a user beside an audit service.
    private struct ServedBook: SetOnceBook {
        /// The marks of the user's file.
        let book: SetOnceFile
        /// What the service remembers; `nil` while it does not answer.
        let memory: Guarded<Set<SetOnceMark>?>

        /// The marks of the file.
        func marks() throws(SystemError) -> [SetOnceMark] { try book.marks() }

        /// Changes the marks of the file.
        func update(_ body: ([SetOnceMark]) -> [SetOnceMark]?) throws(SystemError) { try book.update(body) }

        /// Answers for the service.
        func service(_ marks: [SetOnceMark], _ request: MarkRequest) -> MarkMemory {
            memory.withLock { memory in
                guard let known = memory else { return .unknown }
                if request != .ask { memory = known.union(marks) }
                return .marks(known.intersection(marks))
            }
        }
    }

    @Test func `the service holds lasting marks, and the user's file those of sessions`() throws {
        let home = try Home()
        let book = ServedBook(book: home.book, memory: Guarded([]))
        #expect(SetOnceTests.size(home.store(Source(SetOnceTests.policy()), book: book)) == 14)
        #expect(try home.book.marks().isEmpty && home.recorded.isEmpty)
        #expect(book.memory.withLock { $0?.map(\.occasion) } == ["version 1"])
        _ = SetOnceTests.size(home.store(Source(SetOnceTests.policy(rule: .eachSession)), book: book))
        #expect(try home.book.marks().count == 1 && home.recorded.count == 1)
        #expect(book.memory.withLock { $0?.count } == 1)
    }

    @Test func `while a service does not answer, lasting entries wait and those of sessions do not`() throws {
        let home = try Home()
        let book = ServedBook(book: home.book, memory: Guarded(nil))
        let store = home.store(Source(SetOnceTests.policy()), book: book)
        #expect(SetOnceTests.size(store) == 0)
        #expect(SetOnceTests.size(home.store(Source(SetOnceTests.policy(16, rule: .eachSession)), book: book)) == 16)
        book.memory.withLock { $0 = [] }
        #expect(SetOnceTests.size(home.store(Source(SetOnceTests.policy()), book: book)) == 14)
        #expect(try home.book.marks().count == 1)
    }

    @Test func `a mark file full of anything is no trap`() throws {
        let home = try Home()
        _ = home.engine(SetOnceTests.policy())
        var bytes = Array("{}\nnull\n[1]\n{\"policy\":5}\n".utf8) + [0xff, 0x00, 0x0a]
        bytes += try home.root.read(home.book.path, limit: 1 << 20).bytes
        try home.root.replace(home.book.path, with: bytes, mode: 0o600)
        #expect(try home.book.marks().count == 1)
        _ = home.engine(SetOnceTests.policy())
        #expect(home.recorded.count == 1)
    }

    @Test func `what cannot be stored counts all the same, and comes again`() throws {
        let home = try Home()
        // A folder is in the place of the preference file.
        let obstacle = home.folder + "/home/.config/org.example.Editor.plist"
        try FileManager.default.createDirectory(atPath: obstacle + "/x", withIntermediateDirectories: true)
        do {
            let engine = home.engine(SetOnceTests.policy())
            #expect(engine.cell.integer("FontSize") == 14)
            #expect(engine.takeProblems().contains { $0.message.hasPrefix("What policy sets once") })
        }
        #expect(try home.book.marks().isEmpty)
        #expect(home.recorded.isEmpty)
        try FileManager.default.removeItem(atPath: obstacle)
        #expect(home.size(SetOnceTests.policy()) == 14)
        #expect(try home.book.marks().count == 1)
    }

    @Test func `processes that start together set it once`() async throws {
        let home = try Home()
        let stores = (0..<8).map { _ in home.store(SetOnceTests.policy()) }
        await withTaskGroup(of: Int.self) { group in
            for store in stores { group.addTask { SetOnceTests.size(store) } }
            for await size in group { #expect(size == 14) }
        }
        #expect(home.recorded.count == 1)
    }

    @Test func `a process that comes in between sets it, and the one that was reading sees it`() throws {
        let home = try Home()
        let book = InterruptedBook(
            book: home.book,
            other: Guarded({ [store = home.store(SetOnceTests.policy())] in _ = SetOnceTests.size(store) }))
        let store = home.store(Source(SetOnceTests.policy()), book: book)
        #expect(SetOnceTests.size(store) == 14)
        #expect(home.recorded.count == 1)
    }

    @Test func `a constraint clamps what is set once, and one that leaves nothing prevents it`() throws {
        for (constraint, size) in [
            (Constraint(maximum: .integer(12)), 12), (Constraint(oneOf: [.integer(1), .integer(2)]), 0),
        ] {
            let home = try Home()
            let plain = SetOnceTests.policy()
            let resolved = ResolvedConstraint(
                entry: ConstraintEntry(
                    domain: "org.example.Editor", key: "FontSize", constraint: constraint,
                    origin: Origin(policy: "p", file: "/p", position: .start)), fileDigest: SHA256.hash([]))
            let policy = ResultantSet(
                setOnce: plain.setOnce, constraints: ["org.example.Editor": ["FontSize": resolved]])
            #expect(home.size(policy) == size)
            #expect(home.recorded.count == (size > 0 ? 1 : 0))
            #expect(home.log.records.withLock { $0.filter { $0.kind == .override } }.isEmpty)
        }
    }
}
