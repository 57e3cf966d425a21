import Foundation
import MDPropertyList
import MDTestSupport
import ManagedDefaults
import Testing

/// Values that differ with a seed, in every shape that a property list has.
private struct Sample: Codable, Equatable {
    /// A choice with parts.
    enum Choice: Codable, Equatable {
        case none
        case number(Int)
        case pair(first: String, second: Double?)
    }

    var flag: Bool
    var int: Int
    var small: Int16
    var big: UInt64
    var real: Double
    var single: Float
    var text: String
    var date: Date
    var data: Data
    var maybe: Int?
    var list: [Int]
    var names: [String: String]
    var numbers: [Int: Bool]
    var choices: [Choice]
    var children: [Sample]

    /// Makes a value.
    init(_ random: inout some RandomNumberGenerator, depth: Int = 0) {
        /// A text, with characters beyond ASCII and none that XML lacks; only one spelling of each, as Foundation's
        /// encoder makes equal ones the same.
        func text() -> String {
            let scalars: [Character] = ["a", "Z", "0", " ", "é", "😀", "<", "&", "\"", "\n", "ß"]
            let count = Int.random(in: 0..<8, using: &random)
            return String((0..<count).map { _ in scalars.randomElement(using: &random) ?? "x" })
        }
        flag = .random(using: &random)
        int = .random(in: .min ... .max, using: &random)
        small = .random(in: .min ... .max, using: &random)
        big = .random(in: .min ... .max, using: &random)
        real = .random(in: -1e9...1e9, using: &random)
        single = .random(in: -1e9...1e9, using: &random)
        self.text = text()
        date = Date(
            timeIntervalSinceReferenceDate: Double(Int.random(in: -1_000_000_000...1_000_000_000, using: &random)))
        data = Data((0..<Int.random(in: 0..<40, using: &random)).map { _ in .random(in: 0...255, using: &random) })
        maybe = .random(using: &random) ? nil : .random(in: 0...9, using: &random)
        list = (0..<Int.random(in: 0..<5, using: &random)).map { _ in .random(in: -5...5, using: &random) }
        names = Dictionary((0..<3).map { _ in (text(), text()) }) { first, _ in first }
        numbers = [Int.random(in: -9...9, using: &random): true]
        choices = [.none, .number(int), .pair(first: text(), second: maybe.map { Double($0) })]
        children = depth < 2 ? (0..<2).map { _ in Sample(&random, depth: depth + 1) } : []
    }
}

struct CodingPeerTests {
    /// Where two values differ.
    static func differences(_ left: Value, _ right: Value, at path: String = "") -> [String] {
        switch (left, right) {
        case (.dictionary(let left), .dictionary(let right)):
            Set(left.keys).union(right.keys).flatMap { key -> [String] in
                guard let left = left[key], let right = right[key] else { return ["\(path).\(key)"] }
                return differences(left, right, at: "\(path).\(key)")
            }
        case (.array(let left), .array(let right)) where left.count == right.count:
            zip(left, right).enumerated().flatMap { differences($1.0, $1.1, at: "\(path).\($0)") }
        default: left == right && left.typeName == right.typeName ? [] : ["\(path): \(left), \(right)"]
        }
    }

    @Test(arguments: UInt64(0)..<40) func `Foundation reads what we encode and we read what it encodes`(seed: UInt64)
        throws
    {
        var random = SplitMix(state: seed)
        let sample = Sample(&random)
        let value = try #require(try ValueEncoder.encode(sample))
        #expect(try ValueDecoder.decode(Sample.self, from: value) == sample)
        // Through the file formats of both.
        #expect(try PropertyListDecoder().decode(Sample.self, from: Data(XMLWriter.write(value))) == sample)
        #expect(try PropertyListDecoder().decode(Sample.self, from: Data(BinaryWriter.write(value))) == sample)
        let encoder = PropertyListEncoder()
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            encoder.outputFormat = format
            let document = try Document.read(Array(try encoder.encode(sample)))
            let isSame = try ValueDecoder.decode(Sample.self, from: document.root.value) == sample
            #expect(isSame, "what Foundation encoded, in \(format), reads differently")
            let differences = CodingPeerTests.differences(document.root.value, value)
            #expect(differences.isEmpty)
        }
    }

    /// The places of the values without parts.
    static func leaves(_ value: Value, at path: [Key] = []) -> [[Key]] {
        switch value {
        case .dictionary(let entries): entries.flatMap { leaves($0.value, at: path + [$0.key]) }
        case .array(let values): values.enumerated().flatMap { leaves($1, at: path + [Key("\($0)")]) }
        default: [path]
        }
    }

    /// A value with another one in some place.
    static func replacing(_ value: Value, at path: ArraySlice<Key>, with new: Value) -> Value {
        guard let key = path.first else { return new }
        switch value {
        case .dictionary(var entries):
            entries[key] = entries[key].map { replacing($0, at: path.dropFirst(), with: new) }
            return .dictionary(entries)
        case .array(var values):
            guard let index = Int(key.string), values.indices.contains(index) else { return value }
            values[index] = replacing(values[index], at: path.dropFirst(), with: new)
            return .array(values)
        default: return value
        }
    }

    @Test(arguments: UInt64(0)..<4) func `what is of another type is refused in its place`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let value = try #require(try ValueEncoder.encode(Sample(&random)))
        for path in CodingPeerTests.leaves(value) {
            // No property of the sample takes a value of these two types but its own.
            let isData = path.last == "data"
            let broken = CodingPeerTests.replacing(value, at: path[...], with: isData ? .date(1) : .data([1]))
            do {
                _ = try ValueDecoder.decode(Sample.self, from: broken)
                Issue.record("\(path) was taken")
            } catch DecodingError.typeMismatch(_, let context) {
                #expect(context.codingPath.map(\.stringValue) == path.map(\.string))
            }
        }
    }

    @Test func `extreme numbers come back exactly`() throws {
        /// Encodes and decodes a value.
        func roundTrip<T: Codable>(_ value: T) throws -> T {
            try ValueDecoder.decode(T.self, from: try ValueEncoder.encode(value))
        }
        for number in [Double.leastNonzeroMagnitude, .greatestFiniteMagnitude, -0.0, .infinity, -.infinity, .pi] {
            #expect(try roundTrip(number).bitPattern == number.bitPattern)
        }
        #expect(try roundTrip(Double.nan).isNaN)
        for number in [Float.leastNonzeroMagnitude, .greatestFiniteMagnitude, -0.0, .infinity, .pi] {
            #expect(try roundTrip(number).bitPattern == number.bitPattern)
        }
        #expect(try roundTrip(Float.nan).isNaN)
        #expect(try roundTrip([Int.min, .max]) == [.min, .max])
        #expect(try roundTrip([UInt64.max]) == [.max])
        #expect(try roundTrip([Int128(Int64.min), Int128(UInt64.max)]) == [Int128(Int64.min), Int128(UInt64.max)])
        #expect(try roundTrip(UUID().uuidString.first.map(String.init)) != nil)
        let id = UUID()
        #expect(try roundTrip(id) == id)
        #expect(try roundTrip(Decimal(string: "12345678901234567890.5")) == Decimal(string: "12345678901234567890.5"))
    }

    /// What both decoders make of a value that is of another type than is asked for.
    @Test func `Foundation is as strict`() throws {
        /// Whether both take a value for a type.
        func taken<T: Decodable>(_ type: T.Type, _ value: Value) throws -> (ours: Bool, theirs: Bool) {
            let data = Data(try BinaryWriter.write(.dictionary(["k": value])))
            let theirs = try? PropertyListDecoder().decode([String: T].self, from: data)
            return ((try? ValueDecoder.decode(type, from: value)) != nil, theirs != nil)
        }
        let values: [Value] = [
            .string("1"), .boolean(true), .integer(1), .integer(300), .integer(-1), .date(1), .data([1]), .array([]),
            .dictionary([:]), .real(1.5),
        ]
        for value in values {
            for (ours, theirs) in [
                try taken(Bool.self, value), try taken(Int.self, value), try taken(UInt8.self, value),
                try taken(String.self, value), try taken(Date.self, value), try taken(Data.self, value),
                try taken([Int].self, value), try taken([String: Int].self, value), try taken(Double.self, value),
            ] {
                #expect(ours == theirs, "\(value)")
            }
        }
    }
}
