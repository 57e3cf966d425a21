import Foundation
import MDTestSupport
import ManagedDefaults
import ManagedDefaultsFoundation
import Testing

/// An open member of `UserDefaults`, and a check that fails where it is Foundation's own that is called.
struct Member: CustomTestStringConvertible, Sendable {
    /// The declaration, as the toolchain's symbol graph has it.
    let declaration: String
    /// Uses the member through Foundation's type.
    ///
    /// Foundation's own knows neither what is in `managed` nor what is forced:
    /// `Forced` is 5, `Stored` the text `here`.
    let check: @Sendable (_ defaults: UserDefaults, _ managed: ManagedDefaults) -> Bool

    var testDescription: String { declaration }

    /// Every open member of `UserDefaults` but the class itself.
    static let all: [Member] = [
        Member(declaration: "class var standard: UserDefaults { get }") { defaults, _ in
            type(of: defaults).standard is ManagedUserDefaults
        },
        Member(declaration: "class func resetStandardUserDefaults()") { defaults, _ in
            let before = type(of: defaults).standard
            type(of: defaults).resetStandardUserDefaults()
            return type(of: defaults).standard !== before
        },
        Member(declaration: "func object(forKey defaultName: String) -> Any?") { defaults, _ in
            defaults.object(forKey: "Forced") as? Int == 5
        },
        Member(declaration: "func set(_ value: Any?, forKey defaultName: String)") { defaults, managed in
            defaults.set("x" as Any?, forKey: "New")
            return managed.string(forKey: "New") == "x"
        },
        Member(declaration: "func removeObject(forKey defaultName: String)") { defaults, managed in
            defaults.removeObject(forKey: "Stored")
            return managed.object(forKey: "Stored") == nil
        },
        Member(declaration: "func string(forKey defaultName: String) -> String?") { defaults, _ in
            defaults.string(forKey: "Forced") == "5" && defaults.string(forKey: "Stored") == "here"
        },
        Member(declaration: "func array(forKey defaultName: String) -> [Any]?") { defaults, managed in
            managed.set(["a", 1] as [Any], forKey: "New")
            return defaults.array(forKey: "New")?.last as? Int == 1
        },
        Member(declaration: "func dictionary(forKey defaultName: String) -> [String : Any]?") { defaults, managed in
            managed.set(["a": 1], forKey: "New")
            return defaults.dictionary(forKey: "New")?["a"] as? Int == 1
        },
        Member(declaration: "func data(forKey defaultName: String) -> Data?") { defaults, managed in
            managed.set(Data([1, 2]), forKey: "New")
            return defaults.data(forKey: "New") == Data([1, 2])
        },
        Member(declaration: "func stringArray(forKey defaultName: String) -> [String]?") { defaults, managed in
            managed.set(["a", "b"], forKey: "New")
            return defaults.stringArray(forKey: "New") == ["a", "b"]
        },
        Member(declaration: "func integer(forKey defaultName: String) -> Int") { defaults, _ in
            defaults.integer(forKey: "Forced") == 5
        },
        Member(declaration: "func float(forKey defaultName: String) -> Float") { defaults, _ in
            defaults.float(forKey: "Forced") == 5
        },
        Member(declaration: "func double(forKey defaultName: String) -> Double") { defaults, _ in
            defaults.double(forKey: "Forced") == 5
        },
        Member(declaration: "func bool(forKey defaultName: String) -> Bool") { defaults, _ in
            defaults.bool(forKey: "Forced")
        },
        Member(declaration: "func url(forKey defaultName: String) -> URL?") { defaults, managed in
            managed.set(URL(string: "https://example.com/"), forKey: "New")
            return defaults.url(forKey: "New") == URL(string: "https://example.com/")
        },
        Member(declaration: "func set(_ value: Int, forKey defaultName: String)") { defaults, managed in
            defaults.set(7, forKey: "New")
            return managed.object(forKey: "New") as? Int == 7
        },
        Member(declaration: "func set(_ value: Float, forKey defaultName: String)") { defaults, managed in
            defaults.set(Float(0.5), forKey: "New")
            return managed.object(forKey: "New") as? Double == 0.5
        },
        Member(declaration: "func set(_ value: Double, forKey defaultName: String)") { defaults, managed in
            defaults.set(0.25, forKey: "New")
            return managed.object(forKey: "New") as? Double == 0.25
        },
        Member(declaration: "func set(_ value: Bool, forKey defaultName: String)") { defaults, managed in
            defaults.set(true, forKey: "New")
            return managed.object(forKey: "New") as? Bool == true
        },
        Member(declaration: "func set(_ url: URL?, forKey defaultName: String)") { defaults, managed in
            defaults.set(URL(string: "https://example.com/"), forKey: "New")
            let isStored = managed.url(forKey: "New") == URL(string: "https://example.com/")
            // Foundation's own never returns here.
            defaults.set(nil as URL?, forKey: "New")
            return isStored && managed.object(forKey: "New") == nil
        },
        Member(declaration: "func register(defaults registrationDictionary: [String : Any])") { defaults, managed in
            defaults.register(defaults: ["New": 3])
            return managed.integer(forKey: "New") == 3
        },
        Member(declaration: "func addSuite(named suiteName: String)") { defaults, managed in
            defaults.addSuite(named: "org.example.suite")
            return managed.searchList.contains("org.example.suite")
        },
        Member(declaration: "func removeSuite(named suiteName: String)") { defaults, managed in
            managed.addSuite(named: "org.example.suite")
            defaults.removeSuite(named: "org.example.suite")
            return !managed.searchList.contains("org.example.suite")
        },
        Member(declaration: "func dictionaryRepresentation() -> [String : Any]") { defaults, managed in
            let all = defaults.dictionaryRepresentation()
            return all["Forced"] as? Int == 5 && all["Stored"] as? String == "here"
        },
        Member(declaration: "var volatileDomainNames: [String] { get }") { defaults, managed in
            managed.setVolatileDomain(["a": 1], forName: "Mine")
            return defaults.volatileDomainNames == managed.volatileDomainNames
                && defaults.volatileDomainNames.contains("Mine")
        },
        Member(declaration: "func volatileDomain(forName domainName: String) -> [String : Any]") { defaults, managed in
            managed.setVolatileDomain(["a": 1], forName: "Mine")
            return defaults.volatileDomain(forName: "Mine")["a"] as? Int == 1
        },
        Member(declaration: "func setVolatileDomain(_ domain: [String : Any], forName domainName: String)") {
            defaults, managed in
            defaults.setVolatileDomain(["a": NSNumber(value: 1)], forName: "Mine")
            return managed.volatileDomain(forName: "Mine")["a"] as? Int == 1
        },
        Member(declaration: "func removeVolatileDomain(forName domainName: String)") { defaults, managed in
            managed.setVolatileDomain(["a": 1], forName: "Mine")
            defaults.removeVolatileDomain(forName: "Mine")
            return managed.volatileDomain(forName: "Mine").isEmpty
        },
        Member(declaration: "func persistentDomain(forName domainName: String) -> [String : Any]?") { defaults, _ in
            defaults.persistentDomain(forName: TemporaryMachine.application)?["Stored"] as? String == "here"
        },
        Member(declaration: "func setPersistentDomain(_ domain: [String : Any], forName domainName: String)") {
            defaults, managed in
            defaults.setPersistentDomain(["New": 1, "Forced": 6], forName: TemporaryMachine.application)
            return managed.integer(forKey: "New") == 1 && managed.integer(forKey: "Forced") == 5
                && managed.object(forKey: "Stored") == nil
        },
        Member(declaration: "func removePersistentDomain(forName domainName: String)") { defaults, managed in
            defaults.removePersistentDomain(forName: TemporaryMachine.application)
            return managed.object(forKey: "Stored") == nil && managed.integer(forKey: "Forced") == 5
        },
        Member(declaration: "@discardableResult func synchronize() -> Bool") { defaults, managed in
            defaults.synchronize() && managed.persistentDomainNames.contains(TemporaryMachine.application)
        },
        Member(declaration: "func objectIsForced(forKey key: String) -> Bool") { defaults, _ in
            defaults.objectIsForced(forKey: "Forced")
        },
        Member(declaration: "func objectIsForced(forKey key: String, inDomain domain: String) -> Bool") {
            defaults, _ in
            defaults.objectIsForced(forKey: "Forced", inDomain: TemporaryMachine.application)
        },
    ]
}
