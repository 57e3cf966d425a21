import MDPropertyList
import Testing

@testable import MDEngine

struct LookupIndexTests {
    /// A cell over one application layer, some forced keys and an absent one.
    static func cell(_ values: [Key: Value], forced: [Key: Value?] = [:]) -> SnapshotCell {
        let table = LookupIndex([
            Sample.forced("app", forced), SearchLayer(.application, domain: "app", values: values),
        ])
        return SnapshotCell { (table, $0()) }
    }

    @Test(arguments: [
        Value.boolean(true), .boolean(false), .integer(-5), .integer(Integer(UInt64.max)), .real(0.5),
        .real(-.infinity),
        .date(123.25), .string(""), .string("short"), .string("a text that is longer than fifteen bytes ✓"),
        .data([1, 2, 3]), .array([.string("a"), .integer(1)]), .dictionary(["k": .boolean(true)]),
    ])
    func `every type survives`(_ value: Value) {
        let cell = LookupIndexTests.cell(["Key": value])
        let read = cell.value("Key")
        #expect(read == value)
        #expect(read?.typeName == value.typeName)
        #expect(cell.value("Other") == nil)
    }

    @Test func `keys of every length are found`() {
        var values: [Key: Value] = [:]
        for length in 0...70 { values[Key(String(repeating: "k", count: length))] = .integer(length) }
        let cell = LookupIndexTests.cell(values)
        for length in 0...70 {
            #expect(cell.integer(String(repeating: "k", count: length)) == length)
            #expect(cell.value(String(repeating: "k", count: length) + "x") == nil)
        }
    }

    @Test func `thousands of keys are found and misses are misses`() {
        var values: [Key: Value] = [:]
        for index in 0..<5000 { values[Key("Key \(index)")] = .integer(index) }
        let cell = LookupIndexTests.cell(values)
        for index in 0..<5000 {
            #expect(cell.integer("Key \(index)") == index)
            #expect(cell.value("Miss \(index)") == nil)
        }
    }

    @Test func `spellings that String takes for equal are different keys`() {
        let cell = LookupIndexTests.cell(["\u{e9}": .integer(1)], forced: ["e\u{301}": .integer(2)])
        #expect(cell.integer("\u{e9}") == 1)
        #expect(cell.integer("e\u{301}") == 2)
        #expect(!cell.isForced("\u{e9}"))
        #expect(cell.isForced("e\u{301}"))
    }

    @Test func `absent keys are forced and have no value`() {
        let cell = LookupIndexTests.cell(["K": .integer(1)], forced: ["K": nil])
        #expect(cell.isForced("K"))
        #expect(cell.value("K") == nil)
        #expect(!cell.isForced("L"))
    }

    @Test func `readers on many threads see one generation or the next`() async {
        let box = Box()
        let cell = box.cell()
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var last = 0
                    for _ in 0..<20_000 {
                        let now = cell.integer("Counter")
                        // A reader never goes back to an older table.
                        if now < last { return false }
                        last = now
                    }
                    return true
                }
            }
            for _ in 0..<500 {
                box.increment(cell)
            }
            for await result in group { #expect(result) }
        }
        #expect(cell.integer("Counter") == 500)
    }

    @Test func `one writer changes a table under its readers`() async {
        // Room for changes grows with what there is.
        var values: [Key: Value] = ["Counter": .integer(0), "Text": .string("0")]
        for index in 0..<2_600 { values[Key("Filler \(index)")] = .data([1]) }
        let table = LookupIndex([SearchLayer(.application, domain: "app", values: values)])
        let cell = SnapshotCell { (table, $0()) }
        let last = 200
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    var seen = 0
                    while seen < last {
                        let now = cell.integer("Counter")
                        guard now >= seen, Int(cell.string("Text") ?? "") ?? -1 >= now else { return false }
                        if case .array(let values)? = cell.value("List") {
                            guard values.count == 2, values[0] == values[1] else { return false }
                        }
                        seen = now
                    }
                    return true
                }
            }
            for number in 1...last {
                #expect(table.put("Text", .string(String(number)), isForced: false))
                #expect(table.put("List", .array([.integer(number), .integer(number)]), isForced: false))
                #expect(table.put("Counter", .integer(number), isForced: number.isMultiple(of: 2)))
            }
            for await result in group { #expect(result) }
        }
    }

    @Test func `full table says so and changes nothing`() {
        let table = LookupIndex([SearchLayer(.application, domain: "app", values: ["A": .integer(1)])])
        let cell = SnapshotCell { (table, $0()) }
        var count = 0
        while table.put(Key("New \(count)"), .integer(count), isForced: false) { count += 1 }
        #expect(count > 0)
        for index in 0..<count { #expect(cell.integer("New \(index)") == index) }
        #expect(cell.value("New \(count)") == nil)
        #expect(cell.integer("A") == 1)
        #expect(!table.put("Data", .data([1]), isForced: false) || cell.value("Data") != nil)
    }

    @Test func `removed and forced keys change in place`() {
        let table = LookupIndex([SearchLayer(.application, domain: "app", values: ["A": .integer(1)])])
        let cell = SnapshotCell { (table, $0()) }
        #expect(table.put("A", nil, isForced: false))
        #expect(cell.value("A") == nil && !cell.isForced("A"))
        #expect(table.put("A", .string("x"), isForced: true))
        #expect(cell.string("A") == "x" && cell.isForced("A"))
        #expect(table.put("B", nil, isForced: true))
        #expect(cell.value("B") == nil && cell.isForced("B"))
    }
}
