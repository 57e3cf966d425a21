import Foundation
import MDTestSupport
import ManagedDefaults
import Testing

extension ManagedDefaults.Keys {
    fileprivate static let zoom = Key("ZoomLevel", default: 1.0)
    fileprivate static let home = Key("HomePage", default: "about:blank")
}

struct StoredTests {
    /// A part of an application that has settings.
    private struct Page {
        @ManagedDefaults.Stored var zoom: Double
        @ManagedDefaults.Stored var home: String

        /// Makes a page over some defaults.
        init(_ defaults: ManagedDefaults) {
            _zoom = ManagedDefaults.Stored(.zoom, in: defaults)
            _home = ManagedDefaults.Stored(.home, in: defaults)
        }
    }

    /// A part of an application whose settings have names.
    private struct Sidebar {
        /// Stored as its raw value.
        enum Side: String { case left, right }

        @ManagedDefaults.Stored var isShown: Bool
        @ManagedDefaults.Stored var side: Side
        @ManagedDefaults.Stored var title: String?

        /// Makes a sidebar over some defaults.
        init(_ defaults: ManagedDefaults) {
            _isShown = ManagedDefaults.Stored(wrappedValue: true, "IsShown", in: defaults)
            _side = ManagedDefaults.Stored(wrappedValue: .left, "Side", in: defaults)
            _title = ManagedDefaults.Stored("Title", in: defaults)
        }
    }

    /// A type whose properties take the standard defaults; none is opened by making one.
    private struct Standard {
        @ManagedDefaults.Stored(.zoom) var zoom
        @ManagedDefaults.Stored("K") var x = false
        @ManagedDefaults.Stored("Proxy") var proxy: String?
    }

    @Test func `a property is a setting`() throws {
        let machine = try TemporaryMachine(policy: ForcedKeyTests.policy)
        let defaults = try machine.open()
        let page = Page(defaults)
        #expect(page.zoom == 1.5)
        page.zoom = 2
        #expect(defaults[.zoom] == 2)
        #expect(page.$zoom.set(3) == .stored)
        #expect(page.zoom == 3)
        #expect(!page.$zoom.isForced)
        #expect(page.$zoom.remove() == .stored)
        #expect(page.zoom == 1.5)
        page.home = "https://games.example"
        #expect(page.home == "https://school.example/")
        #expect(page.$home.isForced)
        #expect(page.$home.setting.forcedEntry?.contact == "Room 12")
        #expect(page.$home.set("x").isInEffect == false)
        #expect(Standard().$zoom.key.name == "ZoomLevel")
    }

    @Test func `a property needs no declared key`() throws {
        let defaults = try TemporaryMachine(policy: ForcedKeyTests.policy).open()
        let sidebar = Sidebar(defaults)
        #expect(sidebar.isShown && sidebar.side == .left && sidebar.title == nil)
        sidebar.isShown = false
        sidebar.side = .right
        sidebar.title = "Files"
        #expect(!defaults.bool(forKey: "IsShown") && defaults.string(forKey: "Side") == "right")
        #expect(sidebar.title == "Files" && sidebar.side == .right)
        sidebar.title = nil
        #expect(defaults.object(forKey: "Title") == nil)
        #expect(Standard().$x.key.name == "K" && Standard().$proxy.key.defaultValue == nil)
    }
}
