import Foundation
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPreferences

/// What a storage reports of a file that others may have changed.
struct FileStorageTests {
    /// The domain of the tests.
    private let place = StoredPlace(domain: "org.x", host: .anyHost)

    @Test func `an unchanged file is said to be unchanged, and any other is read`() throws {
        let home = try TemporaryFolder()
        let (one, other) = (FileStorage(home.preferences()), FileStorage(home.preferences()))
        #expect(try one.read(place).isMissing)
        let saved = try one.save(place, ["a": .integer(1)], replacing: false)
        #expect(saved.isWritten && saved.foreign.isEmpty && saved.path == home.config + "/org.x.plist")
        #expect(try one.read(place).isUnchanged)
        #expect(try !one.save(place, ["a": .integer(1), "b": nil], replacing: false).isWritten)
        #expect(try other.read(place).values == ["a": .integer(1)])
        _ = try other.save(place, ["b": .string("c")], replacing: false)
        #expect(try one.read(place).values == ["a": .integer(1), "b": .string("c")])
        #expect(try one.read(place).isUnchanged)
        try FileManager.default.removeItem(atPath: saved.path)
        #expect(try one.read(place).isMissing)
        #expect(
            try other.save(place, ["z": .integer(0)], replacing: false).foreign
                == (["a": nil, "b": nil] as [Key: Value?]))
    }

    @Test func `a write reports what others changed, without its own changes`() throws {
        let home = try TemporaryFolder()
        let (one, other) = (FileStorage(home.preferences()), FileStorage(home.preferences()))
        _ = try one.save(place, ["a": .integer(1), "b": .integer(1), "c": .integer(1)], replacing: false)
        let first = try other.save(place, ["a": .integer(2), "b": nil, "d": .integer(2)], replacing: false)
        #expect(first.foreign == (["c": .integer(1)] as [Key: Value?]))
        let second = try one.save(place, ["d": .integer(3)], replacing: false)
        #expect(second.foreign == (["a": .integer(2), "b": nil] as [Key: Value?]))
        let third = try other.modify(place) { values in
            #expect(values == ["a": .integer(2), "c": .integer(1), "d": .integer(3)])
            return ["d": .integer(4), "e": .integer(4)]
        }
        #expect(third.foreign.isEmpty && third.isWritten)
        let last = try one.save(place, ["f": .integer(5), "g": nil], replacing: true)
        #expect(last.foreign.isEmpty && last.isWritten)
        #expect(try other.read(place).values == ["f": .integer(5)])
    }

    @Test func `a change in the same moment and of the same size is seen`() throws {
        let home = try TemporaryFolder()
        let (one, other) = (FileStorage(home.preferences()), FileStorage(home.preferences()))
        let file = home.config + "/org.x.plist"
        _ = try one.save(place, ["n": .integer(100)], replacing: false)
        for number in 101..<400 {
            switch number % 3 {
            case 0:
                _ = try other.save(place, ["n": .integer(number)], replacing: false)
            case 1:
                // Another program that writes in place, as Foundation does.
                let bytes = try XMLWriter.write(.dictionary(["n": .integer(number)]))
                let descriptor = open(file, O_WRONLY)
                #expect(pwrite(descriptor, bytes, bytes.count, 0) == bytes.count)
                close(descriptor)
            default:
                _ = try one.save(place, ["n": .integer(number)], replacing: false)
                #expect(try one.read(place).isUnchanged)
                continue
            }
            #expect(try one.read(place).values == ["n": .integer(number)])
        }
    }

    @Test(arguments: 0..<4) func `what a storage reported is stored, with several writers`(seed: Int) throws {
        let home = try TemporaryFolder()
        let storages = [FileStorage(home.preferences()), FileStorage(home.preferences())]
        var mirrors: [[Key: Value]] = [[:], [:]]
        var model: [Key: Value] = [:]
        var random = SystemRandomNumberGenerator()
        let values: [Value] = [
            .integer(1), .integer(22), .string("text & more"), .array([.boolean(true)]), .dictionary(["k": .real(0.5)]),
            .string("\u{1b}"), .date(0.25), .boolean(false), .data([1, 2, 3]),
        ]
        /// Some changes; rarely such that XML cannot hold them.
        func changes() -> [Key: Value?] {
            var changes: [Key: Value?] = [:]
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let key = Key("key\(Int.random(in: 0..<12, using: &random))")
                let value = values[Int.random(in: 0..<(Int.random(in: 0..<40) == 0 ? values.count : 5), using: &random)]
                changes[key] = .some(Int.random(in: 0..<4, using: &random) == 0 ? nil : value)
            }
            return changes
        }
        for _ in 0..<250 {
            let who = Int.random(in: 0..<2, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0...3:
                let changes = changes()
                let save = try storages[who].save(place, changes, replacing: false)
                for (key, value) in save.foreign { mirrors[who][key] = value }
                for (key, value) in changes {
                    mirrors[who][key] = value
                    model[key] = value
                }
            case 4:
                let values = changes().compactMapValues { $0 }
                _ = try storages[who].save(place, values.mapValues(Optional.some), replacing: true)
                (mirrors[who], model) = (values, values)
            case 5:
                // A program that knows no lock, and another layout.
                let bytes = Array("{ key1 = foreign; }".utf8)
                let isOpenStep = Bool.random(using: &random)
                model["key1"] = .string("foreign")
                try home.put(
                    isOpenStep ? bytes : XMLWriter.write(.dictionary(model.filter { XMLWriter.canHold($0.value) })),
                    at: ".config/org.x.plist")
                model = isOpenStep ? ["key1": .string("foreign")] : model.filter { XMLWriter.canHold($0.value) }
                continue
            default:
                switch try storages[who].read(place) {
                case .missing: mirrors[who] = [:]
                case .unchanged: break
                case .values(let values, _): mirrors[who] = values
                }
            }
            #expect(Value.areIdentical(mirrors[who], model))
            #expect(Value.areIdentical(try home.preferences().read("org.x", host: .anyHost)?.values ?? [:], model))
        }
    }

    @Test func `threads that share a storage lose nothing, and readers see every state whole`() async throws {
        let home = try TemporaryFolder()
        let storage = FileStorage(home.preferences())
        let (threads, count) = (6, 60)
        await withTaskGroup { group in
            for thread in 0..<threads {
                group.addTask {
                    for number in 0..<count {
                        let changes: [Key: Value?] = [
                            Key("\(thread)-\(number)"): .integer(number), Key("\(thread)"): .integer(number),
                        ]
                        #expect(throws: Never.self) { try storage.save(place, changes, replacing: false) }
                        #expect(throws: Never.self) {
                            try storage.modify(place) { values in
                                guard case .integer(let sum) = values["sum"] else { return ["sum": .integer(1)] }
                                return ["sum": .integer(Int(sum.int64 ?? 0) + 1)]
                            }
                        }
                    }
                }
            }
            group.addTask {
                let reader = FileStorage(home.preferences())
                for _ in 0..<threads * count {
                    #expect(throws: Never.self) {
                        guard let values = try reader.read(place).values else { return }
                        for thread in 0..<threads {
                            guard case .integer(let last) = values[Key("\(thread)")] else { continue }
                            #expect(values[Key("\(thread)-\(last)")] == .integer(last))
                        }
                    }
                }
            }
        }
        let values = try #require(try home.preferences().read("org.x", host: .anyHost)).values
        #expect(values.count == threads * (count + 1) + 1)
        #expect(values["sum"] == .integer(threads * count))
        #expect(try storage.read(place).isUnchanged)
    }

    @Test func `a damaged file is refused to readers, and set aside and reported by the next write`() throws {
        let home = try TemporaryFolder()
        let storage = FileStorage(home.preferences())
        _ = try storage.save(place, ["a": .integer(1), "b": .integer(2)], replacing: false)
        let whole = try home.bytes(at: ".config/org.x.plist")
        let damaged = Array(whole.dropLast(20))
        try home.put(damaged, at: ".config/org.x.plist")
        #expect(throws: PreferencesError.self) { try storage.read(place) }
        try home.put(whole, at: ".config/org.x.plist")
        #expect(try storage.read(place).values == ["a": .integer(1), "b": .integer(2)])
        try home.put(damaged, at: ".config/org.x.plist")
        let save = try storage.save(place, ["c": .integer(3)], replacing: false)
        #expect(save.foreign == (["a": nil, "b": nil] as [Key: Value?]) && save.damaged.count == 1)
        #expect(try storage.read(place).isUnchanged)
        let aside = try #require(try home.names().first { $0.hasPrefix("org.x.plist.damaged-") })
        #expect(save.damaged.first?.setAsidePath == home.config + "/" + aside)
        #expect(try home.bytes(at: ".config/" + aside) == damaged)
        #expect(try home.preferences().read("org.x", host: .anyHost)?.values == ["c": .integer(3)])
    }

    @Test func `a damaged file has a name at every moment in which a writer can be killed`() throws {
        let home = try TemporaryFolder()
        let file = try home.put("<plist", at: ".config/org.x.plist")
        // What a kill leaves between the second name and the new file.
        try FileManager.default.linkItem(atPath: file, toPath: file + ".damaged-before")
        try home.put("half a new file", at: ".config/.managed-defaults.tmp")
        let save = try FileStorage(home.preferences()).save(place, ["a": .integer(1)], replacing: false)
        #expect(save.damaged.count == 1)
        let kept = try home.names().filter { $0 != "org.x.plist" }
        #expect(kept.count == 2)
        for name in kept { #expect(try home.bytes(at: ".config/" + name) == Array("<plist".utf8)) }
        #expect(try home.preferences().read("org.x", host: .anyHost)?.values == ["a": .integer(1)])
    }

    @Test func `a leftover at the path of new files is removed, except a folder`() throws {
        let home = try TemporaryFolder()
        let storage = FileStorage(home.preferences())
        let outside = try home.put("outside", at: "outside")
        try FileManager.default.createDirectory(atPath: home.config, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: home.config + "/.managed-defaults.tmp", withDestinationPath: outside)
        #expect(try storage.save(place, ["a": .integer(1)], replacing: false).isWritten)
        #expect(try home.bytes(at: "outside") == Array("outside".utf8))
        #expect(try home.names() == ["org.x.plist"])
        try FileManager.default.createDirectory(
            atPath: home.config + "/.managed-defaults.tmp", withIntermediateDirectories: false)
        #expect(throws: PreferencesError.self) { try storage.save(place, ["a": .integer(2)], replacing: false) }
        #expect(try storage.read(place).isUnchanged)
    }

    @Test func `a link stays a link, and its target is what is written`() throws {
        let home = try TemporaryFolder()
        let target = try home.put("{ a = b; }", at: "dotfiles/x.plist")
        try FileManager.default.createDirectory(atPath: home.config, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: home.config + "/org.x.plist", withDestinationPath: "../dotfiles/x.plist")
        let storage = FileStorage(home.preferences())
        for number in 0..<3 {
            let save = try storage.save(place, ["n": .integer(number)], replacing: false)
            #expect(save.path == target)
            #expect(try storage.read(place).isUnchanged)
        }
        let other = try home.put("{ other = c; }", at: "dotfiles/y.plist")
        try FileManager.default.removeItem(atPath: home.config + "/org.x.plist")
        try FileManager.default.createSymbolicLink(
            atPath: home.config + "/org.x.plist", withDestinationPath: other)
        #expect(try storage.read(place).values == ["other": .string("c")])
    }

    @Test(.enabled(if: StoreProgram.canMount, "no file system can be mounted here"))
    func `a link to another file system is written there`() throws {
        let home = try TemporaryFolder()
        let result = try StoreProgram.runMounting(
            """
            cd '\(home.path)'
            mkdir other .config
            mount -t tmpfs -o size=200k,mode=700 none other
            ln -s ../other/x.plist .config/org.x.plist
            $program text '\(home.path)' a 1
            $program text '\(home.path)' b 2
            ls -A other .config
            grep -c '<key>' other/x.plist
            """)
        #expect(
            result.output == "saved\nsaved\n.config:\n.managed-defaults.lock\norg.x.plist\n\nother:\nx.plist\n2\n",
            "\(result.output) \(result.error)")
    }

    @Test func `domains, folders and names of files belong together`() throws {
        let home = try TemporaryFolder()
        let storage = FileStorage(home.preferences())
        #expect(try storage.domains().isEmpty)
        let global = StoredPlace(domain: DomainName.global, host: .anyHost)
        let here = StoredPlace(domain: "org.y", host: .thisHost)
        for place in [place, global, here] { _ = try storage.save(place, ["a": .integer(1)], replacing: false) }
        #expect(try storage.domains() == ["NSGlobalDomain", "org.x"])
        for place in [place, global, here] {
            let path = try #require(storage.path(of: place))
            let name = (path as NSString).lastPathComponent
            #expect(storage.folders.contains((path as NSString).deletingLastPathComponent))
            #expect(storage.place(ofName: name, inFolder: (path as NSString).deletingLastPathComponent) == place)
        }
        for name in [".managed-defaults.lock", ".managed-defaults.tmp", "org.x.plist.damaged-1", "a..b.plist", "x"] {
            for folder in storage.folders { #expect(storage.place(ofName: name, inFolder: folder) == nil) }
        }
        #expect(storage.place(ofName: "org.x.plist", inFolder: "/elsewhere") == nil)
    }

    @Test(arguments: ["../x", "/etc/x", "a/b", "a\0b", "a\u{1b}b", "a\nb", "", "..", "a..b"])
    func `names that no file may have are refused`(name: String) throws {
        let home = try TemporaryFolder()
        for storage in [FileStorage(home.preferences()) as any DomainStorage, MemoryStorage()] {
            let place = StoredPlace(domain: Key(name), host: .anyHost)
            #expect(throws: PreferencesError.self) { try storage.read(place) }
            #expect(throws: PreferencesError.self) { try storage.save(place, ["a": .integer(1)], replacing: false) }
            #expect(throws: PreferencesError.self) { try storage.modify(place) { _ in ["a": .integer(1)] } }
            #expect(storage.path(of: place) == nil)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.path).isEmpty)
    }

    @Test func `a storage in memory answers as one in files does`() throws {
        let home = try TemporaryFolder()
        for storage in [FileStorage(home.preferences()) as any DomainStorage, MemoryStorage()] {
            #expect(try storage.read(place).isMissing)
            #expect(try storage.save(place, ["a": .integer(1)], replacing: false).isWritten)
            #expect(try storage.read(place).isUnchanged)
            #expect(try !storage.save(place, ["a": .integer(1)], replacing: false).isWritten)
            #expect(try storage.modify(place) { ["n": .integer($0.count)] }.isWritten)
            #expect(try storage.domains() == ["org.x"])
            #expect(try storage.save(place, ["b": .integer(2)], replacing: true).foreign.isEmpty)
            var stored: [Key: Value] = [:]
            _ = try storage.modify(place) { values in
                stored = values
                return [:]
            }
            #expect(stored == ["b": .integer(2)])
        }
    }
}

extension XMLWriter {
    /// Whether XML can hold a value exactly.
    fileprivate static func canHold(_ value: Value) -> Bool {
        if case .date(let seconds) = value, seconds != seconds.rounded() { return false }
        return (try? write(value)) != nil
    }
}
