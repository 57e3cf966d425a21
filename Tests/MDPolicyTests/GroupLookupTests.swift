import MDPlatform
import MDPropertyList
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// Groups that have to be asked for.
struct GroupLookupTests {
    /// A user whose groups are looked up.
    private static func subject(_ ids: [UInt32], isComplete: Bool, asked: Guarded<Int>) throws -> Subject {
        let question = GroupLookup(
            ask: {
                asked.withLock { $0 += 1 }
                return GroupLookup.Answer(ids: ids, isComplete: isComplete)
            }, name: { $0.map { "group \($0)" } })
        return Subject(
            userName: "al", uid: 1, gid: 10, groups: [], question: question, home: "/",
            host: try #require(HostName("pc1")), moment: Moment(time: Clock.now(), zones: ZoneDatabase(root: .system)))
    }

    /// A clause that names a group.
    private static let named = Target.Clauses(groups: [TargetName("stud")])
    /// The id of the group.
    private static let names = AccountIDs(users: ["bo": .id(2)], groups: ["stud": .id(20)])

    @Test func `nobody is asked where no target names groups`() throws {
        let asked = Guarded(0)
        let subject = try Self.subject([10, 20], isComplete: true, asked: asked)
        let target = Target(include: Target.Clauses(users: [TargetName("bo")]))
        #expect(target.mismatch(of: subject, names: Self.names) != nil)
        #expect(Target(include: Target.Clauses()).mismatch(of: subject, names: Self.names) == nil)
        #expect(asked.withLock { $0 } == 0)
    }

    @Test func `an answer counts as what the kernel tells, and is asked for once`() throws {
        let asked = Guarded(0)
        let member = try Self.subject([10, 20], isComplete: true, asked: asked)
        let (target, except) = (Target(include: Self.named), Target(include: Target.Clauses(), except: Self.named))
        #expect(target.mismatch(of: member, names: Self.names) == nil)
        #expect(except.mismatch(of: member, names: Self.names) != nil)
        #expect(asked.withLock { $0 } == 1)
        let other = try Self.subject([10, 30], isComplete: true, asked: asked)
        #expect(target.mismatch(of: other, names: Self.names)?.contains("al is in group 10, group 30") == true)
        #expect(except.isCertain(for: other, names: Self.names))
    }

    @Test func `groups that are not all known match, and except nobody, but never for certain`() throws {
        let subject = try Self.subject([10], isComplete: false, asked: Guarded(0))
        let (target, except) = (Target(include: Self.named), Target(include: Target.Clauses(), except: Self.named))
        #expect(target.mismatch(of: subject, names: Self.names) == nil)
        #expect(!target.isCertain(for: subject, names: Self.names))
        #expect(except.mismatch(of: subject, names: Self.names) == nil)
        #expect(!except.isCertain(for: subject, names: Self.names))
    }
}
