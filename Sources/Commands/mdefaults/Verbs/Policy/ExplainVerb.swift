import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPreferences
import MDPropertyList
import MDTools

/// `explain`: the whole search list of one key, which layer wins, and which policy files do not apply.
enum ExplainVerb: Verb {
    static let name = ["explain"]
    static var accepts: GlobalOptions.Kinds { .question }
    static let summary = "show where the value of a key comes from, and what it hides"
    static let usage = ["explain DOMAIN KEY [--all] [--json]"]
    static let help = """
        Shows what an application named DOMAIN finds under KEY, then the places of the search list that have something, in
        order: the one that wins, those that lose or are hidden, and what each of them holds. Behind it stand the policy
        files that say something of the key and do not apply to the user, and those that are not in force as they stand,
        with why. --all shows the empty places too, and every file that does not apply. What a program registers
        itself, its arguments and languages are known to that program alone and not shown. A value that a constraint bars
        is passed over; beside one that it clamps stands what counts. Sensitive values show as (sensitive). A domain of
        policy that no program is known to read is said on standard error, with the one that is near.

        JSON: {"domain","key","value","forced":bool,"layer","layers":[{"layer","domain","value","wins":bool,"origin"}],
        "losers":[{"value","origin","layer","domain","level"}],"skipped":[{"policy","file","reason"}]}
        "layer" is one of forced, application-host, application, suite, global-host, global, application-all-users,
        global-all-users, recommended; it is missing where nothing has the key. A place without the key has no "value",
        one without file or policy has "missing":true, one that policy keeps without a value "absent":true, one that
        could not be read "problem". The "origin" of policy is {"policy","file","line","column"}, that of a stored
        value {"file"}. A skipped file of which a copy is in force has "inForce":"last good" or "removed", one that is not read
        "ignored":true.
        A key that is constrained has "constraint":{"allowed","minimum","maximum","oneOf","pattern","origin","contact"}; a
        place whose value it clamps has "clamped" with what counts, one that it bars "passedOver":true. An absent entry of a
        sealed domain has "sealed":true, a value that is set once when an application opens the domain "pending":true, and
        a combined one "contributors", the origins of all. "title","description","controls" say what policy does of the
        key, "waivers":[{"domain","key","state","until","reason","approvedBy","origin","lifted","heldBy"}] who is excepted;
        "heldBy" is the entry of an Enforced file that such a waiver cannot lift. In the place of a sensitive value stands
        "sensitive":true.
        A key of org.manageddefaults.common has "became":[{"domain","key","value","origin","level","inForce":bool}], the keys
        of programs that it is; one that something else decides is not "inForce".
        "shortfall" is there where the value is unknown, and "unknown" says why in words: "variable", what a variable in it
        stands for; "user", who asks, and a file for some users lists it; "policy", all of it.

        At the end, "why" says what brought the policy file that decides: {"generation","time","by","reason","byHand":bool,
        "contact"}. Temporary policy has no "generation" and no "time"; of a file that changed since it was recorded only
        "contact" is known. "byHand" means that the file was changed by hand, not by install: then "by" and "reason" are missing.

        exit codes: 0 a value, or a forced entry without a value, decides; 1 nothing has the key; 2 wrong command line;
        4 could not read; 5 nothing has the key, and a preference file on the way is damaged.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let isWhole = arguments.flag("--all")
        guard let domain = try arguments.nextDomain(context) else {
            throw .usage("DOMAIN and KEY are missing.", of: self)
        }
        guard let key = try arguments.nextKey() else { throw .usage("KEY is missing.", of: self) }
        try arguments.requireEnd()
        let domains = SearchOrder(ofOther: domain).forcingDomains
        // The user may not read what programs opened.
        let doubts =
            context.options.facts == nil ? NameCheck.sentences(about: [domain], on: try context.root()) : []
        let answer = try context.run(as: try context.account(), of: domains, isDescribed: true) {
            (session) throws(Failure) in
            let explanation = session.explain(key, in: domain)
            if context.options.json {
                try context.print(ExplanationJSON.document(explanation, session))
            } else {
                let text = ExplanationText(explanation, session, isWhole: isWhole, context.console.ink)
                for line in text.lines { try context.console.line(line) }
                for line in spellings(in: text.lines, session.machine) { try context.console.line(line) }
            }
            // A window that is unknown counts as open, which is printed.
            for problem in session.resultant.problems {
                let place = "\(session.machine.root.display(problem.file)):\(problem.position)"
                context.console.say(Printable.escape("\(place): \(problem.message)."))
            }
            if explanation.isForced, explanation.winningLayer?.domain == domain {
                for sentence in doubts { context.console.say(sentence) }
            }
            let code = try outcome(explanation, context.console)
            if code == .no, context.options.facts == nil,
                let sentence = NameCheck.sentence(about: key, in: domain, session)
            {
                context.console.say(sentence)
            }
            return Context.Outcome(code: code)
        }
        return answer.code
    }

    /// The names in some lines that a directory service spells otherwise, each as a sentence.
    private static func spellings(in lines: [String], _ machine: PolicyInForce) -> [String] {
        guard machine.root.isSystem, machine.facts == nil else { return [] }
        return NameLedger(root: machine.root).entries.sorted { $0.key < $1.key }.compactMap { name, entry in
            guard let spelling = entry.spelling else { return nil }
            let shown = Printable.escape(name.name.string)
            guard lines.contains(where: { TextSearch.isPresent(shown, in: $0[...]) }) else { return nil }
            let service = entry.service.map { "the service \(Printable.escape($0))" } ?? "the directory service"
            return "The \(name.kind.rawValue) \"\(shown)\" is \"\(Printable.escape(spelling))\" by \(service)."
        }
    }

    /// Prints on standard error which layers cannot be read; returns the exit code.
    private static func outcome(_ explanation: Explanation, _ console: Console) throws(Failure) -> ExitCode {
        var isDamaged: Bool?
        for layer in explanation.layers {
            guard case .unreadable(let error) = layer.content else { continue }
            console.say(error.description)
            isDamaged = (isDamaged ?? true) && error.isBadInput
        }
        if explanation.winner != nil { return .success }
        // With an unreadable layer it is unknown whether something has the key.
        return isDamaged.map { $0 ? .badInput : .inputOutput } ?? .no
    }
}
