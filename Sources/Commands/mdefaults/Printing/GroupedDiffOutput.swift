import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPropertyList

/// Differences for many people, for people and for programs.
struct GroupedDiffOutput {
    let differences: GroupedDifferences
    let output: PolicyDiffOutput
    /// Where, and when if not now: ` on room1-pc03`.
    private let place: String
    /// Whether the place is said of each group, because the answer is of several hosts and they differ from each other.
    private let isPlaceRepeated: Bool

    /// - Parameters:
    ///   - differences: the groups.
    ///   - output: how a difference is printed.
    ///   - hosts: the hosts in words; `nil` for the machine's own name.
    ///   - moment: the moment that was asked about, in words; `nil` is now.
    init(_ differences: GroupedDifferences, _ output: PolicyDiffOutput, hosts: String? = nil, at moment: String? = nil)
    {
        (self.differences, self.output, isPlaceRepeated) = (differences, output, hosts != nil)
        place = " on \(hosts ?? Printable.escape(differences.machine.host.short))" + (moment.map { ", \($0)" } ?? "")
    }

    /// The lines for people: the users with changes, what changes, and the users without changes.
    var lines: [String] {
        let words = PeopleWords(differences.machine, differences.people)
        var lines: [String] = []
        for (index, group) in differences.groups.enumerated() {
            if index > 0 { lines.append("") }
            lines += Layout.wrap(
                "For \(phrase(words.words(group.people), isPlaced: index == 0 || isPlaceRepeated)):", indent: 0)
            lines += group.differences.flatMap(output.lines)
        }
        if !differences.unchanged.isEmpty {
            if !lines.isEmpty { lines.append("") }
            let isAlone = differences.groups.isEmpty
            lines += Layout.wrap(
                "No difference for \(phrase(words.words(differences.unchanged), isPlaced: isAlone || isPlaceRepeated)).",
                indent: 0)
        }
        return lines
    }

    /// Some people, and where, with a comma behind the service that says so.
    private func phrase(_ people: String, isPlaced: Bool) -> String {
        guard isPlaced else { return people }
        return people + (people.hasSuffix("the directory") ? "," : "") + place
    }

    /// Writes an array of groups: `[{"users":[…],"differences":[…]}]`, with the hosts that they are of, if given.
    func write(hosts: [String]? = nil, to json: inout JSONWriter) {
        for group in differences.groups {
            json.beginObject()
            if let hosts { json.field("hosts", .array(hosts.map { .string($0) })) }
            json.field("users", .array(group.people.map { .string($0.name) }))
            json.member("differences")
            output.write(group.differences, to: &json)
            json.endObject()
        }
    }
}
