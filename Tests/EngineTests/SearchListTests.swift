import PropertyList
import Testing

@testable import Engine

struct SearchListTests {
    /// One layer of each kind; all of them have `Common`, each has a key of its own.
    static let all: [SearchLayer] = LayerKind.allCases.map { kind in
        let own: [Key: Value] = ["Common": .string(kind.rawValue), Key(kind.rawValue): .boolean(true)]
        return kind == .forced
            ? Sample.forced("app", own.mapValues { $0 }) : SearchLayer(kind, domain: "app", values: own)
    }

    @Test(arguments: LayerKind.allCases.indices)
    func firstLayerThatHasTheKeyWins(_ start: Int) {
        let answer = SearchList(layers: Array(SearchListTests.all[start...])).answer(for: "Common")
        #expect(answer.value == .string(LayerKind.allCases[start].rawValue))
        #expect((answer.forced != nil) == (start == 0))
    }

    @Test func absentEntrySkipsAllButRegistration() {
        var layers = SearchListTests.all.filter { $0.kind != .forced }
        layers.insert(Sample.forced("app", ["Common": nil]), at: 0)
        let answer = SearchList(layers: layers).answer(for: "Common")
        #expect(answer.value == .string("registration"))
        #expect(answer.forced != nil)
        let without = SearchList(layers: layers.filter { $0.kind != .registration }).answer(for: "Common")
        #expect(without.value == nil)
        #expect(without.forced != nil)
    }

    @Test func aForcedValueOfALaterDomainBeatsAnAbsentEntry() {
        let list = SearchList(layers: [
            Sample.forced("app", ["K": nil]), Sample.forced("NSGlobalDomain", ["K": .integer(7)]),
            SearchLayer(.application, domain: "app", values: ["K": .integer(1)]),
        ])
        #expect(list.answer(for: "K").value == .integer(7))
    }

    @Test func unionIsWhatLookupsReturn() {
        let list = SearchList(layers: SearchListTests.all)
        let union = list.union
        for key in list.keys { #expect(union[key] == list.answer(for: key).value) }
        #expect(union.count == LayerKind.allCases.count + 1)
    }

    @Test func layersAreOrderedAsTheSearchListIs() {
        #expect(LayerKind.registration.isBehind(.language))
        #expect(!LayerKind.forced.isBehind(.argument))
    }
}
