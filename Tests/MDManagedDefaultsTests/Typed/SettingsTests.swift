import Foundation
import MDTestSupport
import ManagedDefaults
import Testing

struct SettingsTests {
    /// All settings of an application in one type.
    private struct Settings: Codable, Equatable {
        enum CodingKeys: String, CodingKey {
            case home = "HomePage"
            case downloads = "AllowDownloads"
            case proxy = "Proxy"
            case count, ratio, name, tabs, since, flag
        }
        var home = "about:blank"
        var downloads = true
        var proxy: String?
        var count: Int? = 3
        var ratio: Double? = 0.25
        var name: String? = "n"
        var tabs: [URL]? = []
        var since: Date?
        var flag: Bool? = true
    }

    @Test func `a domain is a type`() throws {
        let machine = try TemporaryMachine(policy: #"{ "Identifier": "org.example.lab" }"#)
        let defaults = try machine.open()
        #expect(throws: DecodingError.self) { try defaults.settings(Settings.self) }
        defaults.register(Settings())
        #expect(try defaults.settings(Settings.self) == Settings())
        var settings = Settings()
        settings.tabs = [try #require(URL(string: "https://a.example/"))]
        settings.since = Date(timeIntervalSinceReferenceDate: 1)
        settings.proxy = "p"
        try defaults.store(settings)
        #expect(defaults.persistentDomain(forName: TemporaryMachine.application)?.count == 9)
        #expect(try defaults.settings(Settings.self) == settings)
        #expect(try machine.open().settings() == settings)
    }

    @Test func `properties that are nil are removed`() throws {
        let machine = try TemporaryMachine(policy: #"{ "Identifier": "org.example.lab" }"#)
        let defaults = try machine.open()
        var settings = Settings(
            proxy: "p", count: 1, ratio: 2, name: "x", tabs: [], since: Date(timeIntervalSinceReferenceDate: 1),
            flag: true)
        try defaults.store(settings)
        (settings.proxy, settings.count, settings.ratio, settings.name) = (nil, nil, nil, nil)
        (settings.tabs, settings.since, settings.flag) = (nil, nil, nil)
        try defaults.store(settings)
        #expect(try defaults.settings(Settings.self) == settings)
        #expect(defaults.persistentDomain(forName: TemporaryMachine.application)?.count == 2)
    }

    @Test func `forced values count and are refused one by one`() throws {
        let machine = try TemporaryMachine(policy: ForcedKeyTests.policy)
        let defaults = try machine.open()
        let error = #expect(throws: ManagedDefaults.DomainError.self) { try defaults.store(Settings(proxy: "p")) }
        let outcome = try #require(error).outcome
        #expect(error?.description.split(separator: "\n").count == 3)
        #expect(outcome.refused.map(\.key) == ["AllowDownloads", "HomePage", "Proxy"])
        #expect(outcome.outcomes["name"] == .stored)
        let settings = try defaults.settings(Settings.self)
        #expect(settings.home == "https://school.example/")
        #expect(!settings.downloads)
        #expect(settings.proxy == nil)
        #expect(settings.name == "n")
    }

    @Test func `what is of another type is named`() throws {
        let machine = try TemporaryMachine(policy: #"{ "Identifier": "org.example.lab" }"#)
        let defaults = try machine.open()
        defaults.register(Settings())
        defaults.set("3", forKey: "count")
        do {
            _ = try defaults.settings(Settings.self)
            Issue.record("a text was taken for a number")
        } catch DecodingError.typeMismatch(_, let context) {
            #expect(context.codingPath.map(\.stringValue) == ["count"])
        }
        let list = #expect(throws: ManagedDefaults.DomainError.self) { try defaults.store([1, 2]) }
        #expect(list?.description.hasPrefix("The settings cannot be encoded. ") == true)
        let dates = ["a": Date.distantPast, "b": Date(timeIntervalSinceReferenceDate: .nan)]
        let error = #expect(throws: ManagedDefaults.DomainError.self) { try defaults.store(dates) }
        #expect(error?.outcome.error != nil)
        #expect(defaults.object(forKey: "a") == nil)
    }
}
