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

/// While a process holds the lock of the daemon's generation file, a table is valid without checking each policy file.
struct GenerationFileTests {
    private static let directory = "/etc/managed-defaults/policies.d"
    /// The generation file.
    private static let path = "/run/mdefaultsd/generation"

    /// A machine with a dozen files, and the generation of a daemon.
    private func machine(_ generation: String = "7\n") throws -> TemporaryMachine {
        let machine = try TemporaryMachine()
        try machine.makeDirectory("/run/managed-defaults")
        for index in 0..<12 {
            let letter = Character(UnicodeScalar(UInt8(97 + index)))
            try machine.force("\(10 + index)-\(letter).json", index)
        }
        try machine.write(Self.path, generation)
        return machine
    }

    /// Changes a policy file in a way that nothing but its own status shows.
    private func change(_ machine: TemporaryMachine, to value: Int) throws {
        let handle = try FileHandle(forWritingTo: machine.url(Self.directory + "/21-l.json"))
        let text =
            "{ \"Identifier\": \"edu.example.l\",  \"Forced\": { \"org.example.App\": { \"Level\": \(value) } } }"
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    /// Compiles under the lock, and says whether a change of a file is then passed over.
    private func isSkipped(
        _ machine: TemporaryMachine, whileCompiled: Bool = true, before: () throws -> Void = {}
    ) throws -> Bool {
        let lock = whileCompiled ? try machine.root.lock(Self.path) : nil
        try withExtendedLifetime(lock) { try CompiledTableTests().compile(machine) }
        let held = whileCompiled ? nil : try machine.root.lock(Self.path)
        return try withExtendedLifetime((lock, held)) {
            try before()
            try change(machine, to: 99)
            return CompiledTable(root: machine.root) != nil
        }
    }

    @Test func `files are not asked about while the daemon watches`() throws {
        #expect(try isSkipped(try machine()))
    }

    @Test func `a lock that ended vouches for nothing`() throws {
        let machine = try machine()
        do {
            let lock = try machine.root.lock(Self.path)
            try withExtendedLifetime(lock) { try CompiledTableTests().compile(machine) }
        }
        #expect(CompiledTable(root: machine.root) != nil)
        try change(machine, to: 99)
        // A child that another test just started has the descriptor of the lock until it runs its program.
        let limit = ContinuousClock.now + .seconds(20)
        while CompiledTable(root: machine.root) != nil, ContinuousClock.now < limit { Clock.pause(microseconds: 1_000) }
        #expect(CompiledTable(root: machine.root) == nil)
        #expect(try machine.level() == .integer(99))
    }

    @Test func `a table of a time without a daemon is asked about file by file`() throws {
        #expect(try !isSkipped(try machine(), whileCompiled: false))
    }

    @Test func `another generation is asked about file by file`() throws {
        let machine = try machine()
        #expect(try !isSkipped(machine) { try overwrite(machine, "8\n") })
    }

    @Test(arguments: ["", "0", "x7", "7 ", "-7", "99999999999999999999", String(repeating: "7", count: 40)])
    func `what is no number vouches for nothing`(_ text: String) throws {
        #expect(try !isSkipped(try machine(text)))
    }

    @Test(arguments: [("/run/mdefaultsd", 0o777), ("/run/mdefaultsd", 0o775), ("/run/mdefaultsd/generation", 0o666)])
    func `a file that others can write vouches for nothing`(_ path: String, _ mode: Int) throws {
        let machine = try machine()
        #expect(try !isSkipped(machine) { try machine.setMode(path, mode_t(mode)) })
    }

    @Test func `a link vouches for nothing`() throws {
        let machine = try machine()
        #expect(
            try !isSkipped(machine) {
                try FileManager.default.moveItem(
                    at: machine.url("/run/mdefaultsd"), to: machine.url("/run/elsewhere"))
                try machine.link("/run/mdefaultsd", to: "elsewhere")
            })
    }

    @Test func `names that come and go are seen under the lock too`() throws {
        let machine = try machine()
        let lock = try machine.root.lock(Self.path)
        try withExtendedLifetime(lock) {
            try CompiledTableTests().compile(machine)
            try machine.remove(Self.directory + "/21-l.json")
            #expect(CompiledTable(root: machine.root) == nil)
        }
    }

    /// Writes other bytes into the generation file, which stays the same file.
    private func overwrite(_ machine: TemporaryMachine, _ text: String) throws {
        let handle = try FileHandle(forWritingTo: machine.url(Self.path))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }
}
