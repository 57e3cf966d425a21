import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPropertyList
import MDTools

/// The annex: every key of every user, folded, and the policy files.
extension HTMLReport {
    /// Adds the keys; users with the same entries share a table, and what differs is listed for each.
    mutating func keys() {
        html.markup("<h2>Keys</h2>\n")
        for group in UserGroup.groups(of: report.users) {
            html.markup("<details><summary>")
            html.text(
                "\(group.users.map(\.account.name).joined(separator: ", ")): "
                    + "\(Plural.count(group.keys.count, "forced key"))\(group.users.count > 1 ? " each" : "")")
            html.markup("</summary>\n")
            let sets = KeySet.sets(of: group.users)
            html.beginTable(
                "Forced keys and what is known of them",
                ["Domain", "Key", "Required", "State", "File and line", "Since", "Digest", "Title and controls"],
                short: [6, 7], rows: group.keys.count)
            for key in group.keys {
                let identity = UserGroup.Identity(key.entry)
                let own = sets.compactMap { set in set.entries[identity].map { (set.users, $0) } }
                row(key, own)
            }
            html.endTable()
            others(of: group)
            stored(by: group)
            html.markup("</details>\n")
        }
    }

    private mutating func row(_ key: KeyCompliance, _ own: [(users: [String], key: KeyCompliance)]) {
        let entry = key.entry
        let metadata = entry.metadata
        let controls = metadata.controls.isEmpty ? "" : " (\(metadata.controls.joined(separator: ", ")))"
        html.row([
            entry.domain.string, entry.key.string.isEmpty ? "(any other key)" : entry.key.string,
            HTMLReport.shared(own) { ReportValue.line($0) } + (entry.isRecordedCopy ? " (last good copy)" : ""),
            HTMLReport.shared(own) { "\($0.state.rawValue): \($0.sentence)" },
            place(entry.origin)
                + (entry.losers.isEmpty
                    ? "" : ", over \(entry.losers.map { place($0.origin) }.joined(separator: ", "))"),
            key.since.map { String(ReportTime.words($0).prefix(10)) } ?? "",
            String(entry.fileDigest.hex.prefix(12)),
            (metadata.title.isEmpty ? metadata.description : metadata.title) + controls,
        ])
    }

    /// The file and line of an entry.
    private func place(_ origin: Origin) -> String {
        "\(TextReport.fileName(origin.file)):\(origin.position.line)"
    }

    /// A word if all users have it, else each word with its users.
    private static func shared(
        _ own: [(users: [String], key: KeyCompliance)], _ word: (KeyCompliance) -> String
    ) -> String {
        // Mostly all users have the same keys.
        if own.count == 1 { return word(own[0].key) }
        var users: [Key: [String]] = [:]
        for item in own { users[Key(word(item.key)), default: []] += item.users }
        if users.count <= 1 { return users.keys.first?.string ?? "" }
        return users.sorted { $0.key < $1.key }.map { "\($0.key.string) (\($0.value.joined(separator: ", ")))" }
            .joined(separator: "; ")
    }

    /// Adds what else is required of the users of a group, or waived: constraints and what waivers in force lift.
    private mutating func others(of group: UserGroup) {
        var rows: [(cells: [String], users: [String])] = []
        var places: [[Key]: Int] = [:]
        for user in group.users {
            for item in user.requirements where item.kind == .constraint || item.state == .waived {
                let origin = "\(TextReport.fileName(item.origin.file)):\(item.origin.position.line)"
                let cells = [item.domain.string, item.key.string, "\(item.state.rawValue): \(item.words)", origin]
                let place = places[cells.map { Key($0) }] ?? rows.count
                if place == rows.count {
                    places[cells.map { Key($0) }] = place
                    rows.append((cells, []))
                }
                rows[place].users.append(user.account.name)
            }
        }
        html.table(
            "Constraints, and waived keys", ["Domain", "Key", "State", "File and line", "Users"],
            rows.map { $0.cells + [$0.users.joined(separator: ", ")] })
    }

    /// Adds what the users of a group have stored beneath forced keys, and their waivers.
    private mutating func stored(by group: UserGroup) {
        let users = group.users.filter { user in user.share == nil && user.keys.contains { !$0.stored.isEmpty } }
        if !users.isEmpty {
            html.beginTable(
                "Stored beneath forced keys, without effect where the key is enforced",
                ["User", "Domain", "Key", "Stored", "File"],
                rows: users.reduce(0) { $0 + $1.keys.reduce(0) { $0 + $1.stored.count } })
            for user in users {
                for key in user.keys {
                    for value in key.stored {
                        html.row([
                            user.account.name, value.domain.string, key.entry.key.string,
                            ReportValue.line(value.value, isSensitive: key.isSensitive)
                                + (value.isEqual ? " (equals the forced value)" : ""),
                            report.root.display(value.file),
                        ])
                    }
                }
            }
            html.endTable()
        }
    }

    /// Adds the policy files.
    mutating func policyFiles() {
        guard !report.files.isEmpty else { return }
        html.markup("<h2>Policy files</h2>\n")
        html.beginTable("In the order in which they apply", ["File", "Policy", "In force", "Digest", "Description"])
        let notNow = Dictionary(report.filesNotNow.map { (Key($0.path), $0.reason) }) { first, _ in first }
        for file in report.files {
            let reason = file.source == .current ? notNow[Key(file.path)] : nil
            html.row([
                report.root.display(file.path), file.policy?.identifier ?? "cannot be used",
                reason.map { "not now: \($0)" } ?? file.inForce,
                file.policy?.digest.hex ?? "", file.policy?.summary ?? "",
            ])
        }
        html.endTable()
    }

    /// Adds the ways around policy, which are no results.
    mutating func ways() {
        guard !report.ways.isEmpty else { return }
        html.markup("<h2>Ways around the policy of programs</h2>\n")
        html.beginTable(HardeningWay.summary(of: report.ways), ["Way", "State", "What was found"])
        for way in report.ways { html.row([way.name, way.state.words, way.detail]) }
        html.endTable()
    }
}

/// The keys that some users of a group share.
private struct KeySet {
    /// The names of the users.
    var users: [String]
    /// The keys.
    let entries: [UserGroup.Identity: KeyCompliance]

    /// Puts users with the same keys together, in the order of the first user of each set.
    static func sets(of users: [UserCompliance]) -> [KeySet] {
        var sets: [KeySet] = []
        var shares: [Int: Int] = [:]
        for user in users {
            if let place = user.share.flatMap({ shares[$0] }) {
                sets[place].users.append(user.account.name)
                continue
            }
            if let share = user.share { shares[share] = sets.count }
            let entries = Dictionary(user.keys.map { (UserGroup.Identity($0.entry), $0) }) { first, _ in first }
            sets.append(KeySet(users: [user.account.name], entries: entries))
        }
        return sets
    }
}
