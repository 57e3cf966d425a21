import Foundation
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore
@testable import MDPrograms

/// Compares the resolver with a naive one that was written apart from it: random policy is data for the naive one, and
/// files in a machine's directories for the other, which answers from them, and from a table that was compiled of them.
struct RandomResolverTests {
    @Test(arguments: Sweeping.seeds(0..<12, usual: 4))
    func `agrees with the naive resolver`(_ seed: UInt64) throws {
        var maker = NaiveMaker(seed: seed)
        let machine = try TemporaryMachine()
        try machine.write(
            "/etc/passwd", (0..<4).map { "u\($0):x:\(1000 + $0):\(2000 + $0 % 3)::/home/u:/bin/sh\n" }.joined())
        try machine.write("/etc/group", "g0:x:2000:u1,u3\ng1:x:2001:u3\ng2:x:2002:u3\n")
        for round in 0..<10 {
            let files = maker.files()
            try machine.makeDirectory("/etc/managed-defaults/policies.d")
            try machine.makeDirectory("/run/managed-defaults/policies.d")
            for file in files { try write(file, to: machine, &maker) }
            let set = machine.load()
            #expect(set.files.map(\.path).map { ($0 as NSString).lastPathComponent } == files.map(\.name))
            #expect(set.files.allSatisfy { $0.policy != nil }, "\(set.diagnostics)")
            let bytes = CompiledTable.compile(set, host: "hall", tags: [], surroundings: [], sources: [])
            let compiled = try CompiledTable(checking: TablePages(try #require(bytes)), root: nil)
            let table = try #require(compiled)
            for _ in 0..<8 {
                let naive = NaiveResolver(files: files, who: maker.subject())
                let subject = try subject(naive.who, machine)
                try compare(
                    set.resolve(for: subject), naive, NaiveMaker.places,
                    "seed \(seed), round \(round), from the sources")
                try compare(
                    table.resolve(for: subject), naive, NaiveMaker.places,
                    "seed \(seed), round \(round), from the table")
                for place in NaiveMaker.places {
                    let entry = try table.forcedEntry(domain: Key(place.domain), key: Key(place.key), for: subject)
                    let comment = "seed \(seed), round \(round), \(place), from the table"
                    compare(entry, naive.forced(place), comment)
                }
            }
            try machine.remove("/etc/managed-defaults/policies.d")
            try machine.remove("/run")
        }
    }

    @Test(arguments: Sweeping.seeds(0..<12, usual: 4))
    func `agrees with the naive resolver about common settings in all levels`(_ seed: UInt64) throws {
        var maker = NaiveMaker(seed: 977 &+ seed)
        (maker.places, maker.sealed) = (NaiveCommon.places, NaiveCommon.sealed)
        let machine = try TemporaryMachine()
        try machine.write(
            "/etc/passwd", (0..<4).map { "u\($0):x:\(1000 + $0):\(2000 + $0 % 3)::/home/u:/bin/sh\n" }.joined())
        try machine.write("/etc/group", "g0:x:2000:u1,u3\ng1:x:2001:u3\ng2:x:2002:u3\n")
        try machine.write("/usr/share/managed-defaults/programs/all.json", NaiveCommon.data)
        for round in 0..<10 {
            let files = maker.files()
            try machine.makeDirectory("/etc/managed-defaults/policies.d")
            try machine.makeDirectory("/run/managed-defaults/policies.d")
            for file in files { try write(file, to: machine, &maker) }
            let expansion = PolicyExpansion.commonSettings(of: machine.root)
            // To expand what was expanded changes nothing.
            let set = expansion.expand(expansion.expand(machine.load()))
            #expect(set.knowledge.isDecisive && set.files.allSatisfy { $0.policy != nil }, "\(set.diagnostics)")
            for _ in 0..<8 {
                let naive = NaiveResolver(files: NaiveCommon.expanded(files), who: maker.subject())
                let subject = try subject(naive.who, machine)
                try compare(set.resolve(for: subject), naive, NaiveCommon.places, "seed \(seed), round \(round)")
            }
            try machine.remove("/etc/managed-defaults/policies.d")
            try machine.remove("/run")
        }
    }

    /// Writes a file into one of the two directories, and sometimes a file that it replaces into the other.
    private func write(_ file: NaiveFile, to machine: TemporaryMachine, _ maker: inout NaiveMaker) throws {
        let directories = ["/etc/managed-defaults/policies.d/", "/run/managed-defaults/policies.d/"]
        let isTemporary = maker.number(3) == 0
        let format: NaiveFile.Format =
            file.name.hasSuffix(".json") ? .json : maker.number(2) == 0 ? .xml : .binary
        try machine.write(directories[isTemporary ? 1 : 0] + file.name, try file.bytes(in: format))
        if isTemporary, maker.number(2) == 0 {
            try machine.write(directories[0] + file.name, try maker.file(file.name).bytes(in: format))
        }
    }

    /// The subject on the machine that corresponds to the naive one.
    private func subject(_ who: NaiveSubject, _ machine: TemporaryMachine) throws -> Subject {
        let account = try #require(AccountDatabase(root: machine.root).account(named: who.user))
        return Subject(
            userName: account.name, uid: account.uid, gid: account.gid,
            groups: AccountDatabase(root: machine.root).groups(of: account), home: account.home,
            host: try #require(HostName(who.hosts[1])), tags: Set(who.tags.map { Key($0) }),
            moment: Moment(
                time: Timestamp(microseconds: Int64(who.now) * 1_000_000), zones: ZoneDatabase(root: machine.root)),
            unknown: who.isKnown ? [] : .identity)
    }

    /// Asks both about everything.
    private func compare(
        _ found: ResultantSet, _ naive: NaiveResolver, _ places: [NaivePlace], _ round: String
    ) throws {
        #expect(
            found.applied.map(\.name) == naive.files.filter { !$0.isMade && naive.applies($0.target) }.map(\.name),
            "\(round)")
        for place in places {
            let (domain, key, comment) = (Key(place.domain), Key(place.key), "\(round), \(place)")
            let forced = naive.forced(place)
            compare(found.forcedEntry(domain: domain, key: key), forced, comment)
            let constraint = naive.said(place) { $0.constraints[place] }.last
            #expect(
                found.constraints[domain]?[key]?.entry.origin.name == (forced == nil ? constraint?.file.name : nil),
                "\(comment)")
            // No waiver touches these two.
            let recommended = naive.said(.nowhere) { $0.recommended[place] }.last
            #expect(found.recommended[domain]?[key]?.origin.name == recommended?.file.name, "\(comment)")
            #expect(found.recommended[domain]?[key]?.value == recommended?.item, "\(comment)")
            let once = naive.said(.nowhere) { $0.setOnce[place] }.last
            #expect(found.setOnce[domain]?[key]?.origin.name == once?.file.name, "\(comment)")
            #expect(found.setOnce[domain]?[key]?.value == once?.item, "\(comment)")
        }
    }

    /// Compares the forced value of one key.
    private func compare(
        _ found: ResolvedEntry?, _ naive: (value: Value?, files: Set<String>)?, _ comment: String
    ) {
        #expect((found == nil) == (naive == nil), "\(comment)")
        guard let found, let naive else { return }
        #expect(found.value == naive.value, "\(comment)")
        #expect(found.value?.typeName == naive.value?.typeName, "\(comment)")
        #expect((found.level == .absent) == (naive.value == nil), "\(comment)")
        let names = Set(found.contributors.map(\.name))
        #expect((names.isEmpty ? [found.origin.name] : names) == naive.files, "\(comment)")
        #expect(naive.files.contains(found.origin.name), "\(comment)")
    }
}

extension Origin {
    /// The name of the file.
    fileprivate var name: String { (file as NSString).lastPathComponent }
}

extension AppliedFile {
    /// The name of the file.
    fileprivate var name: String { (file as NSString).lastPathComponent }
}
