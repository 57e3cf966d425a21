import Foundation
import MDTestSupport
import ManagedDefaults
import ManagedDefaultsFoundation
import Synchronization
import Testing

struct ManagedUserDefaultsTests {
    /// What was refused, by key.
    final class Refusals: Sendable {
        /// The names so far.
        let names = Mutex<[String]>([])
    }

    /// Values as Foundation's callers hand them over, and what comes out.
    nonisolated(unsafe) static let scalars: [(Any, String)] = [
        (NSNumber(value: 7), "Int 7"), (NSNumber(value: true), "Bool true"), (NSNumber(value: false), "Bool false"),
        (NSNumber(value: 1), "Int 1"), (NSNumber(value: Int8(1)), "Int 1"), (NSNumber(value: 0), "Int 0"),
        (NSNumber(value: 1.5), "Double 1.5"), (NSNumber(value: Float(2)), "Double 2.0"),
        (NSNumber(value: UInt64.max), "UInt64 18446744073709551615"), (NSNumber(value: UInt64(3)), "Int 3"),
        (NSNumber(value: Int.max), "Int 9223372036854775807"),
        (NSNumber(value: Int.min), "Int -9223372036854775808"),
        (NSDecimalNumber(string: "1.5"), "Double 1.5"), (Decimal(1.5), "Double 1.5"), (CGFloat(2.5), "Double 2.5"),
        (NSString(string: "é"), "String é"), (NSMutableString(string: "m"), "String m"), (Int8(-3), "Int -3"),
        (NSDate(timeIntervalSinceReferenceDate: 0), "Date 2001-01-01 00:00:00 +0000"),
        (NSData(bytes: [1, 2], length: 2), "Data 2 bytes"), (Optional.some("x") as Any, "String x"),
    ]

    @Test func `objects of Foundation come out as Swift's types`() throws {
        let machine = try TemporaryMachine()
        let defaults: UserDefaults = try machine.open()
        for (value, expected) in ManagedUserDefaultsTests.scalars {
            defaults.set(value, forKey: "K")
            let read = try #require(defaults.object(forKey: "K"))
            #expect("\(type(of: read)) \(read)" == expected)
        }
    }

    @Test func `collections of Foundation come out as Swift's, without optionals`() throws {
        let machine = try TemporaryMachine()
        let defaults: UserDefaults = try machine.open()
        let array = NSMutableArray(array: [NSNumber(value: true), NSString(string: "z"), NSArray(array: [1])])
        defaults.set(array, forKey: "A")
        array.removeAllObjects()
        let read = try #require(defaults.array(forKey: "A"))
        #expect(read.count == 3 && read[0] as? Bool == true && type(of: read[1]) == String.self)
        #expect(read[2] as? [Int] == [1])
        #expect(defaults.object(forKey: "A") is [Any])
        defaults.set(NSDictionary(dictionary: ["k": NSDictionary(dictionary: ["l": NSNumber(value: 2)])]), forKey: "D")
        #expect((defaults.dictionary(forKey: "D")?["k"] as? [String: Int]) == ["l": 2])
        // What Foundation's own object returns on Linux has optionals in it.
        defaults.set([Optional.some(1), Optional.some("x")] as [Any?], forKey: "O")
        #expect(defaults.array(forKey: "O")?.count == 2 && defaults.array(forKey: "O")?[0] as? Int == 1)
        defaults.set(["a", "b"] as NSArray, forKey: "S")
        #expect(defaults.stringArray(forKey: "S") == ["a", "b"])
    }

    @Test func `what is no property list is refused, and told`() throws {
        let machine = try TemporaryMachine(forced: #"{ "org.example.Browser": { "Forced": 5 } }"#)
        let defaults = try machine.open()
        let refusals = Refusals()
        defaults.onRefusal = { name, _ in refusals.names.withLock { $0.append(name) } }
        let values: [Any] = [
            NSObject(), NSNull(), UUID(), [1: 2], Optional<Int>.none as Any, [1, NSNull()] as [Any], ["k": UUID()],
            NSSet(array: [1]), [NSURL(string: "https://example.com")] as Any, NSDictionary(dictionary: [1: 2]), self,
            ["k": [Optional<Int>.none]] as [String: Any],
        ]
        for (index, value) in values.enumerated() {
            defaults.set(value, forKey: "K\(index)")
            #expect(defaults.object(forKey: "K\(index)") == nil, "\(value)")
        }
        defaults.register(defaults: ["Good": 1, "Bad": NSObject()])
        defaults.setPersistentDomain(["Bad": NSObject()], forName: "org.example.other")
        defaults.setPersistentDomain(["a": 1], forName: "../evil")
        defaults.setVolatileDomain(["Bad": NSObject()], forName: "Volatile")
        defaults.addSuite(named: "../evil")
        defaults.set(6, forKey: "Forced")
        #expect(
            refusals.names.withLock { $0 } == values.indices.map { "K\($0)" } + [
                "Bad", "org.example.other", "../evil", "Volatile", "../evil", "Forced",
            ])
        #expect(defaults.integer(forKey: "Good") == 1 && defaults.integer(forKey: "Forced") == 5)
        #expect(defaults.persistentDomain(forName: "org.example.other") == nil)
    }

    @Test func `what is nested too deeply is refused`() throws {
        let machine = try TemporaryMachine()
        let defaults = try machine.open()
        var nested: [Any] = ["x"]
        for _ in 0..<600 { nested = [nested] }
        defaults.set(nested, forKey: "K")
        #expect(defaults.object(forKey: "K") == nil)
        var objects = NSArray(array: ["x"])
        for _ in 0..<50 { objects = NSArray(array: [objects]) }
        defaults.set(objects, forKey: "K")
        #expect(defaults.array(forKey: "K")?.count == 1)
    }

    @Test func `foreign bytes are no URL, and no URL is no loop`() throws {
        let machine = try TemporaryMachine()
        let defaults: UserDefaults = try machine.open()
        defaults.set(Data("no archive".utf8), forKey: "U")
        #expect(defaults.url(forKey: "U") == nil)
        defaults.set(nil as URL?, forKey: "U")
        #expect(defaults.object(forKey: "U") == nil)
        defaults.set(URL(string: "https://example.com/a?b#c"), forKey: "U")
        #expect(defaults.url(forKey: "U")?.absoluteString == "https://example.com/a?b#c")
    }

    @Test func `an interface that takes UserDefaults cannot get around policy`() throws {
        /// Code that knows nothing of management.
        func configure(_ defaults: UserDefaults) -> String? {
            defaults.set("https://games.example", forKey: "HomePage")
            defaults.setPersistentDomain(["HomePage": "x"], forName: TemporaryMachine.application)
            defaults.removeVolatileDomain(forName: UserDefaults.argumentDomain)
            defaults.setVolatileDomain(["HomePage": "y"], forName: UserDefaults.argumentDomain)
            defaults.removeObject(forKey: "HomePage")
            defaults.removePersistentDomain(forName: TemporaryMachine.application)
            return defaults.string(forKey: "HomePage")
        }
        let machine = try TemporaryMachine(
            forced: #"{ "org.example.Browser": { "HomePage": "https://school.example" } }"#)
        let defaults = try machine.open(arguments: ["x", "-HomePage", "z"])
        #expect(configure(defaults) == "https://school.example")
        #expect(defaults.synchronize())
        let log = try machine.text("var/log/managed-defaults/current.jsonl")
        for (via, tried) in [("argument", "z"), ("set", "https://games.example"), ("domain", "x"), ("volatile", "y")] {
            let line = log.split(separator: "\n").first { $0.contains("\"via\":\"\(via)\"") }
            #expect(line?.contains("\"tried\":\"\(tried)\"") == true, "\(via): \(log)")
        }
    }

    @Test func `the shared object is one, and follows a reset`() async {
        // In a process of its own: other tests reset the shared object too.
        await #expect(processExitsWith: .success) {
            let first = ManagedUserDefaults.standard
            #expect(first === ManagedUserDefaults.standard)
            #expect(first.managed === ManagedDefaults.standard)
            ManagedUserDefaults.resetStandardUserDefaults()
            let second = ManagedUserDefaults.standard
            #expect(second !== first)
            ManagedDefaults.resetStandardUserDefaults()
            #expect(ManagedUserDefaults.standard !== second)
            #expect(ManagedUserDefaults(suiteName: "../evil") == nil)
            #expect(ManagedUserDefaults(suiteName: UserDefaults.globalDomain) == nil)
            #expect(ManagedUserDefaults().managed.searchList == ManagedDefaults.standard.searchList)
        }
    }

    @Test func `floats keep their digits and URLs are taken`() throws {
        let defaults = try TemporaryMachine().open()
        defaults.set(Float(12.34), forKey: "Float")
        defaults.set(NSNumber(value: Float(12.34)), forKey: "Object")
        defaults.set([NSNumber(value: Float(0.1))], forKey: "List")
        #expect(defaults.string(forKey: "Float") == "12.34" && defaults.string(forKey: "Object") == "12.34")
        // As Foundation does, a Float becomes the Double of the same value.
        #expect(defaults.double(forKey: "Float") == Double(Float(12.34)) && defaults.float(forKey: "Float") == 12.34)
        #expect(defaults.array(forKey: "List") as? [Double] == [Double(Float(0.1))])
        defaults.set(123456.78125, forKey: "Double")
        #expect(defaults.string(forKey: "Double") == "123456.78125")
        let url = try #require(URL(string: "https://example.com/a"))
        defaults.register(defaults: ["Registered": url, "Kin": url as NSURL])
        defaults.set(url as NSURL, forKey: "Stored")
        for key in ["Registered", "Kin", "Stored"] { #expect(defaults.url(forKey: key) == url) }
    }
}
