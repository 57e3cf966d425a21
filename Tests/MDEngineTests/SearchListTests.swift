import MDPolicyCore
import MDPreferences
import MDPropertyList
import Testing

@testable import MDEngine

struct SearchListTests {
    /// One layer of each kind; all of them have `Common`, each has a key of its own.
    static let all: [SearchLayer] = LayerKind.allCases.map { kind in
        let own: [Key: Value] = ["Common": .string(kind.rawValue), Key(kind.rawValue): .boolean(true)]
        return kind == .forced
            ? Sample.forced("app", own.mapValues { $0 }) : SearchLayer(kind, domain: "app", values: own)
    }

    @Test(arguments: LayerKind.allCases.indices)
    func `first layer that has the key wins`(_ start: Int) {
        let answer = SearchList(layers: Array(SearchListTests.all[start...])).lookUp("Common")
        #expect(answer.value == .string(LayerKind.allCases[start].rawValue))
        #expect((answer.rule.isForced) == (start == 0))
    }

    @Test func `absent entry skips all but registration`() {
        var layers = SearchListTests.all.filter { $0.kind != .forced }
        layers.insert(Sample.forced("app", ["Common": nil]), at: 0)
        let answer = SearchList(layers: layers).lookUp("Common")
        #expect(answer.value == .string("registration"))
        #expect(answer.rule.isForced)
        let without = SearchList(layers: layers.filter { $0.kind != .registration }).lookUp("Common")
        #expect(without.value == nil)
        #expect(without.rule.isForced)
    }

    @Test func `a forced value of a later domain beats an absent entry`() {
        let list = SearchList(layers: [
            Sample.forced("app", ["K": nil]), Sample.forced("NSGlobalDomain", ["K": .integer(7)]),
            SearchLayer(.application, domain: "app", values: ["K": .integer(1)]),
        ])
        #expect(list.lookUp("K").value == .integer(7))
    }

    @Test func `a lookup ends at the first domain whose policy is unknown`() {
        let unknown = ResultantSet().limited(to: .incomplete(["suite": "why"]))
        let list = SearchList(layers: [
            Sample.forced("app", ["Known": .integer(1), "Absent": nil]),
            SearchLayer(.forced, domain: "suite", entries: nil, seal: DomainSeal(of: "suite", in: unknown)),
            Sample.forced("NSGlobalDomain", ["Known": .integer(2), "Absent": .integer(2), "Later": .integer(2)]),
            SearchLayer(.application, domain: "app", values: ["Later": .integer(3), "Own": .integer(3)]),
            SearchLayer(.registration, domain: .registration, values: ["Later": .integer(4)]),
        ])
        let index = LookupIndex(list.layers)
        let values: [(Key, Value?)] = [
            ("Known", .integer(1)), ("Absent", nil), ("Later", .integer(4)), ("Own", nil), ("Other", nil),
        ]
        for (key, value) in values {
            let found = list.lookUp(key)
            #expect(found.value == value)
            #expect(found.rule.isForced)
            if case .unknownPolicy = found.rule { #expect(key != "Known") } else { #expect(key == "Known") }
            #expect(list.union[key] == value)
            #expect(index.state(of: key)?.hasValue ?? false == (value != nil))
            #expect(index.state(of: key)?.isForced ?? LookupIndex.isSealed(index.block))
        }
    }

    @Test func `union is what lookups return`() {
        let list = SearchList(layers: SearchListTests.all)
        let union = list.union
        for key in list.keys { #expect(union[key] == list.lookUp(key).value) }
        #expect(union.count == LayerKind.allCases.count + 1)
    }

    @Test func `the standard list has the order of the design`() {
        let order = SearchOrder(
            application: "app", suites: ["late", "early"], customList: nil, volatile: [.argument], languages: ["de"])
        #expect(order.forcingDomains == ["app", "late", "early", "NSGlobalDomain"])
        let kinds = order.positions.map(\.kind)
        #expect(
            kinds == [
                .forced, .forced, .forced, .forced, .argument, .applicationHost, .application, .suite, .suite, .suite,
                .suite, .globalHost, .global, .applicationAllUsers, .globalAllUsers, .recommended, .recommended,
                .recommended, .recommended, .language, .registration, .language,
            ])
        #expect(order.positions.last == LayerPosition(.language, DomainName.global))
        #expect(order.positions.filter { $0.kind == .suite }.map(\.domain) == ["late", "late", "early", "early"])
        #expect(order.positions.compactMap(\.stored?.host).prefix(2) == [.thisHost, .anyHost])
    }

    @Test func `a list that was set never moves the forced layers, and volatile names cannot hide them`() {
        let order = SearchOrder(
            application: "app", suites: ["suite"], customList: ["other", "volatile", .registration],
            volatile: ["volatile", "suite"], languages: ["app"])
        #expect(order.forcingDomains == ["app", "suite", "other", "NSGlobalDomain"])
        #expect(order.positions.prefix(4).allSatisfy { $0.kind == .forced })
        #expect(
            order.positions.dropFirst(4).map(\.kind) == [.suite, .suite, .recommended, .argument, .registration])
        let empty = SearchOrder(application: "app", suites: [], customList: [], volatile: [], languages: [])
        #expect(empty.positions.map(\.domain) == ["app", "NSGlobalDomain"])
    }

    @Test func `another application is searched without what only the application itself has`() {
        let order = SearchOrder(ofOther: "NSArgumentDomain")
        #expect(order.forcingDomains == ["NSArgumentDomain", "NSGlobalDomain"])
        #expect(!order.positions.contains { [.argument, .language, .registration].contains($0.kind) })
        #expect(SearchOrder(ofOther: "NSGlobalDomain").positions.count == 5)
    }
}
