import Foundation
import MDPropertyList
import MDTestSupport
import ManagedDefaults
import Testing

/// Values keep the type that they have, whatever else Foundation would take them for.
struct BridgingTests {
    /// A machine that forces nothing.
    private func machine() throws -> TemporaryMachine {
        try TemporaryMachine(policy: #"{ "Identifier": "org.example.lab" }"#)
    }

    /// What is stored for a value.
    struct Case: CustomTestStringConvertible, Sendable {
        /// Makes the value.
        let make: @Sendable () -> Any
        /// What is stored.
        let stored: Value

        /// What is stored.
        var testDescription: String { "\(make()) is \(stored)" }
    }

    static let cases: [Case] = [
        Case(make: { NSNumber(value: 1) }, stored: .integer(1)),
        Case(make: { NSNumber(value: 0) }, stored: .integer(0)),
        Case(make: { NSNumber(value: UInt8(1)) }, stored: .integer(1)),
        Case(make: { NSNumber(value: Int8(-1)) }, stored: .integer(-1)),
        Case(make: { NSNumber(value: Int64.min) }, stored: .integer(Integer(Int64.min))),
        Case(make: { NSNumber(value: UInt64.max) }, stored: .integer(Integer(UInt64.max))),
        Case(make: { NSNumber(value: (1 << 53) + 1) }, stored: .integer((1 << 53) + 1)),
        Case(make: { NSNumber(value: true) }, stored: .boolean(true)),
        Case(make: { NSNumber(value: false) }, stored: .boolean(false)),
        Case(make: { NSNumber(value: 2.0) }, stored: .real(2)),
        Case(make: { NSNumber(value: 0.0) }, stored: .real(0)),
        Case(make: { NSNumber(value: 0.1) }, stored: .real(0.1)),
        Case(make: { NSNumber(value: 1e300) }, stored: .real(1e300)),
        Case(make: { NSNumber(value: Double.infinity) }, stored: .real(.infinity)),
        Case(make: { NSNumber(value: Double.nan) }, stored: .real(.nan)),
        Case(make: { NSNumber(value: Float(12.34)) }, stored: .real(12.34)),
        Case(make: { NSNumber(value: Float(3)) }, stored: .real(3)),
        Case(make: { NSDecimalNumber(string: "1") }, stored: .real(1)),
        Case(make: { NSDecimalNumber(string: "1.5") }, stored: .real(1.5)),
        Case(make: { Optional.some(NSNumber(value: 1)) as Any }, stored: .integer(1)),
        Case(make: { Optional.some(Optional.some(true)) as Any }, stored: .boolean(true)),
        Case(make: { NSString(string: "1") }, stored: .string("1")),
        Case(make: { NSMutableString(string: "x") }, stored: .string("x")),
        Case(make: { NSData(data: Data([1])) }, stored: .data([1])),
        Case(make: { NSDate(timeIntervalSinceReferenceDate: 1) }, stored: .date(1)),
        Case(make: { NSArray(array: [NSNumber(value: 1)]) }, stored: .array([.integer(1)])),
        Case(make: { NSDictionary(dictionary: ["k": NSNumber(value: 0)]) }, stored: .dictionary(["k": .integer(0)])),
        Case(make: { ["a": [NSNumber(value: 1), true, 1, 2.0] as [Any]] }, stored: .dictionary(["a": mixed])),
        Case(make: { true }, stored: .boolean(true)),
        Case(make: { 1 }, stored: .integer(1)),
        Case(make: { UInt64.max }, stored: .integer(Integer(UInt64.max))),
        Case(make: { 2.0 }, stored: .real(2)),
        Case(make: { Float(12.34) }, stored: .real(12.34)),
        Case(make: { Float16(0.1) }, stored: .real(0.1)),
        Case(make: { Float(125_641_220) }, stored: .real(125_641_216)),
        Case(make: { CGFloat(0.1) }, stored: .real(0.1)),
        Case(make: { -Float.infinity }, stored: .real(-.infinity)),
    ]

    /// A list with a number object in it.
    private static let mixed = Value.array([.integer(1), .boolean(true), .integer(1), .real(2)])

    @Test(arguments: cases)
    func `a value is stored as what it is`(_ item: Case) throws {
        let value = try #require(Value(bridging: item.make()))
        // Equal values may be of two types: 1, 1.0 and true.
        #expect(value == item.stored && "\(value)" == "\(item.stored)", "\(value)")
    }

    @Test func `what is no property list stays none`() {
        for value in [NSNull(), Optional<Int>.none as Any, UUID(), NSObject(), [NSNull()], NSSet()] as [Any] {
            #expect(Value(bridging: value) == nil, "\(value)")
        }
    }

    @Test func `numbers of JSONSerialization keep their types in every way to store them`() throws {
        let text = #"{ "R": 1, "Z": 0, "D": 2.0, "B": true }"#
        let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let machine = try machine()
        let defaults = try machine.open()
        for (key, value) in json { defaults.set(value, forKey: key) }
        defaults.register(defaults: ["Registered": json])
        defaults.setPersistentDomain(json, forName: "org.other")
        #expect(defaults.synchronize())
        for file in [TemporaryMachine.application, "org.other"] {
            let content = machine.text(of: "home/pupil/.config/\(file).plist")
            for line in [
                "<key>R</key>\n\t<integer>1</integer>", "<key>Z</key>\n\t<integer>0</integer>",
                "<key>D</key>\n\t<real>2</real>", "<key>B</key>\n\t<true/>",
            ] {
                #expect(content.contains(line), "\(content)")
            }
        }
        let registered = try #require(defaults.dictionary(forKey: "Registered"))
        #expect(registered["R"] is Int && registered["Z"] is Int && registered["D"] is Double)
        #expect(registered["B"] is Bool)
    }

    @Test func `a float reads back with the digits that it was written with`() throws {
        let machine = try machine()
        do {
            let defaults = try machine.open()
            #expect(defaults.set(Float(12.34), forKey: "F") == .stored)
            #expect(defaults.set(["f": Float(0.1)], forKey: "D") == .stored)
            #expect(defaults.set(Float(0.3), for: ManagedDefaults.Key("Typed", default: Float(0))) == .stored)
        }
        #expect(machine.settings.contains("<real>12.34</real>"))
        let defaults = try machine.open()
        #expect(defaults.string(forKey: "F") == "12.34" && defaults.string(forKey: "Typed") == "0.3")
        #expect(defaults.float(forKey: "F") == Float(12.34))
        #expect(defaults.double(forKey: "F") == 12.34)
        #expect(defaults.dictionary(forKey: "D")?["f"] as? Double == 0.1)
    }

    @Test func `every float reads back as itself`() {
        var random = SystemRandomNumberGenerator()
        var numbers: [Float] = [.greatestFiniteMagnitude, .leastNonzeroMagnitude, .leastNormalMagnitude, -0.0, .pi]
        for _ in 0..<20_000 { numbers.append(Float(bitPattern: random.next())) }
        for number in numbers where !number.isNaN {
            guard case .real(let stored)? = Value(bridging: number) else {
                Issue.record("\(number) is not stored")
                continue
            }
            #expect(Float(stored).bitPattern == number.bitPattern)
            if number == number.rounded() { #expect(stored == Double(number)) }
        }
    }

    @Test func `a URL is taken in every way to store it`() throws {
        let url = try #require(URL(string: "https://example.com/a?b=1"))
        let file = URL(fileURLWithPath: "/home/pupil/x")
        let defaults = try machine().open()
        #expect(defaults.register(defaults: ["Registered": url, "File": file]).isInEffect)
        #expect(defaults.url(forKey: "Registered") == url)
        #expect(defaults.url(forKey: "File") == file)
        #expect(defaults.string(forKey: "File") == "~/x")
        #expect(defaults.set(url as Any, forKey: "Any") == .stored)
        #expect(defaults.set(NSURL(string: "https://example.com/a?b=1") as Any, forKey: "Object") == .stored)
        #expect(defaults.setPersistentDomain(["Domain": url], forName: "org.other").isInEffect)
        #expect(defaults.url(forKey: "Any") == url && defaults.url(forKey: "Object") == url)
        #expect(defaults.persistentDomain(forName: "org.other")?["Domain"] is Data)
        // As in NSUserDefaults, within an array or a dictionary it is not a property list.
        #expect(defaults.register(defaults: ["List": [url]]).failedKeys == ["List"])
    }

    @Test func `the empty key takes nothing, and what another program stored there can be removed`() throws {
        let machine = try machine()
        try machine.write(
            "<plist><dict><key></key><string>x</string><key>a</key><string>y</string></dict></plist>",
            to: "home/pupil/.config/\(TemporaryMachine.application).plist")
        let defaults = try machine.open()
        let refusal = ManagedDefaults.WriteOutcome.invalid(.emptyKey)
        #expect(defaults.set("z", forKey: "") == refusal)
        #expect(defaults.set(1, forKey: "") == refusal)
        #expect(defaults.set([1] as Any, forKey: "") == refusal)
        #expect(defaults.set(URL(string: "https://example.com"), forKey: "") == refusal)
        #expect(defaults.updateObject(forKey: "") { _ in 1 } == refusal)
        #expect(defaults.set(1, for: ManagedDefaults.Key("", default: 0)) == refusal)
        #expect(throws: ManagedDefaults.WriteError.self) { try defaults.store(1, forKey: "") }
        #expect(defaults.register(defaults: ["": 1, "b": 2]).failedKeys == [""])
        #expect(defaults.setVolatileDomain(["": 1], forName: "volatile") == refusal)
        #expect(
            defaults.setPersistentDomain(["": 1, "b": 2], forName: "org.other").error?.description.contains("empty")
                == true
        )
        #expect(defaults.persistentDomain(forName: "org.other") == nil)
        #expect(defaults.string(forKey: "") == "x")
        #expect(defaults.removeObject(forKey: "") == .stored)
        #expect(defaults.object(forKey: "") == nil && defaults.string(forKey: "a") == "y")
    }
}
