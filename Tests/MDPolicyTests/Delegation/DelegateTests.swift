import MDPlatform
import MDPolicyAdministration
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import Testing

/// What `delegates.json` says, and what a mistake in it costs.
struct DelegateFileTests {
    private func delegates(_ text: String) -> Delegates { Delegates(Array(text.utf8), shownPath: "delegates.json") }

    /// An entry in the file, beside a good one.
    private func beside(_ entry: String) -> Delegates {
        delegates(
            """
            {"Delegates":[{"Users":["muller"],"Sets":["maths"],"Hours":4,"For":{"Groups":["3b"]}},
            \(entry)]}
            """)
    }

    @Test func `An entry says who may do what, how long and for whom`() throws {
        let file = delegates(
            """
            {"Delegates":[{"Description":"teachers","Groups":["teachers"],"Keys":{"a.b":["K"]},"Hours":2,
             "For":{"Users":["alice"],"Everybody":true}}]}
            """)
        let entry = try #require(file.entries.first)
        #expect(file.findings.isEmpty && file.entries.count == 1)
        #expect(entry.delegates.groups == ["teachers"] && entry.keys == ["a.b": ["K"]] && entry.hours == 2)
        #expect(entry.whom.users == ["alice"] && entry.whom.everybody && entry.sets.isEmpty)
        #expect(file.names.groups == ["teachers"] && file.names.users.isEmpty)
    }

    @Test(arguments: [
        #"{"Users":["x"],"Sets":["s"],"Hours":4,"For":{"Group":["3b"]}}"#,
        #"{"Users":["x"],"Sets":["s"],"For":{"Groups":["3b"]}}"#,
        #"{"Users":["x"],"Sets":["s"],"Hours":4}"#,
        #"{"Users":["x"],"Sets":["s"],"Hours":4,"For":{}}"#,
        #"{"Users":["x"],"Hours":4,"For":{"Groups":["3b"]}}"#,
        #"{"Sets":["s"],"Hours":4,"For":{"Groups":["3b"]}}"#,
        #"{"Users":[],"Groups":["g"],"Sets":["s"],"Hours":4,"For":{"Groups":["3b"]}}"#,
        #"{"Users":["x"],"Sets":["s"],"Hours":0,"For":{"Groups":["3b"]}}"#,
        #"{"Users":["x"],"Sets":["s"],"Hours":1.5,"For":{"Groups":["3b"]}}"#,
        #"{"Users":["x"],"Sets":["s"],"Hours":1,"Hours":9,"For":{"Groups":["3b"]}}"#,
        #"{"Users":["x"],"Sets":["../s"],"Hours":4,"For":{"Groups":["3b"]}}"#,
        #"{"Users":["root"],"Sets":["s"],"Hours":4,"For":{"Groups":["3b"]}}"#,
        #"{"Users":["x"],"Keys":{"a/b":["K"]},"Hours":4,"For":{"Groups":["3b"]}}"#,
        #"{"Users":["x"],"Keys":["a.b"],"Hours":4,"For":{"Groups":["3b"]}}"#,
        #"{"Users":["x"],"Sets":["s"],"Hours":4,"For":{"Groups":["3b"],"Everybody":"true"}}"#,
        #"["x"]"#,
    ]) func `A mistake costs its own entry, and has a place`(_ entry: String) throws {
        let file = beside(entry)
        #expect(file.entries.map(\.delegates.users) == [["muller"]])
        let finding = try #require(file.findings.first)
        #expect(finding.position.line == 2 && finding.severity == .error)
    }

    @Test(arguments: [
        #"{"Delegates":[{"Users":["x"],"Sets":["s"],"Hours":4,"For":{"Groups":["g"]}}],"Delegates":[]}"#,
        #"{"Delegates":[{"Users":["x"],"Sets":["s"],"Hours":4,"For":{"Groups":["g"]}},]}"#,
        #"{"Delegates":{}}"#, "{}", "[]", "", "{",
    ]) func `A file that does not read makes nobody a delegate`(_ text: String) {
        let file = delegates(text)
        #expect(file.entries.isEmpty && !file.findings.isEmpty)
    }
}

/// The words that delegates and root's part exchange.
struct DelegateRequestTests {
    @Test func `A request reads as it was written`() {
        var request = DelegateRequest(.startExam("maths"))
        request.until = Timestamp(microseconds: 1_900_000_000_000_000)
        request.reason = "class 3b"
        request.groups = ["3b", "3c"]
        request.users = ["alice"]
        request.endsWithBoot = true
        #expect(DelegateRequest(request.bytes) == request)
        let stop = DelegateRequest(.stopExam(nil))
        #expect(DelegateRequest(stop.bytes) == stop)
        let revoke = DelegateRequest(.revoke(user: "alice", domain: "a.b", key: "K"))
        #expect(DelegateRequest(revoke.bytes) == revoke)
    }

    @Test(arguments: [
        ["exam", "start", "../maths", "until", "1"], ["exam", "start", "maths"], ["exam", "list", ""],
        ["exam", "start", "maths", "until", "1", "until", "2"], ["exam", "start", "maths", "until", "1", "root", "/x"],
        ["exam", "start", "maths", "until", "1", "reason"], ["exam", "stop", "maths", "until", "1"],
        ["grant", "alice", "a.b", "K", "until", "1"], ["grant", "alice", "a.b", "K", "until", "1", "reason", "a\nb"],
        ["grant", "alice", "a.b", "K", "v", "until", "1", "reason", "x"], ["revoke", "alice", "a.b"], [""], [],
    ]) func `Other words are none of a delegate`(_ words: [String]) {
        #expect(DelegateRequest(words.flatMap { Array($0.utf8) + [0] }) == nil)
    }

    @Test func `More than 1 KiB, invalid text and an open end are refused`() {
        var request = DelegateRequest(.startExam("maths"))
        request.until = Timestamp(microseconds: 1)
        request.reason = String(repeating: "x", count: DelegateRequest.limit)
        #expect(DelegateRequest(request.bytes) == nil)
        #expect(DelegateRequest(Array("exam\0stop\0".utf8) + [0xff, 0]) == nil)
        #expect(DelegateRequest(Array("exam\0stop\0maths".utf8)) == nil)
    }

    @Test func `An answer reads as it was written`() {
        let answer = DelegateAnswer(code: 4, output: Array("a\n".utf8), messages: Array("b\n".utf8))
        #expect(DelegateAnswer(answer.bytes) == answer)
        #expect(DelegateAnswer([]) == nil)
    }
}

/// Who may do what, by names as machine and directory have them now.
struct DelegateJudgeTests {
    private static let now = Timestamp(microseconds: 1_900_000_000_000_000)
    private static let people = [
        Account(name: "muller", uid: 1001, gid: 1001, fullName: "", home: "/"),
        Account(name: "alice", uid: 2001, gid: 2001, fullName: "", home: "/"),
        Account(name: "bob", uid: 2002, gid: 2002, fullName: "", home: "/"),
    ]
    private static let groupIDs: [String: UInt32] = ["teachers": 100, "3b": 300]
    private static let file = """
        {"Delegates":[{"Groups":["teachers"],"Sets":["maths"],"Hours":4,"For":{"Groups":["3b"]}},
        {"Users":["muller"],"Keys":{"a.b":["K"]},"Hours":1,"For":{"Groups":["3b"],"Users":["muller"]}}]}
        """

    /// The directory of a school; `isAway` if it does not answer.
    private static func names(
        isAway: Bool = false, own: [UInt32: [UInt32]] = [:], groups: [UInt32: [UInt32]] = [1001: [100], 2001: [300]],
        recorded: AccountIDs = AccountIDs()
    ) -> DelegateNames {
        func ask() throws(SystemError) {
            if isAway { throw SystemError(operation: "ask", path: "ldap", code: 110) }
        }
        return DelegateNames(
            account: { uid throws(SystemError) in people.first { $0.uid == uid } },
            accountNamed: { name throws(SystemError) in people.first { $0.name == name } },
            groupID: { name throws(SystemError) in groupIDs[name] }, ownGroups: { own[$0.uid] ?? [] },
            groups: { account throws(SystemError) in
                try ask()
                return groups[account.uid] ?? []
            }, recorded: recorded)
    }

    private static func exam(
        _ set: String = "maths", hours: Int64 = 2, groups: [String] = ["3b"], users: [String] = []
    ) -> DelegateRequest {
        var request = DelegateRequest(.startExam(set))
        request.until = Timestamp(microseconds: now.microseconds + hours * 3_600_000_000)
        (request.groups, request.users) = (groups, users)
        return request
    }

    private static func grant(_ user: String, _ key: Key = "K") -> DelegateRequest {
        var request = DelegateRequest(.grant(user: user, domain: "a.b", key: key))
        request.until = Timestamp(microseconds: now.microseconds + 3_600_000_000)
        request.reason = "x"
        return request
    }

    /// Why a request is refused; `nil` if it is not.
    private func refusal(
        _ request: DelegateRequest, uid: UInt32 = 1001, _ names: DelegateNames = names()
    ) -> DelegateJudge.Refusal? {
        do throws(DelegateJudge.Refusal) {
            let delegates = Delegates(Array(Self.file.utf8), shownPath: "f")
            try DelegateJudge(uid, delegates, names).require(request, at: Self.now)
            return nil
        } catch {
            return error
        }
    }

    @Test func `A teacher starts an exam of the class, and frees a key of a pupil`() {
        #expect(refusal(Self.exam()) == nil)
        #expect(refusal(Self.exam(groups: [], users: ["alice"])) == nil)
        #expect(refusal(Self.grant("alice")) == nil)
    }

    @Test func `A delegation gives no other set, key, time, person or delegate`() {
        for request in [
            Self.exam("physics"), Self.exam(hours: 5), Self.exam(groups: ["3c"]), Self.exam(groups: []),
            Self.exam(groups: [], users: ["bob"]), Self.grant("alice", "L"), Self.grant("bob"), Self.grant("nobody"),
        ] {
            #expect(refusal(request)?.isUnknown == false)
        }
        #expect(refusal(Self.exam(), uid: 2001)?.reason == "alice is no delegate on this machine.")
        #expect(refusal(Self.exam(), uid: 0) != nil)
        #expect(refusal(Self.exam(), uid: 9999)?.reason == "The name services do not know the uid 9999.")
    }

    @Test func `A caller learns which delegations are theirs, and that it is unknown while the directory is silent`()
        throws
    {
        let delegates = Delegates(Array(Self.file.utf8), shownPath: "f")
        func mine(_ uid: UInt32, _ names: DelegateNames) throws -> [Bool?] {
            let judge = try DelegateJudge(uid, delegates, names)
            return delegates.entries.map { judge.isDelegate(of: $0) }
        }
        #expect(try mine(1001, Self.names()) == [true, true])
        #expect(try mine(2001, Self.names()) == [false, false])
        #expect(try mine(1001, Self.names(isAway: true)) == [nil, true])
    }

    @Test func `Nobody frees keys of their own`() {
        #expect(refusal(Self.grant("muller"))?.isUnknown == false)
    }

    @Test func `A directory that does not answer is unknown, and the machine's own files need none`() {
        #expect(refusal(Self.exam(), Self.names(isAway: true))?.isUnknown == true)
        #expect(refusal(Self.exam(), Self.names(isAway: true, own: [1001: [100]])) == nil)
    }

    @Test func `Somebody who left the group is no delegate any more`() {
        #expect(refusal(Self.exam(), Self.names(groups: [2001: [300]]))?.isUnknown == false)
    }

    @Test func `A delegate's grant lifts nothing of a file that is Enforced`() throws {
        for isEnforced in [false, true] {
            let grant = TemporaryPolicy.Grant(
                user: "alice", uid: 2001, domain: "a.b", key: "K", value: nil, reason: "x", approvedBy: "muller",
                isEnforced: isEnforced)
            let file = try TemporaryPolicy(grant, until: Self.now)
            let policy = try #require(PolicyFile.parse(bytes: file.bytes, path: file.path).file)
            #expect(policy.enforced == isEnforced && policy.waivers.count == 1)
        }
    }

    @Test func `An id that changes is nobody's`() {
        let changing = AccountIDs(groups: ["teachers": .changing(100, 900)])
        #expect(refusal(Self.exam(), Self.names(recorded: changing)) != nil)
        #expect(refusal(Self.exam(), Self.names(recorded: AccountIDs(groups: ["teachers": .id(900)]))) != nil)
    }
}
