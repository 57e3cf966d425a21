import Foundation
import MDPlatform
import MDPreferences
import MDPropertyList
import MDTestSupport
import ManagedDefaults
import Testing

/// What applications get wrong, and what a broken or hostile machine does to them.
struct HardshipTests {
    /// The application's preference file.
    static let file = "home/pupil/.config/\(TemporaryMachine.application).plist"

    @Test func `no language takes a forced suite away`() throws {
        let machine = try TemporaryMachine(
            policy: """
                { "Identifier": "org.example.lab",
                  "Forced": { "en.example.Shared": { "Proxy": "school" } } }
                """)
        let arguments = ["browser", "-AppleLanguages", "(en.example.Shared)"]
        let defaults = try machine.open(arguments: arguments)
        defaults.addSuite(named: "en.example.Shared")
        #expect(defaults.string(forKey: "Proxy") == "school")
        #expect(defaults.objectIsForced(forKey: "Proxy"))
        defaults.setPersistentDomain(["Own": 1], forName: "en.example.Shared")
        #expect(defaults.integer(forKey: "Own") == 1)
    }

    @Test func `no volatile domain takes a forced suite away`() throws {
        let machine = try TemporaryMachine(
            policy: """
                { "Identifier": "org.example.lab",
                  "Forced": { "org.example.Shared": { "Proxy": "school" } } }
                """)
        let defaults = try machine.open()
        defaults.addSuite(named: "org.example.Shared")
        defaults.setVolatileDomain(["Proxy": "mine"], forName: "org.example.Shared")
        #expect(defaults.string(forKey: "Proxy") == "school")
        #expect(defaults.objectIsForced(forKey: "Proxy"))
    }

    @Test func `replacing the own domain is refused what a suite forces`() throws {
        let machine = try TemporaryMachine(
            policy: """
                { "Identifier": "org.example.lab",
                  "Forced": { "org.example.Shared": { "Proxy": "school" } } }
                """)
        let defaults = try machine.open()
        defaults.addSuite(named: "org.example.Shared")
        guard case .refused = defaults.set("mine", forKey: "Proxy") else {
            Issue.record("the write was not refused")
            return
        }
        let outcome = defaults.setPersistentDomain(["Proxy": "mine"], forName: TemporaryMachine.application)
        #expect(outcome.refused.map(\.key) == ["Proxy"])
    }

    /// Arrays inside of each other.
    private static func nested(_ depth: Int) -> Any {
        var value: Any = 1
        for _ in 0..<depth { value = [value] }
        return value
    }

    @Test(arguments: [505, 508, 509, 510, 511, 512, 513])
    func `what cannot be read again is refused and holds nothing else up`(depth: Int) throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        let isStored = defaults.set(HardshipTests.nested(depth), forKey: "Deep") == .stored
        defaults.set(1, forKey: "Other")
        #expect(defaults.synchronize(), "\(defaults.drainProblems())")
        #expect(machine.settings.contains("<key>Other</key>"))
        #expect(machine.settings.contains("<key>Deep</key>") == isStored)
        #expect(isStored == (depth <= 510))
    }

    /// A value that no file can hold, past the check of what applications set.
    private static let poison = (0..<600).reduce(Value.boolean(true)) { value, _ in .array([value]) }

    @Test func `a value that no file can hold holds nothing else up`() throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        _ = defaults.write(HardshipTests.poison, "Poison")
        defaults.set(1, forKey: "Other")
        defaults.set(2, forKey: "Another")
        #expect(!defaults.synchronize())
        #expect(
            defaults.drainProblems().contains {
                if case .preferences(let text) = $0 { text.contains("nested") } else { false }
            })
        #expect(machine.settings.contains("<key>Other</key>"))
        #expect(machine.settings.contains("<key>Another</key>"))
        #expect(defaults.object(forKey: "Poison") != nil)
        defaults.removeObject(forKey: "Poison")
        #expect(defaults.synchronize())
    }

    @Test func `odd keys and values come back`() throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        let keys = [
            "a\u{0}b", "caf\u{e9}", "cafe\u{301}", "a.b.c", "\u{202e}x", "\u{feff}", "\u{ffff}", "<&>", " x ",
        ]
        for (number, key) in keys.enumerated() { #expect(defaults.set(number, forKey: key) == .stored) }
        let values: [any Sendable] = [
            Double.nan, Double.infinity, -Double.infinity, -0.0, Double.leastNonzeroMagnitude,
            Date(timeIntervalSinceReferenceDate: .nan), Date(timeIntervalSinceReferenceDate: .infinity),
            Date(timeIntervalSinceReferenceDate: 1e300), Date(timeIntervalSinceReferenceDate: -1e15),
            Date(timeIntervalSinceReferenceDate: -7e10), Date(timeIntervalSinceReferenceDate: 2.5e11), Date.distantPast,
            Date.distantFuture, Date(timeIntervalSinceReferenceDate: 0.1), "a\u{0}b\r\n\u{1b}", "\r", " ", UInt64.max,
            Int.min,
        ]
        var stored: Set<Int> = []
        for (number, value) in values.enumerated() {
            if defaults.set(value, forKey: "V\(number)") == .stored { stored.insert(number) }
        }
        #expect(defaults.synchronize(), "\(defaults.drainProblems())")
        let reader = try ManagedDefaults(root: machine.path, user: nil, application: TemporaryMachine.application)
        #expect(reader.drainProblems() == [])
        for (number, key) in keys.enumerated() { #expect(reader.integer(forKey: key) == number, "\(number)") }
        #expect(stored.count == values.count - 2, "a moment that is none is the only thing that is refused")
        for number in stored {
            let found = try #require(reader.object(forKey: "V\(number)"), "\(number)")
            let (one, other) = (Value(bridging: found), Value(bridging: values[number]))
            #expect(one.map { a in other.map { a.isIdentical(to: $0) } ?? false } ?? false, "\(number)")
        }
    }

    @Test func `what Foundation wrote of the distant past is read`() throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let data = try PropertyListSerialization.data(
                fromPropertyList: ["Past": Date.distantPast, "Future": Date.distantFuture], format: format, options: 0)
            try machine.write("", to: HardshipTests.file)
            try data.write(to: URL(fileURLWithPath: machine.path + "/" + HardshipTests.file))
            let defaults = try machine.open()
            #expect(defaults.date(forKey: "Past") == Date.distantPast)
            #expect(defaults.date(forKey: "Future") == Date.distantFuture)
        }
    }

    @Test func `an optional inside of Any is what it holds`() throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        #expect(defaults.set(Optional<Int>.some(5) as Any, forKey: "K") == .stored)
        #expect(defaults.integer(forKey: "K") == 5)
        if case .invalid = defaults.set(Optional<Int>.none as Any, forKey: "K") {} else { Issue.record("stored") }
        if case .invalid = defaults.set(["a": Optional<Int>.none as Any], forKey: "K") {
        } else {
            Issue.record("stored")
        }
        #expect(defaults.set(["a": Optional<Int>.some(1)] as Any, forKey: "D") == .stored)
        #expect(defaults.set(CGFloat(1.5) as Any, forKey: "F") == .stored)
        #expect(defaults.double(forKey: "F") == 1.5)
    }

    @Test func `what others stored is seen after a save that failed`() throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        defaults.set(1, forKey: "First")
        #expect(defaults.synchronize())
        _ = defaults.write(HardshipTests.poison, "Poison")
        try machine.write(
            machine.settings.replacingOccurrences(of: "<dict>", with: "<dict><key>Theirs</key><string>t</string>"),
            to: HardshipTests.file)
        #expect(!defaults.synchronize())
        #expect(defaults.string(forKey: "Theirs") == "t")
        defaults.removeObject(forKey: "Poison")
    }

    @Test func `a file that is damaged meanwhile takes no values away`() throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        defaults.set(1, forKey: "Old")
        #expect(defaults.synchronize())
        try machine.write("<plist><dict><key>O", to: HardshipTests.file)
        #expect(!defaults.synchronize())
        #expect(defaults.integer(forKey: "Old") == 1)
        defaults.set(2, forKey: "New")
        #expect(defaults.synchronize())
        #expect(defaults.integer(forKey: "Old") == 1)
        #expect(machine.settings.contains("<key>Old</key>"))
        #expect(machine.settings.contains("<key>New</key>"))
    }

    @Test func `what takes the file's place is refused until it goes`() throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        defaults.set(1, forKey: "Old")
        #expect(defaults.synchronize())
        let path = machine.path + "/" + HardshipTests.file
        let new = path + ".new"
        for make in [
            { mkfifo(new, 0o600) }, { symlink("/etc/hostname", new) }, { symlink(path, new) },
        ] {
            #expect(make() == 0)
            #expect(rename(new, path) == 0)
            defaults.set(Int.random(in: 2...1_000_000), forKey: "New")
            #expect(!defaults.synchronize())
            #expect(defaults.integer(forKey: "Old") == 1)
            #expect(defaults.integer(forKey: "New") > 1)
        }
        // Between both a save that is tried again may write the file.
        repeat { try FileManager.default.removeItem(atPath: path) } while mkdir(path, 0o700) != 0 && errno == EEXIST
        defaults.set(3, forKey: "New")
        #expect(!defaults.synchronize())
        #expect(defaults.integer(forKey: "New") == 3)
        try FileManager.default.removeItem(atPath: path)
        #expect(defaults.synchronize())
        #expect(defaults.integer(forKey: "New") > 1)
        #expect(machine.settings.contains("<key>New</key>"))
    }

    @Test func `a write during an update is not lost`() throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        defaults.set(1, forKey: "K")
        defaults.updateObject(forKey: "K") { stored in
            let thread = Thread { defaults.set(10, forKey: "K") }
            thread.start()
            while defaults.integer(forKey: "K") != 10 {}
            return (stored as? Int ?? 0) + 1
        }
        #expect(defaults.integer(forKey: "K") == 10)
        #expect(defaults.synchronize())
        #expect(defaults.integer(forKey: "K") == 10)
        #expect(machine.settings.contains("<integer>10</integer>"))
    }

    @Test func `an update within an update is refused`() throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        let outcome = defaults.updateObject(forKey: "K") { _ in
            if case .unavailable = defaults.updateObject(forKey: "K", { _ in 5 }) {} else { Issue.record("updated") }
            #expect(!defaults.synchronize())
            defaults.addSuite(named: "org.example.Late")
            defaults.set(1, forKey: "Other")
            defaults.setPersistentDomain(["A": 1], forName: "org.example.Late")
            return defaults.integer(forKey: "A")
        }
        #expect(outcome == .stored)
        #expect(defaults.synchronize())
        #expect(defaults.integer(forKey: "K") == 1)
        #expect(machine.settings.contains("<key>Other</key>"))
    }

    @Test func `a forked child saves nothing of its parent's`() async {
        // In a process of its own, where no other test's thread holds a lock while it is forked.
        await #expect(processExitsWith: .success) {
            let machine = try TemporaryMachine(policy: DomainTests.free)
            let defaults = try machine.open()
            try #require(defaults.synchronize())
            let symbol = try #require(dlsym(UnsafeMutableRawPointer(bitPattern: 0), "fork"))
            let fork = unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            defaults.set(1, forKey: "K")
            let child = fork()
            var byte: UInt8 = 0
            if child == 0 {
                alarm(30)
                // Not before the parent is done.
                _ = read(ends[0], &byte, 1)
                _ = defaults.set(1, forKey: "Child")
                _exit(defaults.synchronize() ? 0 : 1)
            }
            defaults.set(2, forKey: "K")
            try #require(defaults.synchronize())
            try #require(write(ends[1], &byte, 1) == 1)
            var status: Int32 = 0
            try #require(waitpid(child, &status, 0) == child)
            try #require(status == 0)
            try #require(machine.settings.contains("<integer>2</integer>"))
            try #require(machine.settings.contains("<key>Child</key>"))
        }
    }

    @Test func `an update that does nothing makes no domain`() throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        #expect(defaults.updateObject(forKey: "K") { _ in nil } == .unchanged)
        #expect(defaults.persistentDomain(forName: TemporaryMachine.application) == nil)
    }

    @Test func `an update says what stood in its way`() throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        defaults.set(1, forKey: "K")
        let folder = machine.path + "/home/pupil/.config"
        #expect(symlink("/nowhere", folder) == 0)
        if case .unavailable(.file(let message)) = defaults.updateObject(forKey: "K", { _ in 2 }) {
            #expect(!message.contains("Input/output error"), "\(message)")
        } else {
            Issue.record("updated")
        }
        #expect(defaults.integer(forKey: "K") == 1)
    }

    @Test func `a name that cannot be a domain's opens nothing`() throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        for name in ["../escape", "", "a/b", "a\u{0}b", "NSArgumentDomain"] {
            #expect(throws: ManagedDefaults.OpenError.self, "\(name)") {
                try ManagedDefaults(root: machine.path, user: "pupil", application: name)
            }
        }
    }

    @Test func `policy that breaks is in force as it was recorded, or not at all`() throws {
        for isRecorded in [true, false] {
            let machine = try TemporaryMachine(policy: ForcedKeyTests.policy)
            if isRecorded { try machine.apply() }
            let defaults = try machine.open()
            #expect(defaults.objectIsForced(forKey: "HomePage"))
            for text in ["", "{", "{ \"Identifier\": 5 }"] {
                try machine.write(text, to: "etc/managed-defaults/policies.d/10-test.json")
                defaults.synchronize()
                #expect(defaults.objectIsForced(forKey: "HomePage") == isRecorded, "\(text)")
                #expect(defaults.string(forKey: "HomePage") == (isRecorded ? "https://school.example/" : nil))
            }
        }
    }

    @Test func `what is forced never blinks`() throws {
        let machine = try TemporaryMachine(policy: ForcedKeyTests.policy)
        try machine.apply()
        let defaults = try machine.open()
        let isOver = Guarded(false)
        let blinks = Guarded(0)
        let readers = DispatchGroup()
        for _ in 0..<2 {
            readers.enter()
            Thread {
                while !isOver.withLock({ $0 }) {
                    for _ in 0..<1_000 where defaults.string(forKey: "HomePage")?.hasPrefix("https://school") != true {
                        blinks.withLock { $0 += 1 }
                    }
                }
                readers.leave()
            }.start()
        }
        let file = "etc/managed-defaults/policies.d/10-test.json"
        for round in 0..<10 {
            let page = "school.example/\(round)"
            let text = ForcedKeyTests.policy.replacingOccurrences(of: "school.example/", with: page)
            // Cut to nothing, then half, then whole; in place and by another file in its stead.
            for part in ["", String(text.prefix(text.count / 2)), text] {
                if round % 2 == 0 {
                    try Data(part.utf8).write(to: URL(fileURLWithPath: machine.path + "/" + file), options: .atomic)
                } else {
                    try machine.write(part, to: file)
                }
                #expect(defaults.synchronize() || part.count < text.count)
                #expect(defaults.objectIsForced(forKey: "HomePage"))
            }
            #expect(defaults.string(forKey: "HomePage") == "https://" + page)
        }
        isOver.withLock { $0 = true }
        readers.wait()
        #expect(blinks.withLock { $0 } == 0)
    }

    @Test func `a home that goes away takes no values along`() throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        defaults.set(1, forKey: "Old")
        #expect(defaults.synchronize())
        let home = machine.path + "/home/pupil"
        #expect(rename(home, home + ".away") == 0)
        #expect(!defaults.synchronize())
        #expect(defaults.integer(forKey: "Old") == 1)
        defaults.set(2, forKey: "New")
        #expect(!defaults.synchronize())
        #expect(rename(home + ".away", home) == 0)
        #expect(defaults.synchronize())
        #expect(machine.settings.contains("<key>Old</key>"))
        #expect(machine.settings.contains("<key>New</key>"))
    }
}
