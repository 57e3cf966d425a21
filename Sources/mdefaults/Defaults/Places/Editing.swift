import Audit
import Engine
import Platform
import Policy
import Preferences
import PropertyList

/// Runs an edit of what the word DOMAIN stands for, and says what became of it.
enum Editing {
    /// Runs an edit.
    ///
    /// - Parameters:
    ///   - edit: the change.
    ///   - place: the domain or file.
    ///   - via: the way that audit records name.
    ///   - context: the machine and the console.
    /// - Returns: success, or `notInEffect` where a forced key or a constraint stands against it.
    /// - Throws: why nothing was changed for another reason than policy.
    static func run(
        _ edit: DomainEdit, of place: DomainPlace, via: WriteVia, _ context: Context
    ) throws(Failure) -> ExitCode {
        switch place {
        case .domain(let domain, let host, let account):
            // What is refused while policy is unknown is recorded, too.
            return try context.acting(for: account, needsCertainty: false) { session throws(Failure) in
                let editor = DomainEditor(session, domain: domain, host: host, via: via)
                do throws(DomainEditError) {
                    let result = try editor.apply(edit)
                    return Context.Answer(code: say(result, edit, session, context.console))
                } catch {
                    if case .unknownPolicy(_, let deliveries) = error { say(deliveries, session, context.console) }
                    throw .of(error, of: edit, in: Printable.escape(DomainWord.codeName(domain)))
                }
            }.code
        case .file(let file):
            return try file.acting(context) { () throws(Failure) in
                try file.apply(edit)
                return Context.Answer(code: .success)
            }.code
        }
    }

    /// Says on standard error what a person would not see otherwise.
    private static func say(
        _ result: DomainEditResult, _ edit: DomainEdit, _ session: UserSession, _ console: Console
    ) -> ExitCode {
        let root = session.machine.root
        for problem in result.problems { console.say(problem) }
        for file in result.damaged { console.say(file.description) }
        let outside = result.excesses.filter { $0.kept == nil }
        if result.refused.count + outside.count == 1, isAboutOneKey(edit) {
            for entry in result.refused { console.say(entry.refusal(in: root)) }
            for excess in outside { console.say(sentence(excess, in: root)) }
        } else {
            if !result.refused.isEmpty {
                console.say("Nothing was written, because these keys are forced to other values:")
                for entry in result.refused { console.say(entry.refusal(in: root)) }
            }
            if !outside.isEmpty {
                console.say("Nothing was written, because these values are not allowed:")
                for excess in outside { console.say(sentence(excess, in: root)) }
            }
        }
        for excess in result.excesses where excess.kept != nil { console.say(sentence(excess, in: root)) }
        for entry in result.shadowed {
            console.say("The value is stored, but it has no effect now. \(entry.refusal(in: root))")
        }
        if isAboutOneKey(edit) || result.hidden.isEmpty {
            var change = "Whatever the user had stored beneath is deleted"
            if case .rename = edit { change = "The user's own value is renamed" }
            for entry in result.hidden {
                console.say("\(change); the key keeps what policy says. \(entry.refusal(in: root))")
            }
        } else {
            console.say("Whatever the user had stored beneath these keys is deleted; they keep what policy says:")
            for entry in result.hidden { console.say(entry.refusal(in: root)) }
        }
        say(result.deliveries, session, console)
        if !result.refused.isEmpty || !result.shadowed.isEmpty || !result.excesses.isEmpty { return .notInEffect }
        // Entries that a new dictionary merely does not mention were not asked to have an effect.
        if case .replace = edit { return .success }
        return result.hidden.isEmpty ? .success : .notInEffect
    }

    /// Says what is wrong with the log, and with the way of records to it.
    private static func say(_ deliveries: [Delivery], _ session: UserSession, _ console: Console) {
        var sentences = Set(deliveries.compactMap { problem(of: $0) })
        // A sentence about a record begins with what is wrong with the log, where that is why.
        if let alarm = session.reporter.alarm(), !sentences.contains(where: { $0.hasPrefix(alarm) }) {
            sentences.insert(alarm)
        }
        for sentence in sentences.sorted() { console.say(sentence) }
    }

    /// What became of a value outside of a constraint, what is allowed, and who says so.
    private static func sentence(_ excess: DomainEditResult.Excess, in root: Root) -> String {
        let refusal = excess.constraint.refusal(in: root)
        if excess.constraint.metadata.isSensitive {
            return excess.kept == nil ? refusal : "The nearest value that is allowed is stored. \(refusal)"
        }
        let tried = ValueText.line(excess.tried)
        guard let kept = excess.kept else { return "\(tried) is not stored. \(refusal)" }
        return "\(ValueText.line(kept)) is stored in the place of \(tried). \(refusal)"
    }

    /// Whether an edit names one key, so that one sentence says it all.
    private static func isAboutOneKey(_ edit: DomainEdit) -> Bool {
        switch edit {
        case .set(let values): values.count == 1
        case .append, .merge, .remove, .rename: true
        case .replace, .removeAll: false
        }
    }

    /// What is wrong with the way of a record; `nil` where it is in the log.
    private static func problem(of delivery: Delivery) -> String? {
        switch delivery {
        case .stored, .counted: nil
        case .spooled(let path):
            "The audit log cannot be reached; the record waits in \(Printable.escape(path)) until it can."
        case .lost(let reason): "The audit record was not stored: \(reason)"
        }
    }
}
