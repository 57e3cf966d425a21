import Foundation
import ManagedDefaults
import ManagedDefaultsTesting
import Testing

/// What a test bed promises.
struct TestBedTests {
    /// Collects changes.
    final class Changes: @unchecked Sendable {
        /// Guards the list.
        private let lock = NSLock()
        /// What came, as words.
        private var list: [String] = []

        /// Keeps a change.
        func keep(_ change: ManagedDefaults.Change) {
            lock.withLock { list.append("\(change.key) \(change.isForced) \(change.value ?? "-") \(change.cause)") }
        }

        /// Hands over what came.
        func take() -> [String] {
            lock.withLock {
                defer { list = [] }
                return list
            }
        }
    }

    @Test func `live changes of the forced state are told once each, in both directions`() {
        let bed = ManagedDefaults.TestBed(stored: ["Zoom": 100])
        let changes = Changes()
        let observation = bed.defaults.observeChanges { changes.keep($0) }
        #expect(!bed.defaults.objectIsForced(forKey: "Zoom"))
        bed.overlay.force("Zoom", to: 150)
        #expect(bed.defaults.objectIsForced(forKey: "Zoom"))
        #expect(bed.defaults.objectIsForced(forKey: "Zoom", inDomain: bed.application))
        #expect(!bed.defaults.objectIsForced(forKey: "Zoom", inDomain: ManagedDefaults.globalDomain))
        #expect(changes.take() == ["Zoom true 150 policy"])
        bed.overlay.force("Zoom", to: 150)
        #expect(changes.take() == [])
        bed.overlay.force("Zoom", to: 175)
        #expect(changes.take() == ["Zoom true 175 policy"])
        bed.overlay.unforce("Zoom")
        #expect(changes.take() == ["Zoom false 100 policy"])
        bed.setByOtherProcess(120, forKey: "Zoom")
        #expect(changes.take() == ["Zoom false 120 otherProcess"])
        bed.defaults.set(130, forKey: "Zoom")
        #expect(changes.take() == ["Zoom false 130 application"])
        var both = ManagedDefaults.TestBed.Overlay()
        both.force("Zoom", to: 130)
        both.forceAbsent("Proxy")
        bed.overlay = both
        #expect(changes.take() == ["Proxy true - policy", "Zoom true 130 policy"])
        observation.cancel()
    }

    @Test func `a key that is forced for everybody counts in every application`() {
        let bed = ManagedDefaults.TestBed()
        bed.overlay.force("AppleMeasurementUnits", to: "Centimeters", inDomain: ManagedDefaults.globalDomain)
        #expect(bed.defaults.string(forKey: "AppleMeasurementUnits") == "Centimeters")
        #expect(bed.defaults.objectIsForced(forKey: "AppleMeasurementUnits", inDomain: ManagedDefaults.globalDomain))
        #expect(bed.defaults.forcedEntry(forKey: "AppleMeasurementUnits")?.domain == ManagedDefaults.globalDomain)
    }

    @Test func `removing, replacing a domain, arguments and volatile values are on record as what they are`() {
        var overlay = ManagedDefaults.TestBed.Overlay()
        overlay.force("Zoom", to: 150)
        let bed = ManagedDefaults.TestBed(
            stored: ["Zoom": 100, "Other": true], overlay: overlay, arguments: ["-Zoom", "300"])
        #expect(bed.attempts.map(\.via) == [.argument])
        bed.removeAllAttempts()
        #expect(bed.defaults.removeObject(forKey: "Zoom") == .unchanged)
        #expect(bed.attempts.map(\.via) == [.remove])
        #expect(bed.attempts.map(\.outcome) == [.hidden])
        #expect(bed.stored().keys.sorted() == ["Other"])
        bed.removeAllAttempts()
        let long = String(repeating: "long ", count: 100)
        let outcome = bed.defaults.setPersistentDomain(["Zoom": [long], "New": 1], forName: bed.application)
        #expect(outcome.refused.map(\.key) == ["Zoom"])
        #expect(bed.attempts.map(\.via) == [.domain])
        #expect(bed.attempts.first?.tried as? [String] == [long])
        #expect(bed.attempts.first?.forced as? Int == 150)
        #expect(bed.stored().keys.sorted() == ["New"])
    }

    @Test func `objects of one bed agree, and beds know nothing of each other or of this machine`() throws {
        let bed = ManagedDefaults.TestBed(application: ProcessInfo.processInfo.processName)
        let other = ManagedDefaults.TestBed(application: bed.application)
        let second = try #require(bed.makeDefaults())
        let suite = try #require(bed.makeDefaults(suiteName: "org.example.shared"))
        #expect(bed.makeDefaults(suiteName: "../up") == nil)
        bed.defaults.set("one", forKey: "A")
        suite.set("two", forKey: "A")
        #expect(second.string(forKey: "A") == "one")
        bed.defaults.addSuite(named: "org.example.shared")
        suite.set("three", forKey: "B")
        #expect(bed.defaults.string(forKey: "B") == "three")
        #expect(bed.stored(inDomain: "org.example.shared").keys.sorted() == ["A", "B"])
        #expect(other.defaults.object(forKey: "A") == nil)
        #expect(other.defaults.persistentDomainNames == [])
        #expect(bed.defaults.synchronize())
        #expect(bed.defaults.drainProblems() == [])
    }

    @Test func `policy that cannot be read is as on a real machine`() {
        var overlay = ManagedDefaults.TestBed.Overlay()
        overlay.unknownReason = "its directory cannot be listed"
        let bed = ManagedDefaults.TestBed(overlay: overlay)
        guard case .unavailable(.unknownPolicy(let message)) = bed.defaults.set(1, forKey: "A") else {
            Issue.record("a write was taken while it cannot be told what is forced")
            return
        }
        #expect(message.hasSuffix("its directory cannot be listed."))
        bed.overlay.unknownReason = nil
        #expect(bed.defaults.set(1, forKey: "A") == .stored)
        bed.overlay.force("A", to: 2)
        bed.overlay.unknownReason = "its directory cannot be listed"
        #expect(bed.defaults.integer(forKey: "A") == 2)
        #expect(bed.defaults.objectIsForced(forKey: "A"))
    }

    @Test func `an exclusive update sees what another process stored`() {
        let bed = ManagedDefaults.TestBed(stored: ["Count": 1])
        bed.setByOtherProcess(10, forKey: "Count")
        #expect(bed.defaults.updateObject(forKey: "Count") { ($0 as? Int ?? 0) + 1 } == .stored)
        #expect(bed.stored() as? [String: Int] == ["Count": 11])
    }

    @Test func `no file is opened`() throws {
        // A program of its own would be needed to watch every call; what the library could touch is looked at instead.
        let home = ProcessInfo.processInfo.environment["HOME"] ?? "/root"
        let folder = ProcessInfo.processInfo.environment["XDG_CONFIG_HOME"] ?? home + "/.config"
        let name = "org.example.\(UUID().uuidString)"
        let bed = ManagedDefaults.TestBed(application: name)
        bed.defaults.set(1, forKey: "A")
        #expect(bed.defaults.synchronize())
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/\(name).plist"))
    }

    @Test func `refused writes leave no file on this machine`() {
        // What root's records of sensitive values need. Other tests write it in folders of their own.
        let path = "/var/lib/managed-defaults/audit.key"
        let wasThere = FileManager.default.fileExists(atPath: path)
        var overlay = ManagedDefaults.TestBed.Overlay()
        overlay.unknownReason = "its directory cannot be listed"
        let bed = ManagedDefaults.TestBed(application: "org.example.Player", overlay: overlay)
        #expect(bed.defaults.set(1, forKey: "A") != .stored)
        bed.defaults.removePersistentDomain(forName: "org.example.Player")
        bed.overlay = ManagedDefaults.TestBed.Overlay()
        bed.overlay.force("A", to: 2)
        #expect(bed.defaults.set(1, forKey: "A") != .stored)
        #expect(bed.attempts.count == 1)
        #expect(FileManager.default.fileExists(atPath: path) == wasThere)
    }
}
