import MDTestSupport
import Testing

@testable import MDPropertyList

/// What is read quickly, changed in place and followed is what the strict reader and the writer say.
struct XMLDictionaryTextTests {
    /// A random domain that XML can hold.
    private func domain(_ count: Int, using random: inout SplitMix) throws -> [Key: Value] {
        var values: [Key: Value] = [:]
        while values.count < count {
            let value = RandomValue.make(depth: 3, using: &random)
            guard case .dictionary(let keys) = RandomValue.make(depth: 1, using: &random), let key = keys.keys.first,
                (try? XMLWriter.write(.dictionary([key: value]))) != nil
            else { continue }
            values[key] = value
        }
        return values
    }

    /// The result of the strict reader: the values, or `nil` if there is an error or a warning.
    private func strictly(_ bytes: [UInt8]) -> [Key: Value]? {
        guard let document = try? Document.read(bytes), document.warnings.isEmpty,
            let entries = try? document.rootEntries()
        else { return nil }
        return Node.dictionary(entries)
    }

    /// Whether two domains have the same types and bits throughout.
    private func areSame(_ one: [Key: Value], _ other: [Key: Value]) throws -> Bool {
        try BinaryWriter.write(.dictionary(one)) == BinaryWriter.write(.dictionary(other))
    }

    /// Fails unless what is read quickly is what the strict reader reads.
    private func check(_ bytes: [UInt8]) throws {
        guard let quick = XMLDictionaryText.read(bytes) else { return }
        let text = String(decoding: bytes, as: UTF8.self)
        let strict = try #require(strictly(bytes), "only the quick reader takes \(text)")
        #expect(try areSame(quick.values, strict), "both differ on \(text)")
    }

    @Test(arguments: Sweeping.seeds(0..<8, usual: 3))
    func `the quick reader agrees with the strict one on what was written`(seed: Int) throws {
        var random = SplitMix(state: UInt64(seed))
        var quickly = 0
        for _ in 0..<20 {
            let values = try domain(Int.random(in: 0...12, using: &random), using: &random)
            let bytes = try XMLWriter.write(.dictionary(values))
            try check(bytes)
            if let quick = XMLDictionaryText.read(bytes) {
                quickly += 1
                #expect(quick.text?.bytes == bytes)
            }
        }
        #expect(quickly > 0)
    }

    @Test(arguments: 0..<4) func `the quick reader accepts no changed byte that the strict one refuses`(seed: Int)
        throws
    {
        var random = SplitMix(state: UInt64(100 + seed))
        let pieces: [[UInt8]] =
            [
                "<", ">", "&", "/", "\0", "\u{1f}", "\t", "\n", "\r", " ", "<key>", "</key>", "<dict>", "</dict>",
                "<true/>",
                "]]>", "&amp;", "&#13;", "&#0;", "&bogus;", "-", "+", "0", "999999999999999999", ".", "e", "<!-- -->",
                "\u{ffff}", "\u{fffd}", "é", "<array/>", "<string/>", "<integer>", "x",
            ].map { Array($0.utf8) } + [[0xff], [0xc3], [0xef, 0xbf], [0xed, 0xa0, 0x80]]
        var values = try domain(4, using: &random)
        values["n"] = .integer(-12)
        values["r"] = .real(1.25)
        values["t"] = .string("a & b < c > d")
        values["d"] = .dictionary(["k": .array([.boolean(true), .data([1, 2, 3]), .date(0)]), "l": .string("")])
        let original = try XMLWriter.write(.dictionary(values))
        try check(original)
        for _ in 0..<3_000 {
            var bytes = original
            for _ in 0...Int.random(in: 0...1, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                let end = min(place + Int.random(in: 0...8, using: &random), bytes.count)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.removeSubrange(place..<end)
                case 2: bytes.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: place)
                default: bytes.replaceSubrange(place..<end, with: pieces.randomElement(using: &random) ?? [])
                }
            }
            try check(bytes)
        }
        for length in stride(from: 0, to: original.count, by: 3) { try check(Array(original[..<length])) }
    }

    @Test func `limits hold for what is read quickly`() throws {
        let bytes = try XMLWriter.write(.dictionary(["a": .integer(1)]))
        #expect(XMLDictionaryText.read(bytes) != nil)
        #expect(XMLDictionaryText.read(bytes, limits: Limits(bytes: 10, depth: 512, objects: 4_000_000)) == nil)
        #expect(XMLDictionaryText.read(bytes, limits: Limits(bytes: 1_000, depth: 2, objects: 4_000_000)) == nil)
        #expect(XMLDictionaryText.read(bytes, limits: Limits(bytes: 1_000, depth: 512, objects: 3)) == nil)
        var deep = Value.array([])
        for _ in 0..<XMLQuickParser.maximumDepth { deep = .array([deep]) }
        let nested = try XMLWriter.write(.dictionary(["a": deep]))
        #expect(XMLDictionaryText.read(nested) == nil)
        #expect(strictly(nested) != nil)
    }

    @Test(arguments: Sweeping.seeds(0..<6, usual: 2)) func `a text changed key by key is the text written anew`(
        seed: Int
    ) throws {
        var random = SplitMix(state: UInt64(200 + seed))
        var values = try domain(Int.random(in: 0...6, using: &random), using: &random)
        var text = try XMLDictionaryText(values)
        for _ in 0..<120 {
            let isRemoval = Bool.random(using: &random)
            let addition = try domain(1, using: &random)
            guard let key = (isRemoval ? values : addition).keys.sorted().randomElement(using: &random) ?? "x" as Key?
            else { continue }
            try text.set(addition[key], for: key)
            values[key] = addition[key]
            #expect(text.bytes == (try XMLWriter.write(.dictionary(values))))
        }
    }

    @Test func `what XML cannot hold changes nothing`() throws {
        var text = try XMLDictionaryText(["a": .integer(1)])
        let before = text.bytes
        for value in [Value.string("\u{1b}"), .dictionary(["\0": .integer(1)]), .date(1e15)] {
            #expect(throws: PropertyListError.self) { try text.set(value, for: "b") }
            #expect(throws: PropertyListError.self) { try text.set(value, for: "a") }
        }
        #expect(text.bytes == before)
    }

    @Test(arguments: Sweeping.seeds(0..<8, usual: 3))
    func `a file that others changed is followed as if it were read anew`(seed: Int) throws {
        var random = SplitMix(state: UInt64(300 + seed))
        var values = try domain(8, using: &random)
        var text = try XMLDictionaryText(values)
        var followed = 0
        for _ in 0..<80 {
            var other = values
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                if Bool.random(using: &random), let key = other.keys.sorted().randomElement(using: &random) {
                    other[key] = nil
                } else {
                    other.merge(try domain(1, using: &random)) { $1 }
                }
            }
            var bytes = try XMLWriter.write(.dictionary(other))
            if Int.random(in: 0..<8, using: &random) == 0 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let before = text.bytes
            guard let changes = text.follow(bytes) else {
                #expect(text.bytes == before)
                continue
            }
            followed += 1
            let strict = try #require(strictly(bytes))
            for (key, value) in changes { values[key] = value }
            #expect(try areSame(values, strict))
            #expect(text.bytes == bytes)
            // The text must still have the offset of each key.
            var copy = text
            for key in values.keys.sorted() { try copy.set(values[key], for: key) }
            #expect(strictly(copy.bytes) != nil)
        }
        #expect(followed > 20)
    }
}
