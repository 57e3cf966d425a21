import Foundation
import MDPropertyList
import ManagedDefaults
import Testing

/// A type that contains itself.
private final class Ring: Codable {
    /// The next one.
    var next: Ring?
}

/// A type that contains itself by encoding itself.
private struct Loop: Encodable {
    /// Encodes the same again.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self)
    }
}

/// A class that encodes its super class apart.
private class Base: Codable {
    /// A property of its own.
    var base = 0
}

/// A class with a super class.
private final class Derived: Base {
    enum CodingKeys: CodingKey { case derived }
    /// A property of its own.
    var derived = 1

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        derived = try container.decode(Int.self, forKey: .derived)
        try super.init(from: try container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(derived, forKey: .derived)
        try super.encode(to: container.superEncoder())
    }
}

/// A type that writes its containers by hand.
private struct Nested: Codable, Equatable {
    enum CodingKeys: CodingKey { case inner, list, maybe }
    enum InnerKeys: CodingKey { case a }
    var a = 1
    var list: [Int] = []
    var maybe: Int?

    init(a: Int = 1, list: [Int] = [], maybe: Int? = nil) {
        (self.a, self.list, self.maybe) = (a, list, maybe)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        a = try container.nestedContainer(keyedBy: InnerKeys.self, forKey: .inner).decode(Int.self, forKey: .a)
        var elements = try container.nestedUnkeyedContainer(forKey: .list)
        while !elements.isAtEnd {
            var pair = try elements.nestedUnkeyedContainer()
            list.append(try pair.decode(Int.self))
        }
        // The form that is no `decodeIfPresent`.
        maybe = try container.decode(Int?.self, forKey: .maybe)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        var inner = container.nestedContainer(keyedBy: InnerKeys.self, forKey: .inner)
        var elements = container.nestedUnkeyedContainer(forKey: .list)
        // Both containers are open at a time.
        for number in list {
            var pair = elements.nestedUnkeyedContainer()
            try pair.encode(number)
            try pair.encode("x")
        }
        try inner.encode(a, forKey: .a)
        try container.encode(maybe, forKey: .maybe)
    }
}

struct CodingTests {
    /// The place of what could not be encoded.
    private func place(of value: some Encodable) -> [String]? {
        do {
            _ = try ValueEncoder.encode(value)
            return nil
        } catch EncodingError.invalidValue(_, let context) {
            return context.codingPath.map(\.stringValue)
        } catch {
            return ["\(error)"]
        }
    }

    /// The kind and the place of what could not be decoded.
    private func mistake<T: Decodable>(_ type: T.Type, _ value: Value?) -> String? {
        do {
            _ = try ValueDecoder.decode(type, from: value)
            return nil
        } catch DecodingError.typeMismatch(_, let context) {
            return "type " + context.codingPath.map(\.stringValue).joined(separator: ".")
        } catch DecodingError.dataCorrupted(let context) {
            return "content " + context.codingPath.map(\.stringValue).joined(separator: ".")
        } catch DecodingError.keyNotFound(let key, _) {
            return "missing \(key.stringValue)"
        } catch DecodingError.valueNotFound(_, let context) {
            return "none " + context.codingPath.map(\.stringValue).joined(separator: ".")
        } catch {
            return "\(error)"
        }
    }

    @Test func `scalars are what they are`() throws {
        #expect(try ValueEncoder.encode(true)?.typeName == "boolean")
        #expect(try ValueEncoder.encode(Int8(-5)) == .integer(-5))
        #expect(try ValueEncoder.encode(UInt64.max) == .integer(Integer(UInt64.max)))
        #expect(try ValueEncoder.encode(Int128(UInt64.max)) == .integer(Integer(UInt64.max)))
        #expect(try ValueEncoder.encode(Float(0.1)) == .real(Double(Float(0.1))))
        #expect(try ValueEncoder.encode(Date(timeIntervalSinceReferenceDate: 2.5)) == .date(2.5))
        #expect(try ValueEncoder.encode(Data([1, 2])) == .data([1, 2]))
        #expect(try ValueEncoder.encode([UInt8(1)]) == .array([.integer(1)]))
        let url = try #require(URL(string: "b", relativeTo: URL(string: "https://h/a/")))
        #expect(try ValueEncoder.encode(url) == .string("https://h/a/b"))
        #expect(try ValueEncoder.encode(Int?.none) == nil)
        let gaps: [String: Int?] = ["a": nil, "b": 1]
        #expect(try ValueEncoder.encode(gaps) == .dictionary(["b": .integer(1)]))
    }

    @Test func `keys and texts keep their bytes`() throws {
        let texts = ["\u{e9}": "e\u{301}", "\u{0}": "\u{feff}"]
        let value = try ValueEncoder.encode(texts)
        #expect(value == .dictionary(["\u{e9}": .string("e\u{301}"), "\u{0}": .string("\u{feff}")]))
        // Two keys that Swift takes for equal.
        let both = Value.dictionary(["\u{e9}": .integer(1), "e\u{301}": .integer(2)])
        #expect(try ValueDecoder.decode(Accents.self, from: both) == Accents(one: 1, other: 2))
    }

    /// Two properties whose keys Swift takes for equal.
    private struct Accents: Codable, Equatable {
        enum CodingKeys: Int, CodingKey {
            case one, other
            var stringValue: String { self == .one ? "\u{e9}" : "e\u{301}" }
        }
        var one: Int
        var other: Int
    }

    @Test func `what does not fit is refused with its place`() {
        #expect(place(of: ["a": [Int128.max]]) == ["a", "0"])
        #expect(place(of: ["a": [UInt128.max]]) == ["a", "0"])
        #expect(place(of: ["d": Date(timeIntervalSinceReferenceDate: .infinity)]) == ["d"])
        #expect(place(of: [1, nil, 3]) == ["1"])
        #expect(place(of: ["a": [[1], [nil]]]) == ["a", "1", "0"])
    }

    @Test func `numbers are exact or refused`() {
        #expect(mistake(Int8.self, .integer(127)) == nil)
        #expect(mistake(Int8.self, .integer(128)) == "content ")
        #expect(mistake(UInt.self, .integer(-1)) == "content ")
        #expect(mistake(Int.self, .integer(Integer(UInt64.max))) == "content ")
        #expect(mistake(Int.self, .real(3)) == nil)
        #expect(mistake(Int.self, .real(3.5)) == "content ")
        #expect(mistake(Int.self, .real(.nan)) == "content ")
        #expect(mistake(Double.self, .integer(1 << 53)) == nil)
        #expect(mistake(Double.self, .integer((1 << 53) + 1)) == "content ")
        #expect(mistake(Float.self, .integer((1 << 24) + 1)) == "content ")
        #expect(mistake(Float.self, .real(0.1)) == nil)
        #expect(mistake(Float.self, .real(1e300)) == "content ")
        #expect(mistake(Float.self, .real(.infinity)) == nil)
    }

    @Test func `types are not taken for each other`() {
        let values: [Value] = [
            .string("1"), .boolean(true), .integer(1), .real(1), .date(1), .data([1]), .array([]), .dictionary([:]),
        ]
        /// The names of the types of values that a type takes.
        func taken<T: Decodable>(_ type: T.Type) -> [String] {
            values.filter { mistake(type, $0) == nil }.map(\.typeName)
        }
        #expect(taken(Bool.self) == ["boolean"])
        #expect(taken(Int.self) == ["integer", "float"])
        #expect(taken(Double.self) == ["integer", "float"])
        #expect(taken(String.self) == ["string"])
        #expect(taken(Date.self) == ["date"])
        #expect(taken(Data.self) == ["data"])
        #expect(taken([Int].self) == ["array"])
        #expect(taken([String: Int].self) == ["dictionary"])
        #expect(mistake(Int.self, nil) == "none ")
        #expect(mistake(Int?.self, nil) == nil)
        #expect(mistake([String: [Int]].self, .dictionary(["a": .array([.integer(1), .string("2")])])) == "type a.1")
        #expect(mistake(URL.self, .string("")) == "content ")
        #expect(mistake(Nested.self, .dictionary([:])) == "missing inner")
    }

    @Test func `containers may be nested by hand`() throws {
        let nested = Nested(a: 5, list: [1, 2, 3])
        let value = try ValueEncoder.encode(nested)
        #expect(try ValueDecoder.decode(Nested.self, from: value) == nested)
        guard case .dictionary(let entries)? = value else {
            Issue.record("no dictionary")
            return
        }
        #expect(Set(entries.keys) == ["inner", "list"])
        #expect(try ValueEncoder.encodeEntries(nested)["maybe"] == .some(nil))
        let full = Nested(maybe: 4)
        #expect(try ValueDecoder.decode(Nested.self, from: try ValueEncoder.encode(full)) == full)
    }

    @Test func `superclasses are apart`() throws {
        let object = Derived()
        (object.base, object.derived) = (7, 8)
        let value = try ValueEncoder.encode(object)
        #expect(value == .dictionary(["derived": .integer(8), "super": .dictionary(["base": .integer(7)])]))
        let copy = try ValueDecoder.decode(Derived.self, from: value)
        #expect(copy.base == 7 && copy.derived == 8)
    }

    @Test func `types that contain themselves end with an error`() throws {
        let ring = Ring()
        ring.next = ring
        #expect(place(of: ring)?.count == 128)
        ring.next = nil
        #expect(place(of: Loop()) == [])
        var chain = Value.dictionary([:])
        for _ in 0..<100 { chain = .dictionary(["next": chain]) }
        #expect(mistake(Ring.self, chain) == nil)
        for _ in 0..<400 { chain = .dictionary(["next": chain]) }
        #expect(mistake(Ring.self, chain)?.hasPrefix("content next.next.") == true)
        var list = Value.array([])
        for _ in 0..<500 { list = .array([list]) }
        #expect(mistake(Tree.self, list)?.hasPrefix("content ") == true)
    }

    /// An array of itself.
    private struct Tree: Decodable {
        /// The parts.
        var parts: [Tree]
        init(from decoder: any Decoder) throws { parts = try [Tree](from: decoder) }
    }

    @Test func `deep types need little stack`() async throws {
        // 128 levels, on a thread with half a megabyte, as some have that applications make.
        var chain = Ring()
        for _ in 0..<126 {
            let ring = Ring()
            ring.next = chain
            chain = ring
        }
        nonisolated(unsafe) let deep = chain
        let isDone = await withCheckedContinuation { continuation in
            let thread = Thread {
                let value = try? ValueEncoder.encode(deep)
                let copy = try? ValueDecoder.decode(Ring.self, from: value)
                continuation.resume(returning: copy != nil)
            }
            thread.stackSize = 512 << 10
            thread.start()
        }
        #expect(isDone)
    }
}
