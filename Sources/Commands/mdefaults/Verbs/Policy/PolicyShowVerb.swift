import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPrograms
import MDPropertyList

/// `policy show`: the resultant set of a user.
enum PolicyShowVerb: Verb {
    static let name = ["policy", "show"]
    static var accepts: GlobalOptions.Kinds { .question }
    static let summary = "the long form of forced: every level, and what loses"
    static let usage = ["policy show [--json]"]
    static let help = """
        The resultant set: every key that policy forces, keeps absent, sets once or recommends for the user on this host,
        by domain, with the file and line of the entry that wins and of each entry that lost to it; then what is allowed
        where the user chooses, and the waivers. Sensitive values show as (sensitive).

        JSON: [{"domain","key","value","origin":{"policy","file","line","column"},
        "level":"forced"|"recommended"|"setOnce"|"absent","losers":[{"level","value","origin"}]}]
        An absent entry has no "value"; one of a last good copy has "lastGood":true. A sealed domain has an absent entry with
        an empty "key" and "sealed":true, a combined value "contributors", a sensitive one "sensitive":true in its place.
        A key of org.manageddefaults.common has "became":[{"domain","key","value","origin","level","inForce":bool}], the keys
        of programs that it is; one that something else decides is not "inForce".
        "title","description","controls" stand where policy gives them. A key that is constrained is an entry with "level":
        "constraint", its "constraint" is as explain has it; a waiver is one with "level":"waiver","state","until","reason",
        "approvedBy","lifted","heldBy": the entry of an Enforced file that keeps a waiver without effect.
        "shortfall" is there where the value is unknown, and "unknown" says why in words: "variable", what a variable in it
        stands for; "user", who asks, and a file for some users lists it; "policy", all of it.

        exit codes: 0 shown; 2 wrong command line; 4 could not read.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        try arguments.requireEnd()
        let machine = try context.machine()
        let resultant = try context.resultant()
        let entries = resultant.entries
        let settings =
            entries.contains { $0.domain == CommonSettings.domain } ? try? CommonSettings(root: machine.root) : nil
        if context.options.json {
            var json = JSONWriter(pretty: true)
            json.beginArray()
            for entry in entries {
                json.beginObject()
                json.entry(entry, in: machine.root, isSealed: entry.isSeal)
                json.field("level", entry.level.rawValue)
                json.losers(entry.losers, isSensitive: entry.metadata.isSensitive, in: machine.root)
                json.meanings(
                    resultant.meanings(of: entry.key, in: entry.domain, by: settings), in: machine.root)
                json.endObject()
            }
            json.rules(of: resultant, in: machine.root)
            json.endArray()
            try context.print(json)
        } else {
            try print(entries, context) { resultant.meanings(of: $0.key, in: $0.domain, by: settings) }
            try printRules(of: resultant, context)
        }
        return .success
    }

    /// Prints entries, domain by domain.
    private static func print(
        _ entries: [ResolvedEntry], _ context: Context, meaning: (ResolvedEntry) -> [SettingMeaning]
    ) throws(Failure) {
        let (console, machine) = (context.console, try context.machine())
        let user = machine.shownName(of: try context.account())
        let recommended = entries.count { $0.level == .recommended }
        let once = entries.count { $0.level == .setOnce }
        let sealed = entries.count { $0.isSeal }
        let forced = entries.count - recommended - once - sealed
        let keys = forced == 1 ? "key" : "keys"
        try console.line(
            "policy for \(user) on \(Printable.escape(machine.host.short)): \(forced) forced \(keys), "
                + "\(recommended) recommended" + (once > 0 ? ", \(once) set once" : "")
                + (sealed > 0 ? ", \(sealed) sealed \(sealed == 1 ? "domain" : "domains")" : ""))
        var domain: Key?
        for entry in entries {
            if entry.domain != domain {
                try console.line()
                try console.line(Printable.escape(entry.domain.string))
                domain = entry.domain
            }
            let isSensitive = entry.metadata.isSensitive
            let value =
                entry.value.map { "= \(ValueText.line($0, isSensitive: isSensitive))" } ?? "has no value"
            let name = entry.isSeal ? "every other key" : Printable.escape(entry.key.string)
            let level = entry.isSeal ? "sealed" : entry.level.rawValue
            let notes = [entry.shortfall?.words, entry.isRecordedCopy ? "last good copy" : nil].compactMap { $0 }
            var lines = Layout.beside(
                "  \(name) \(value)", "(\(([level] + notes).joined(separator: ", ")))", indent: 6)
            lines += EntryText.lines(of: entry.metadata, indent: 6)
            lines += entry.origin.lines(in: machine.root, indent: 6)
            if !entry.contributors.isEmpty {
                lines.append("    made of:")
                for origin in entry.contributors { lines += origin.lines(in: machine.root, indent: 6) }
            }
            for loser in entry.losers {
                lines += Layout.fold("    loses: \(ValueText.entry(loser.value, isSensitive: isSensitive))", indent: 2)
                lines += loser.origin.lines(in: machine.root, indent: 6)
            }
            let meanings = meaning(entry)
            if !meanings.isEmpty { lines.append("    is for programs:") }
            lines += meanings.flatMap { EntryText.lines(of: $0, in: machine.root, indent: 6) }
            for line in lines { try console.line(line) }
        }
    }

    /// Prints the constraints and the waivers.
    private static func printRules(of resultant: ResultantSet, _ context: Context) throws(Failure) {
        let (console, machine) = (context.console, try context.machine())
        let constraints = resultant.sortedConstraints
        if !constraints.isEmpty { try console.line("\nallowed, where the user chooses:") }
        for constraint in constraints {
            let entry = constraint.entry
            try console.line("  \(Printable.escape(entry.domain.string)) \(Printable.escape(entry.key.string))")
            var lines = EntryText.lines(of: constraint, in: machine.root, indent: 4)
            for loser in constraint.losers {
                let arguments = constraint.metadata.isSensitive ? ValueText.sensitive : loser.constraint.words
                lines += Layout.wrap("loses: \(Printable.escape(arguments))", indent: 4)
                lines += loser.origin.lines(in: machine.root, indent: 6)
            }
            for line in EntryText.lines(of: constraint.metadata, indent: 4) + lines { try console.line(line) }
        }
        if !resultant.waivers.isEmpty { try console.line("\nwaivers:") }
        for waiver in resultant.waivers {
            for line in EntryText.lines(of: waiver, in: machine.root, indent: 2, naming: true) {
                try console.line(line)
            }
        }
    }
}

extension JSONWriter {
    /// Writes the constraints and the waivers as elements of the listing.
    fileprivate mutating func rules(of resultant: ResultantSet, in root: Root) {
        for constraint in resultant.sortedConstraints {
            beginObject()
            field("domain", constraint.entry.domain.string)
            field("key", constraint.entry.key.string)
            origin(constraint.entry.origin, in: root)
            field("level", "constraint")
            self.constraint(constraint, in: root)
            metadata(constraint.metadata)
            endObject()
        }
        for waiver in resultant.waivers {
            beginObject()
            field("level", "waiver")
            waiverMembers(waiver, in: root)
            endObject()
        }
    }
}
