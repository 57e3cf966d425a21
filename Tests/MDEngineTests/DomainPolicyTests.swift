import Foundation
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPreferences
import MDPropertyList
import Testing

@testable import MDEngine

/// A store knows policy of the requested domains, all of one moment, and does not treat an unknown domain as free.
struct DomainPolicyTests {
    /// Policy of many domains; each reading covers only the requested ones, as that of a compiled table does.
    private final class Source: PolicySource {
        /// What it is.
        struct Content {
            /// The value of every key.
            var generation = 1
            /// Whether it can be read.
            var isReadable = true
            /// Why it is unknown; `nil` if it is known.
            var failure: String?
            /// The domains whose policy is unknown.
            var unknown: [Key: String] = [:]
            /// Every question so far; `nil` for all domains.
            var questions: [Set<Key>?] = []
            /// What happens while the next question is answered.
            var meanwhile: (@Sendable () -> Void)?
        }

        /// What it is.
        let content = Guarded(Content())
        /// Nothing is watched.
        var folders: [String] { [] }

        /// The forced key of each domain.
        private func entry(_ domain: Key, _ generation: Int) -> ResolvedEntry {
            ResolvedEntry(
                level: .forced, domain: domain, key: "Forced", value: .integer(generation),
                origin: Origin(policy: "p", file: "/etc/managed-defaults/policies.d/p.json", position: .start),
                fileDigest: SHA256.hash([]))
        }

        /// Reads it.
        func read(_ domains: Set<Key>?) throws(SessionError) -> ResultantSet {
            let (content, meanwhile) = content.withLock { content in
                defer { content.meanwhile = nil }
                content.questions.append(domains)
                return (content, content.meanwhile)
            }
            meanwhile?()
            guard content.isReadable else {
                throw .root(SystemError(operation: "open", path: "/etc", code: EMFILE))
            }
            let all: Set<Key> = domains ?? Set((0..<100).map { Key("d\($0)") } + ["app", DomainName.global])
            let forced = Dictionary(
                uniqueKeysWithValues: all.map { ($0, [Key("Forced"): entry($0, content.generation)]) })
            return ResultantSet(domains: domains, forced: forced)
                .limited(to: PolicyKnowledge(failure: content.failure, domains: content.unknown))
        }
    }

    /// A store over some policy, and an application's view of it.
    private func open(_ source: Source, _ domain: Key = "app", _ store: DefaultsStore? = nil) -> DefaultsEngine {
        let account = Account(name: "pupil", uid: 1000, gid: 1000, fullName: "", home: "/home/pupil")
        let store =
            store
            ?? DefaultsStore(
                account: account, root: .system, storage: MemoryStorage(), sharedDefaults: nil, policy: source,
                sink: nil,
                environment: [:])
        return DefaultsEngine(
            store: store, identity: ApplicationIdentity(domain: domain, source: .code), domain: domain)
    }

    /// The value of the forced entry of a domain.
    private func value(_ engine: DefaultsEngine, _ domain: Key) -> Value? {
        engine.forcedEntry(domain: domain, key: "Forced")?.value
    }

    @Test func `only what is used is read, once`() {
        let source = Source()
        let engine = open(source)
        #expect(engine.cell.integer("Forced") == 1)
        #expect(source.content.withLock { $0.questions } == [["app", DomainName.global]])
        #expect(value(engine, "d1") == .integer(1))
        #expect(value(engine, "d1") == .integer(1))
        let other = open(source, "d1", engine.store)
        #expect(other.cell.integer("Forced") == 1)
        #expect(source.content.withLock { $0.questions.count } == 2)
        // For a process that asks about many domains, all of them are read.
        for index in 0..<100 { #expect(value(engine, Key("d\(index)")) == .integer(1)) }
        #expect(source.content.withLock { $0.questions.last } == .some(nil))
        #expect(source.content.withLock { $0.questions.count } < 40)
        #expect(engine.forcedEntry(domain: "d7", key: "Other") == nil)
    }

    @Test func `a domain that is asked about later is of the same moment as the others`() {
        let source = Source()
        let engine = open(source)
        let told = Guarded<[Value?]>([])
        let observer = engine.observe("Forced") { change in told.withLock { $0.append(change.value) } }
        source.content.withLock { $0.generation = 2 }
        #expect(engine.addSuite("d1"))
        #expect(engine.cell.integer("Forced") == 2)
        #expect(value(engine, "app") == .integer(2))
        #expect(value(engine, "d1") == .integer(2))
        #expect(told.withLock { $0 } == [.integer(2)])
        engine.cancel(observer)
    }

    @Test func `what cannot be read is not free, and nothing else changes`() {
        let source = Source()
        let engine = open(source)
        source.content.withLock { $0.isReadable = false }
        #expect(engine.addSuite("d1"))
        #expect(engine.cell.integer("Forced") == 1)
        #expect(engine.decidingEntry(for: "Volume")?.shortfall == .policy)
        #expect(engine.forcedEntry(domain: "d2", key: "Volume")?.shortfall == .policy)
        guard case .impossible = engine.write(.integer(5), forKey: "Volume") else {
            Issue.record("a key was stored of which nobody knows whether it is forced")
            return
        }
        guard case .impossible = engine.update("Volume", { _ in .set(.integer(5)) }) else {
            Issue.record("a key was stored of which nobody knows whether it is forced")
            return
        }
        // An application that searches none of these is not touched.
        let other = open(source, "app", engine.store)
        #expect(other.decidingEntry(for: "Volume") == nil)
        guard case .stored = other.write(.integer(5), forKey: "Volume") else {
            Issue.record("a free key was not stored")
            return
        }
        source.content.withLock { $0.isReadable = true }
        #expect(engine.synchronize())
        #expect(engine.decidingEntry(for: "Volume") == nil)
        #expect(engine.lookUp("Volume").value == .integer(5))
        #expect(value(engine, "d2") == .integer(1))
    }

    @Test func `what needs another version is unknown in its domain, and nothing else changes`() {
        let source = Source()
        source.content.withLock { $0.unknown = ["d1": "it needs ManagedDefaults 0.2.0"] }
        let engine = open(source, "d1")
        #expect(engine.decidingEntry(for: "Volume")?.shortfall == .policy)
        #expect(engine.lookUp("Forced").value == nil)
        #expect(
            engine.takeProblems().map(\.message) == ["What is forced in d1 is unknown: it needs ManagedDefaults 0.2.0."]
        )
        guard case .impossible(_, let reason) = engine.write(.integer(5), forKey: "Volume") else {
            Issue.record("a key was stored of which nobody knows whether it is forced")
            return
        }
        #expect(reason.contains("it needs ManagedDefaults 0.2.0"))
        let other = open(source, "d2", engine.store)
        #expect(other.lookUp("Forced").value == .integer(1))
        #expect(other.decidingEntry(for: "Volume") == nil)
        guard case .stored = other.write(.integer(5), forKey: "Volume") else {
            Issue.record("a free key was not stored")
            return
        }
        #expect(other.takeProblems().isEmpty)
        // A program that runs takes over what is unknown from now on, and what is known again.
        source.content.withLock { $0.unknown = ["d2": "it needs ManagedDefaults 0.3.0"] }
        #expect(engine.synchronize())
        #expect(other.lookUp("Volume").value == nil)
        #expect(engine.lookUp("Forced").value == .integer(1))
        guard case .stored = engine.write(.integer(5), forKey: "Volume") else {
            Issue.record("a free key was not stored")
            return
        }
    }

    @Test func `a program that runs keeps what it knew, and takes a domain that is new to it for forced`() {
        let source = Source()
        let engine = open(source)
        source.content.withLock { ($0.generation, $0.failure) = (2, "the record is damaged") }
        #expect(!engine.synchronize())
        #expect(engine.cell.integer("Forced") == 1)
        #expect(engine.decidingEntry(for: "Volume") == nil)
        #expect(
            engine.takeProblems().contains {
                $0.message.contains("what was in force before stays: the record is damaged")
            })
        #expect(engine.forcedEntry(domain: "d1", key: "Volume")?.shortfall == .policy)
        source.content.withLock { $0.failure = nil }
        #expect(engine.synchronize())
        #expect(engine.cell.integer("Forced") == 2)
        #expect(engine.forcedEntry(domain: "d1", key: "Volume") == nil)
    }

    @Test(arguments: [true, false], [true, false])
    func `readers look again within a second or so while policy is unknown`(isReadable: Bool, isRunning: Bool) {
        let source = Source()
        /// Makes policy unknown, in one of both ways.
        func obscure() {
            source.content.withLock {
                ($0.generation, $0.isReadable, $0.failure) = (2, isReadable, "no descriptor")
            }
        }
        if !isRunning { obscure() }
        let engine = open(source)
        if isRunning {
            obscure()
            #expect(!engine.synchronize())
        }
        #expect(engine.cell.integer("Forced") == (isRunning ? 1 : 0))
        #expect(engine.store.isUnwatched)
        // No answer is kept meanwhile.
        #expect(engine.lookUp("Forced").moment == nil)
        source.content.withLock { ($0.isReadable, $0.failure) = (true, nil) }
        let start = Clock.monotonicMicroseconds()
        // Nothing but a read has it look.
        while engine.cell.integer("Forced") != 2, Clock.monotonicMicroseconds() - start < 60_000_000 {
            Clock.pause(microseconds: 2_000)
        }
        #expect(engine.cell.integer("Forced") == 2)
        // Then reads are as cheap as before.
        #expect(!engine.store.isUnwatched)
    }

    @Test func `nothing is known before policy was read`() {
        let source = Source()
        source.content.withLock { $0.isReadable = false }
        let engine = open(source)
        #expect(engine.decidingEntry(for: "Volume")?.shortfall == .policy)
        guard case .impossible = engine.write(.integer(5), forKey: "Volume") else {
            Issue.record("a key was stored of which nobody knows whether it is forced")
            return
        }
    }

    @Test func `a domain that is asked about while policy is read is not lost`() {
        let source = Source()
        let engine = open(source)
        _ = value(engine, "d1")
        source.content.withLock { content in
            content.generation = 2
            // Another thread is waiting for the reading that is under way.
            content.meanwhile = { [store = engine.store] in
                _ = store.state.withLock { $0.request(["d5"]) }
            }
        }
        #expect(engine.synchronize())
        #expect(engine.store.state.withLock { $0.resultant.covers("d5") })
        #expect(value(engine, "d5") == .integer(2))
        #expect(value(engine, "d1") == .integer(2))
        #expect(engine.cell.integer("Forced") == 2)
    }

    @Test func `threads that ask about domains while policy changes see one moment at a time`() {
        let source = Source()
        let engine = open(source)
        let isOver = Guarded(false)
        let failures = Guarded<[String]>([])
        let threads = (0..<4).map { index in
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                var round = index
                while !isOver.withLock({ $0 }) {
                    round = (round &* 7 &+ 3) % 40
                    engine.store.ensurePolicy(for: [Key("d\(round)")])
                    let values = engine.store.state.withLock { state in
                        Set(state.resultant.forced.values.map { "\(String(describing: $0["Forced"]?.value))" })
                    }
                    if values.count != 1 { failures.withLock { $0.append("\(values)") } }
                    if self.value(engine, Key("d\(round)")) == nil { failures.withLock { $0.append("d\(round)") } }
                }
                done.signal()
            }
            return done
        }
        for generation in 2..<300 {
            source.content.withLock { $0.generation = generation }
            #expect(engine.synchronize())
        }
        isOver.withLock { $0 = true }
        for thread in threads { thread.wait() }
        #expect(failures.withLock { $0 } == [])
        #expect(engine.cell.integer("Forced") == 299)
    }
}
