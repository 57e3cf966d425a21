import Foundation
import ManagedDefaults
import ManagedDefaultsFoundation
import ManagedDefaultsTesting
import Testing

/// Sealed domains and what is allowed, as an application meets them.
struct RuleTests {
    /// The settings of the application under test.
    private enum Settings {
        /// A number with bounds.
        static let volume = ManagedDefaults.Key("Volume", default: 20)
        /// A fraction with bounds.
        static let zoom = ManagedDefaults.Key("Zoom", default: 1.0)
        /// A text with choices.
        static let theme = ManagedDefaults.Key("Theme", default: "light")
    }

    @Test func `a sealed domain hides what is stored, and forces what nobody has stored`() {
        let bed = ManagedDefaults.TestBed(stored: ["Mine": 1, "Free": 2, "Forced": 3])
        let defaults = bed.defaults
        defaults.register(defaults: ["Mine": "registered"])
        #expect(defaults.integer(forKey: "Mine") == 1)
        bed.overlay.force("Forced", to: 30)
        bed.overlay.seal(except: ["Free"])
        #expect(defaults.object(forKey: "Mine") as? String == "registered")
        #expect(defaults.integer(forKey: "Free") == 2)
        #expect(defaults.integer(forKey: "Forced") == 30)
        for key in ["Mine", "Forced", "Never stored"] {
            #expect(defaults.objectIsForced(forKey: key), "\(key)")
            #expect(defaults.objectIsForced(forKey: key, inDomain: bed.application), "\(key)")
        }
        #expect(!defaults.objectIsForced(forKey: "Free"))
        #expect(!defaults.objectIsForced(forKey: "Never stored", inDomain: "org.example.Other"))
        #expect(defaults.forcedKey("Never stored")?.message.contains("is kept without a value") == true)
        let shown = defaults.dictionaryRepresentation()
        #expect(shown["Mine"] as? String == "registered")
        #expect(shown["Free"] as? Int == 2)
        bed.storeElsewhere(9, forKey: "Behind our back")
        #expect(defaults.object(forKey: "Behind our back") == nil)
        #expect(defaults.dictionaryRepresentation()["Behind our back"] == nil)
        bed.overlay.unseal()
        #expect(defaults.integer(forKey: "Behind our back") == 9)
        #expect(defaults.integer(forKey: "Mine") == 1)
        #expect(!defaults.objectIsForced(forKey: "Never stored"))
    }

    @Test func `no writer gets into a sealed domain, and each is on record`() {
        var overlay = ManagedDefaults.TestBed.Overlay()
        overlay.seal(except: ["Free"])
        let bed = ManagedDefaults.TestBed(overlay: overlay, arguments: ["-Argument", "1", "-Free", "2"])
        let defaults = bed.defaults
        #expect(defaults.integer(forKey: "Argument") == 0)
        #expect(defaults.integer(forKey: "Free") == 2)
        guard case .refused(let key) = defaults.set(1, forKey: "New") else {
            Issue.record("not refused")
            return
        }
        #expect(key.key == "New")
        let outcome = defaults.setPersistentDomain(["New": 1, "Free": 3], forName: bed.application)
        #expect(outcome.refused.map(\.key) == ["New"])
        #expect(bed.stored() as? [String: Int] == ["Free": 3])
        #expect(bed.attempts.map(\.key) == ["Argument", "New", "New"])
        #expect(bed.attempts.map(\.way) == [.argument, .set, .domain])
        #expect(defaults.update(forKey: "New") { _ in 5 } == .refused(key))
        #expect(bed.stored() as? [String: Int] == ["Free": 3])
    }

    @Test func `observers of a key that nobody has are told of a seal`() {
        let bed = ManagedDefaults.TestBed()
        let changes = TestBedTests.Changes()
        let observation = bed.defaults.observe("Nobody's") { changes.keep($0) }
        bed.overlay.seal()
        #expect(changes.take() == ["Nobody's true - policy"])
        bed.overlay.unseal()
        #expect(changes.take() == ["Nobody's false - policy"])
        observation.cancel()
    }

    @Test func `a value beyond a bound is clamped, and the user told`() throws {
        var overlay = ManagedDefaults.TestBed.Overlay()
        overlay.allow(
            "Volume", minimum: 5, maximum: 70,
            by: ManagedDefaults.TestBed.Overlay.Manager(policy: "org.example.ears", contact: "Room 12", line: 7))
        let bed = ManagedDefaults.TestBed(overlay: overlay)
        let defaults = bed.defaults
        #expect(defaults.set(60, forKey: "Volume") == .stored)
        guard case .clamped(let clamped) = defaults.set(90, forKey: "Volume") else {
            Issue.record("not clamped")
            return
        }
        #expect(clamped.stored as? Int == 70)
        #expect(clamped.message.contains("must be from 5 to 70"))
        #expect(clamped.message.contains("50-test.json:7"))
        #expect(clamped.message.contains("Room 12"))
        #expect(defaults.integer(forKey: "Volume") == 70)
        #expect(bed.stored() as? [String: Int] == ["Volume": 70])
        #expect(!defaults.objectIsForced(forKey: "Volume"))
        #expect(throws: ManagedDefaults.WriteError.self) { try defaults.store(1, forKey: "Volume") }
        #expect(defaults.integer(forKey: "Volume") == 5)
        guard case .outside(let allowed) = defaults.set("loud", forKey: "Volume") else {
            Issue.record("a text was taken")
            return
        }
        #expect((allowed.minimum, allowed.maximum) == (5, 70))
        #expect(defaults.integer(forKey: "Volume") == 5)
        #expect(defaults.removeObject(forKey: "Volume") == .stored)
        #expect(bed.attempts.map(\.outcome) == [.clamped, .clamped, .refused])
        #expect(defaults.update(forKey: "Volume") { ($0 as? Int ?? 0) + 1 }.isInEffect == false)
        #expect(defaults.integer(forKey: "Volume") == 5)
    }

    @Test func `arguments, other programs and older values obey`() {
        var overlay = ManagedDefaults.TestBed.Overlay()
        overlay.allow("Volume", maximum: 70)
        overlay.allow("Theme", oneOf: ["light", "dark"])
        let bed = ManagedDefaults.TestBed(
            stored: ["Volume": 100, "Theme": "neon"], overlay: overlay, arguments: ["-Volume", "95"])
        let defaults = bed.defaults
        defaults.register(defaults: ["Theme": "light"])
        #expect(defaults.integer(forKey: "Volume") == 70)
        #expect(defaults.string(forKey: "Theme") == "light")
        #expect(defaults.dictionaryRepresentation()["Volume"] as? Int == 70)
        #expect(
            bed.attempts.map { "\($0.key) \($0.way) \($0.outcome)" }.sorted() == [
                "Theme file hidden", "Volume argument clamped", "Volume file clamped",
            ])
        bed.forgetAttempts()
        bed.storeElsewhere("neon", forKey: "Theme")
        bed.storeElsewhere("dark", forKey: "Theme")
        #expect(defaults.string(forKey: "Theme") == "dark")
        bed.storeElsewhere("pink", forKey: "Theme")
        bed.storeElsewhere("dark", forKey: "Theme")
        bed.storeElsewhere("pink", forKey: "Theme")
        #expect(defaults.string(forKey: "Theme") == "light")
        #expect(bed.attempts.map { "\($0.key) \($0.way) \($0.outcome)" } == ["Theme file hidden"])
    }

    @Test func `settings have their bounds and choices`() {
        let bed = ManagedDefaults.TestBed()
        let defaults = bed.defaults
        #expect(defaults.setting(for: Settings.volume).bounds == Int.min...Int.max)
        #expect(defaults.setting(for: Settings.theme).choices == nil)
        bed.overlay.allow("Volume", minimum: 0.5, maximum: 70.5)
        bed.overlay.allow("Zoom", minimum: 0.5)
        bed.overlay.allow("Theme", oneOf: ["light", "dark", 5])
        #expect(defaults.setting(for: Settings.volume).bounds == 1...70)
        #expect(defaults.setting(for: Settings.zoom).bounds.lowerBound == 0.5)
        #expect(defaults.setting(for: Settings.theme).choices == ["light", "dark", "5"])
        #expect(defaults.setting(for: Settings.volume).allowed?.words == "from 0.5 to 70.5")
        #expect(defaults.allowedValues(for: Settings.zoom)?.contains(0.25) == false)
        #expect(defaults.allowedValues(for: Settings.zoom)?.nearest(to: 0.25) as? Double == 0.5)
        bed.overlay.force("Volume", to: 30)
        #expect(defaults.allowedValues(forKey: "Volume") == nil)
        #expect(defaults.setting(for: Settings.volume).allowed == nil)
    }

    @Test func `Foundation's subclass gets all of it`() {
        var overlay = ManagedDefaults.TestBed.Overlay()
        overlay.allow("Volume", maximum: 70)
        overlay.seal("org.example.Kiosk")
        let bed = ManagedDefaults.TestBed(overlay: overlay)
        let defaults = ManagedUserDefaults(bed.defaults)
        defaults.set(90, forKey: "Volume")
        #expect(defaults.integer(forKey: "Volume") == 70)
        #expect(!defaults.objectIsForced(forKey: "Volume"))
        #expect(defaults.objectIsForced(forKey: "Anything", inDomain: "org.example.Kiosk"))
    }
}
