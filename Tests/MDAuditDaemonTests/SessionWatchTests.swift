import Foundation
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

/// `audit scan --watch`: what users with a session store past the library.
struct SessionWatchTests {
    /// A watch that runs over a machine.
    private final class Watch {
        /// The machine.
        let machine: TemporaryMachine
        /// The program.
        private let program: SpawnedProgram

        /// Starts it over a machine with one forced key, whose pupil has no session yet.
        init(_ machine: TemporaryMachine) throws {
            self.machine = machine
            try machine.write(
                TemporaryMachine.policyDirectory + "/10-a.json",
                #"{ "Identifier": "a.b", "Forced": { "org.example.app": { "Key": "forced" } } }"#)
            // Sessions of people count, whichever user runs the tests.
            try machine.write("etc/passwd", "pupil:x:1001:1001:Pupil:/home/pupil:/bin/sh\n")
            try machine.makeDirectory("run/systemd/users")
            try machine.write("out", "")
            program = try SpawnedProgram(
                BuiltProgram.path("mdefaults"), ["--root", machine.path, "audit", "scan", "--watch"],
                environment: [:], folder: "/", streams: ("/dev/null", machine("out"), machine("out")))
        }

        /// Ends it.
        func end() throws {
            program.send(SIGTERM)
            #expect(try program.code(within: 60) == 0, "\((try? machine.text("out")) ?? "")")
        }

        /// Waits until the log has so many records of stored values, and returns them.
        func records(_ count: Int) throws -> [AuditRecord] {
            let end = Date(timeIntervalSinceNow: 120)
            while true {
                let found = ((try? machine.records()) ?? []).filter { $0.kind == .override }
                if found.count >= count { return found }
                guard Date() < end else {
                    Issue.record("\(found.count) of \(count) records: \((try? machine.text("out")) ?? "")")
                    return found
                }
                usleep(5_000)
            }
        }
    }

    /// The text of a preference file.
    private static func plist(_ value: String) -> String {
        "<plist version=\"1.0\"><dict><key>Key</key><string>\(value)</string></dict></plist>"
    }

    @Test func `what changes in a session is recorded, with what was there before and what was stored at its end`()
        throws
    {
        let watch = try Watch(try TemporaryMachine(.pupil))
        let machine = watch.machine
        let file = "home/pupil/.config/org.example.app.plist"
        try machine.write(file, Self.plist("before"))
        try machine.write("run/systemd/users/1001", "")
        #expect(try watch.records(1).map { $0.tried?.value } == [.string("before")])
        // In place, and by a rename as programs save.
        try machine.write(file, Self.plist("during"))
        #expect(try watch.records(2).last?.tried?.value == .string("during"))
        try machine.write("home/pupil/new", Self.plist("renamed"))
        try machine.root.rename("/home/pupil/new", to: "/" + file, replacing: true)
        let records = try watch.records(3)
        #expect(records.last?.tried?.value == .string("renamed"))
        #expect(records.allSatisfy { $0.src == .observed && $0.outcome == .hidden && $0.user == "pupil" })
        // A folder that was removed and made again.
        try machine.remove("home/pupil/.config")
        try machine.write(file, Self.plist("anew"))
        #expect(try watch.records(4).last?.tried?.value == .string("anew"))
        try machine.remove("run/systemd/users/1001")
        try watch.end()
    }

    @Test func `a link out of the home is not followed by the watch, and is named`() throws {
        let watch = try Watch(try TemporaryMachine(.pupil))
        let machine = watch.machine
        try machine.makeDirectory("elsewhere")
        try machine.makeDirectory("home/pupil")
        try machine.root.replaceWithLink("/home/pupil/.config", to: "../../elsewhere")
        try machine.write("run/systemd/users/1001", "")
        let end = Date(timeIntervalSinceNow: 120)
        while try !machine.text("out").contains("are not watched") { try #require(Date() < end) }
        #expect(try machine.text("out").contains("Changes of the preferences of the user 1001 are not watched"))
        try watch.end()
    }
}
