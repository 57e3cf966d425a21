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
        #expect(defaults.forcedEntry(forKey: "Never stored")?.message.contains("is kept without a value") == true)
        let shown = defaults.dictionaryRepresentation()
        #expect(shown["Mine"] as? String == "registered")
        #expect(shown["Free"] as? Int == 2)
        bed.setByOtherProcess(9, forKey: "Behind our back")
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
        #expect(bed.attempts.map(\.via) == [.argument, .set, .domain])
        #expect(defaults.updateObject(forKey: "New") { _ in 5 } == .refused(key))
        #expect(bed.stored() as? [String: Int] == ["Free": 3])
    }

    @Test func `observers of a key that nobody has are told of a seal`() {
        let bed = ManagedDefaults.TestBed()
        let changes = TestBedTests.Changes()
        let observation = bed.defaults.observeChanges(forKey: "Nobody's") { changes.keep($0) }
        bed.overlay.seal()
        #expect(changes.take() == ["Nobody's true - policy"])
        bed.overlay.unseal()
        #expect(changes.take() == ["Nobody's false - policy"])
        observation.cancel()
    }

    @Test func `every outcome that is not in effect has a sentence`() throws {
        var overlay = ManagedDefaults.TestBed.Overlay()
        let policy = ManagedDefaults.TestBed.Overlay.Policy("org.example.lab", contact: "Room 12")
        overlay.force("Forced", to: 1, by: policy)
        overlay.force("Shadow", to: 1, onOverride: .shadow, by: policy)
        overlay.allow("Volume", maximum: 70, by: policy)
        let bed = ManagedDefaults.TestBed(overlay: overlay)
        let defaults = bed.defaults
        #expect(defaults.set(1, forKey: "Free").message == nil)
        #expect(defaults.set(1, forKey: "Forced") == .unchanged)
        let outcomes = [
            defaults.set(2, forKey: "Forced"), defaults.set(2, forKey: "Shadow"), defaults.set(90, forKey: "Volume"),
            defaults.set("loud", forKey: "Volume"),
        ]
        #expect(outcomes.allSatisfy { $0.message?.contains("Room 12") == true && !$0.isInEffect }, "\(outcomes)")
        guard case .refused(let entry) = outcomes[0], case .disallowed(let allowed) = outcomes[3] else {
            Issue.record("\(outcomes)")
            return
        }
        #expect(defaults.forcedEntry(forKey: "Forced") == entry)
        #expect(allowed.entry.policy == "org.example.lab" && allowed.entry.key == "Volume")
        #expect(allowed.requirement == "at most 70")
        #expect(defaults.set(1, forKey: "").message == "The key is empty, so nothing was stored.")
        #expect(ManagedDefaults.WriteError(.stored) == nil)
    }

    @Test func `a setting that is followed has an element for other bounds`() async throws {
        let bed = ManagedDefaults.TestBed()
        var settings = bed.defaults.settings(for: Settings.volume).makeAsyncIterator()
        #expect(await settings.next()?.allowedValues == nil)
        bed.overlay.allow("Volume", maximum: 70)
        #expect(await settings.next()?.allowedValues?.maximum == 70)
    }

    @Test func `a value beyond a bound is clamped, and the user told`() throws {
        var overlay = ManagedDefaults.TestBed.Overlay()
        overlay.allow(
            "Volume", minimum: 5, maximum: 70,
            by: ManagedDefaults.TestBed.Overlay.Policy("org.example.ears", contact: "Room 12", line: 7))
        let bed = ManagedDefaults.TestBed(overlay: overlay)
        let defaults = bed.defaults
        #expect(defaults.set(60, forKey: "Volume") == .stored)
        guard case .clamped(let clamped) = defaults.set(90, forKey: "Volume") else {
            Issue.record("not clamped")
            return
        }
        #expect(clamped.stored as? Int == 70)
        #expect(clamped.allowedValues.entry.message.contains("must be from 5 to 70"))
        #expect(clamped.allowedValues.entry.message.contains("must be from 5 to 70"))
        #expect(clamped.allowedValues.entry.message.contains("Room 12"))
        #expect(defaults.integer(forKey: "Volume") == 70)
        #expect(bed.stored() as? [String: Int] == ["Volume": 70])
        #expect(!defaults.objectIsForced(forKey: "Volume"))
        #expect(throws: ManagedDefaults.WriteError.self) { try defaults.store(1, forKey: "Volume") }
        #expect(defaults.integer(forKey: "Volume") == 5)
        guard case .disallowed(let allowed) = defaults.set("loud", forKey: "Volume") else {
            Issue.record("a text was taken")
            return
        }
        #expect((allowed.minimum, allowed.maximum) == (5, 70))
        #expect(defaults.integer(forKey: "Volume") == 5)
        #expect(defaults.removeObject(forKey: "Volume") == .stored)
        #expect(bed.attempts.map(\.outcome) == [.clamped, .clamped, .refused])
        #expect(defaults.updateObject(forKey: "Volume") { ($0 as? Int ?? 0) + 1 }.isInEffect == false)
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
            bed.attempts.map { "\($0.key) \($0.via) \($0.outcome)" }.sorted() == [
                "Theme file hidden", "Volume argument clamped", "Volume file clamped",
            ])
        bed.removeAllAttempts()
        bed.setByOtherProcess("neon", forKey: "Theme")
        bed.setByOtherProcess("dark", forKey: "Theme")
        #expect(defaults.string(forKey: "Theme") == "dark")
        bed.setByOtherProcess("pink", forKey: "Theme")
        bed.setByOtherProcess("dark", forKey: "Theme")
        bed.setByOtherProcess("pink", forKey: "Theme")
        #expect(defaults.string(forKey: "Theme") == "light")
        #expect(bed.attempts.map { "\($0.key) \($0.via) \($0.outcome)" } == ["Theme file hidden"])
    }

    @Test func `settings have their bounds and choices`() {
        let bed = ManagedDefaults.TestBed()
        let defaults = bed.defaults
        #expect(defaults.setting(for: Settings.volume).bounds(within: 0...100) == 0...100)
        #expect(defaults.setting(for: Settings.theme).choices == nil)
        bed.overlay.allow("Volume", minimum: 0.5, maximum: 70.5)
        bed.overlay.allow("Zoom", minimum: 0.5)
        bed.overlay.allow("Theme", oneOf: ["light", "dark", 5])
        let volume = defaults.setting(for: Settings.volume)
        #expect(volume.bounds(within: 0...100) == 1...70 && volume.bounds(within: 10...20) == 10...20)
        #expect(volume.bounds(within: 80...100) == 80...80 && volume.bounds(within: -5...0) == 0...0)
        #expect(defaults.setting(for: Settings.zoom).bounds(within: 0.25...3) == 0.5...3)
        #expect(defaults.setting(for: Settings.theme).choices == ["light", "dark", "5"])
        #expect(defaults.setting(for: Settings.volume).allowedValues?.requirement == "from 0.5 to 70.5")
        #expect(defaults.allowedValues(for: Settings.zoom)?.contains(0.25) == false)
        #expect(defaults.allowedValues(for: Settings.zoom)?.nearest(to: 0.25) as? Double == 0.5)
        bed.overlay.force("Volume", to: 30)
        #expect(defaults.allowedValues(forKey: "Volume") == nil)
        #expect(defaults.setting(for: Settings.volume).allowedValues == nil)
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
