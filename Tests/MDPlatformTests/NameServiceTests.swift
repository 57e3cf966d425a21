import Foundation
import MDTestSupport
import Testing

@testable import MDPlatform

/// The helper program that asks name services, and what is read of it.
struct NameServiceTests {
    /// What the reader makes of lines about one question.
    private func replies(
        _ question: NameQuestion, _ lines: [String], services: [String] = ["systemd", "ldap", "sss"]
    ) -> NameReplies? {
        var reader = NameAnswerReader(count: 1)
        for line in lines {
            let isRead = reader.read(Array(line.utf8)[...]) { _ in question }
            if !isRead { return nil }
        }
        return reader.replies(to: 0, of: services)
    }

    @Test func `answers are read by service, those behind the one that found it left out`() throws {
        let found = try #require(
            replies(
                .user("Carla"),
                ["0 systemd none", "0 ldap found 20001 20001 carla.meier@school.example /home/c Carla%20Meier,12"]))
        let account = Account(
            name: "carla.meier@school.example", uid: 20001, gid: 20001, fullName: "Carla Meier", home: "/home/c")
        #expect(found.replies == [.init("systemd", .none), .init("ldap", .user(account))])
        #expect(found.found?.service == "ldap")
    }

    @Test func `a later line replaces an earlier one, and a missing one is no denial`() throws {
        let found = try #require(
            replies(.group("c"), ["- systemd absent", "0 ldap late", "0 sss error 111", "0 ldap none"]))
        #expect(
            found.replies.map(\.service) == ["ldap", "sss"] && found.replies.first?.answer == NameReplies.Answer.none)
        #expect(found.silent.map(\.service) == ["sss"])
        let nothing = try #require(replies(.group("c"), []))
        #expect(nothing.silent.map(\.service) == ["systemd", "ldap", "sss"])
    }

    @Test(arguments: [
        "", "0", "0 ldap", "1 ldap none", "-1 ldap none", "x ldap none", "0 ldap maybe", "0 ldap found",
        "0 ldap found 5",
        "0 ldap found x c", "0 ldap found 4294967295 c", "0 ldap found 4294967296 c", "0 ldap found 5 c d",
        "0 ldap none none", "0 ldap error", "0 ldap error x", "0  none", "- ldap", "- ldap present",
    ]) func `a line that is none of the helper's does not read`(_ line: String) {
        #expect(replies(.group("c"), [line]) == nil)
    }

    @Test func `a name that is no text counts as no answer`() throws {
        for name in ["%ff", "%0a", "a%7fb"] {
            let found = try #require(replies(.group("c"), ["0 ldap found 5 \(name)"], services: ["ldap"]))
            #expect(found.silent.count == 1)
        }
    }

    @Test func `services are those of the switch file, without the machine's own files`() {
        let text = "passwd: files systemd [NOTFOUND=return] sss # ldap\ngroup: files [SUCCESS=merge] sss ldap sss\n"
        let services = NameServiceSwitch(text: Array(text.utf8))
        #expect(services.users == ["systemd", "sss"] && services.groups == ["sss", "ldap"])
        #expect(services.memberships == ["sss", "ldap"])
        let own = NameServiceSwitch(text: Array((text + "initgroups: files ldap").utf8))
        #expect(own.memberships == ["ldap"])
    }

    @Test(arguments: [("2015", true), ("+5", true), (" 7", true), ("-1", true), ("a5", false), ("5a", false)])
    func `what getent takes for an id is known`(_ name: String, _ isNumber: Bool) {
        #expect(Getent.isNumber(name) == isNumber)
    }

    /// Runs the helper program in a machine of its own.
    private func helper(_ words: [String], _ questions: String, setup: String = ":") throws -> [String] {
        let script = "\(setup); questions=$1; shift; printf '%b' \"$questions\" | \"$@\""
        let result = try SpawnedProgram.run(
            "/usr/bin/env",
            [
                "unshare", "-m", "/bin/sh", "-ec", script, "sh", questions, BuiltProgram.path("mdefaults-names"),
            ] + words)
        #expect(result.code == 0, "\(result)")
        return result.output.split(separator: "\n").map(String.init)
    }

    private static let isRoot = getuid() == 0

    @Test(.enabled(if: isRoot, "only root can hide this machine's files"))
    func `the helper asks each service by itself, takes no digits for ids, and knows a library that is missing`() throws
    {
        let lines = try helper(
            ["250", "2000", "files nosuch", "files", "files"], "u root\\nu 0\\nU 0\\ng 0\\ng no such\\nG 0\\n")
        #expect(
            lines == [
                "- nosuch absent", "0 files found 0 0 root /root root", "1 files none",
                "2 files found 0 0 root /root root",
                "3 files none", "4 files none", "5 files found 0 root",
            ])
    }

    @Test(.enabled(if: isRoot, "only root can hide this machine's files"))
    func `a group of 60,000 members is found`() throws {
        let setup = """
            file=$(mktemp)
            { printf 'big:x:7000:'; seq -f 'member.of.the.school.%g' -s , 60000; } > "$file"
            mount --bind "$file" /etc/group; rm "$file"
            """
        let lines = try helper(["250", "2000", "files", "files", "files"], "g big\\nG 7000\\n", setup: setup)
        #expect(lines == ["0 files found 7000 big", "1 files found 7000 big"])
    }
}
