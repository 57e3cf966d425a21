import Engine
import Foundation
import Platform
import Policy
import PropertyList
import Testing

/// What a running program goes on with of a version of a file that nobody recorded, when the file breaks.
struct PolicyMemoryTests {
    /// A folder, and what a program that runs in it and may not record anything remembers.
    private struct Program {
        /// The folder.
        let folder: PolicyFolder
        /// What it remembers.
        let memory = PolicyMemory()

        /// The forced value of a key, as the program reads it when anything has changed.
        func forced(_ key: Key = "Page") throws -> String? {
            let machine = try PolicyMachine(folder: folder.path, mayRenew: false, memory: memory)
            let account = try machine.account(named: "pupil")
            let entry = machine.resultant(for: account).forcedEntry(domain: Key(PolicyFolder.domain), key: key)
            return PolicyMemoryTests.text(entry?.value)
        }

        /// Breaks the file.
        func spoil() throws { try folder.write("etc/managed-defaults/policies.d/10-a.json", "junk") }
    }

    /// The text of a value.
    private static func text(_ value: Value?) -> String? {
        if case .string(let text) = value { return text }
        return nil
    }

    /// A program that had `two` of a file of which `one` was recorded, where anything was, and which is broken now.
    private func program(isApplied: Bool) throws -> Program {
        let program = Program(folder: try PolicyFolder())
        try program.folder.force("10-a", "Page", "one")
        if isApplied { #expect(try program.folder.applies()) }
        #expect(try program.forced() == "one")
        try program.folder.force("10-a", "Page", "two")
        #expect(try program.forced() == "two")
        try program.spoil()
        #expect(try program.forced() == "two")
        let other = PolicyMemoryTests.text(try program.folder.forced("Page"))
        #expect(other == (isApplied ? "one" : nil), "whoever starts now never had it")
        return program
    }

    @Test(arguments: [true, false])
    func `files that are stronger, and waivers, count against what is remembered`(_ isApplied: Bool) throws {
        let program = try program(isApplied: isApplied)
        let folder = program.folder
        try folder.write(
            "run/managed-defaults/policies.d/00-exam.json",
            PolicyFolder.policy("exam", "Page", "exam").replacing("{ \"Id", with: "{ \"Enforced\": true, \"Id"))
        #expect(try program.forced() == "exam")
        try FileManager.default.removeItem(atPath: folder.path + "/run/managed-defaults/policies.d/00-exam.json")
        #expect(try program.forced() == "two")
        try folder.force("90-z", "Page", "later")
        #expect(try program.forced() == "later")
        try folder.remove("90-z")
        try folder.force("05-z", "Page", "earlier")
        #expect(try program.forced() == "two")
        try folder.write(
            "etc/managed-defaults/policies.d/90-w.json",
            """
            { "Identifier": "edu.example.w", "Waivers": [ { "Users": ["pupil"], "Domain": "\(PolicyFolder.domain)",
              "Key": "Page", "Until": "2999-01-01T00:00:00Z", "Reason": "r" } ] }
            """)
        #expect(try program.forced() == nil)
        try folder.remove("90-w")
        #expect(try program.forced() == "two", "what was lifted for a while is in force again")
    }

    @Test(arguments: [true, false])
    func `what root records of other files changes nothing of it`(_ isApplied: Bool) throws {
        let program = try program(isApplied: isApplied)
        try program.folder.force("20-b", "Other", "new")
        _ = try program.folder.applies()
        #expect(try program.forced() == "two")
        #expect(try program.forced("Other") == "new")
    }

    @Test func `a newer copy, a mended file and a removed one end it`() throws {
        let first = try program(isApplied: true)
        try first.folder.force("10-a", "Page", "three")
        #expect(try first.folder.applies())
        try first.spoil()
        #expect(try first.forced() == "three", "root recorded it since")
        let second = try program(isApplied: true)
        try second.folder.force("10-a", "Page", "four")
        #expect(try second.forced() == "four")
        let third = try program(isApplied: true)
        try third.folder.remove("10-a")
        #expect(try third.forced() == nil)
        try third.spoil()
        #expect(try third.forced() == "one", "of a file that was removed nothing is remembered")
    }
}
