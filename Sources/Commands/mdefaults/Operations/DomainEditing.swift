import MDAuditClient
import MDAuditRecord
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPreferences
import MDPropertyList

/// Runs an edit of the argument DOMAIN and reports its result.
enum DomainEditing {
    /// Runs an edit.
    ///
    /// - Parameters:
    ///   - edit: the change.
    ///   - place: the domain or file.
    ///   - via: the way of the write, for audit records.
    ///   - context: the machine and the console.
    /// - Returns: success, or `notInEffect` because of a forced key or a constraint.
    /// - Throws: why nothing was changed, if not because of policy.
    static func run(
        _ edit: DomainEdit, of place: DomainArgument, via: WriteVia, _ context: Context
    ) throws(Failure) -> ExitCode {
        switch place {
        case .domain(let domain, let host, let account):
            // The editor itself refuses and records writes while policy is unknown.
            return try context.run(as: account, requiresKnownPolicy: false) { session throws(Failure) in
                let editor = DomainEditor(session, domain: domain, host: host, via: via)
                do throws(DomainEditError) {
                    let result = try editor.apply(edit)
                    return Context.Outcome(code: say(result, edit, session, context))
                } catch {
                    if case .unknownPolicy(_, let deliveries) = error { say(deliveries, session, context) }
                    throw .of(error, of: edit, in: Printable.escape(DomainNotation.codeName(domain)))
                }
            }.code
        case .file(let file):
            return try file.runAsOwner(context) { () throws(Failure) in
                try file.apply(edit)
                return Context.Outcome(code: .success)
            }.code
        }
    }

    /// Prints on standard error what was refused, shadowed, clamped or damaged; returns the exit code.
    private static func say(
        _ result: DomainEditResult, _ edit: DomainEdit, _ session: UserSession, _ context: Context
    ) -> ExitCode {
        let (root, console, isVerbose) = (session.machine.root, context.console, context.options.verbose)
        /// The sentence about an entry for the user, or for an administrator.
        func words(_ entry: ResolvedEntry) -> String { entry.refusal(in: root, isVerbose: isVerbose) }
        for problem in result.problems { console.say(problem) }
        for file in result.damaged { console.say(file.description) }
        let outside = result.excesses.filter { $0.kept == nil }
        if result.refused.count + outside.count == 1, isAboutOneKey(edit) {
            for entry in result.refused { console.say(words(entry)) }
            for excess in outside { console.say(sentence(excess, in: root, isVerbose)) }
        } else {
            if !result.refused.isEmpty {
                console.say("Nothing was written, because these keys are forced to other values:")
                for entry in result.refused { console.say(words(entry)) }
            }
            if !outside.isEmpty {
                console.say("Nothing was written, because these values are not allowed:")
                for excess in outside { console.say(sentence(excess, in: root, isVerbose)) }
            }
        }
        for excess in result.excesses where excess.kept != nil {
            console.say(sentence(excess, in: root, isVerbose))
        }
        for entry in result.shadowed {
            console.say("The value is stored, but it has no effect now. \(words(entry))")
        }
        if isAboutOneKey(edit) || result.hidden.isEmpty {
            var change = "Whatever the user had stored beneath is deleted"
            if case .rename = edit { change = "The user's own value is renamed" }
            for entry in result.hidden {
                console.say("\(change); the key keeps what policy says. \(words(entry))")
            }
        } else {
            console.say("Whatever the user had stored beneath these keys is deleted; they keep what policy says:")
            for entry in result.hidden { console.say(words(entry)) }
        }
        say(result.deliveries, ofDamage: result.damageDeliveries, session, context)
        if !result.refused.isEmpty || !result.shadowed.isEmpty || !result.excesses.isEmpty { return .notInEffect }
        // A dictionary that omits a forced key does not try to override it.
        if case .replace = edit { return .success }
        return result.hidden.isEmpty ? .success : .notInEffect
    }

    /// Prints on standard error which audit records did not reach the log, and what is wrong with it; with `--verbose` to
    /// those who may write the log also which records of it are those of the edit.
    private static func say(
        _ deliveries: [Delivery], ofDamage damageDeliveries: [Delivery] = [], _ session: UserSession, _ context: Context
    ) {
        let (mayKnowPlace, console) = (session.reporter.mayWriteLog, context.console)
        var sentences: Set<String> = []
        for (subject, all, deliveries) in [
            ("The attempt", "The attempts are", deliveries), ("The damage", "The damage is", damageDeliveries),
        ] {
            sentences.formUnion(
                deliveries.compactMap { sentence(of: $0, about: subject, mayKnowPlace: mayKnowPlace) })
            let places = deliveries.compactMap { delivery -> Int? in
                if case .stored(let place) = delivery { place } else { nil }
            }
            guard context.options.verbose, mayKnowPlace, let first = places.min(), let last = places.max() else {
                continue
            }
            sentences.insert(
                first == last
                    ? "\(subject) is record \(first) of the audit log."
                    : "\(all) among the records \(first) to \(last) of the audit log.")
        }
        // A sentence about a record may begin with the alarm already.
        if let alarm = session.reporter.alarm(), !sentences.contains(where: { $0.hasPrefix(alarm) }) {
            sentences.insert(alarm)
        }
        for sentence in sentences.sorted() { console.say(sentence) }
    }

    /// A sentence about a value outside of a constraint: what was stored instead, what is allowed, and by which policy.
    private static func sentence(
        _ excess: DomainEditResult.Excess, in root: Root, _ isVerbose: Bool
    ) -> String {
        let refusal = excess.constraint.refusal(in: root, isVerbose: isVerbose)
        if excess.constraint.metadata.isSensitive {
            return excess.kept == nil ? refusal : "The nearest value that is allowed is stored. \(refusal)"
        }
        let tried = ValueText.line(excess.tried)
        guard let kept = excess.kept else { return "\(tried) is not stored. \(refusal)" }
        return "\(ValueText.line(kept)) is stored in the place of \(tried). \(refusal)"
    }

    /// Whether an edit names one key, so that one sentence is enough.
    private static func isAboutOneKey(_ edit: DomainEdit) -> Bool {
        switch edit {
        case .set(let values): values.count == 1
        case .append, .merge, .remove, .rename: true
        case .replace, .removeAll: false
        }
    }

    /// What became of a record; `nil` if there is nothing to say of it.
    ///
    /// - Parameters:
    ///   - delivery: what became of it.
    ///   - subject: what it is about, with a capital letter.
    ///   - mayKnowPlace: whether the caller may write the log; other users are not told where the record is.
    /// - Returns: the sentence.
    private static func sentence(of delivery: Delivery, about subject: String, mayKnowPlace: Bool) -> String? {
        switch delivery {
        case .stored: mayKnowPlace ? nil : "\(subject) is recorded."
        case .counted: nil
        case .spooled(let path):
            mayKnowPlace
                ? "The audit log cannot be reached; the record waits in \(Printable.escape(path)) until it can."
                : "\(subject) waits to be recorded."
        case .unconfirmed(let words): words
        case .dropped(let reason), .lost(let reason): "The audit record was not stored: \(reason)"
        }
    }
}

extension Failure {
    /// The failure for an edit that changed nothing, with Apple's text if there is one.
    ///
    /// - Parameters:
    ///   - error: why nothing was changed.
    ///   - edit: the edit.
    ///   - shown: the domain or file, escaped.
    /// - Returns: the failure with its exit code.
    static func of(_ error: DomainEditError, of edit: DomainEdit, in shown: String) -> Failure {
        switch error {
        case .missingKey(let key):
            let name = Printable.escape(key.string)
            if case .rename = edit {
                return Failure(
                    code: .no, message: "Key \(name) does not exist in domain \(shown); leaving defaults unchanged")
            }
            // Apple's text does not say whether the domain or the key is missing; the first line does.
            return Failure(
                code: .no,
                message: "\(shown) has no key \(name) stored.\n"
                    + "Domain (\(shown)) not found.\nDefaults have not been changed.")
        case .missingDomain:
            return Failure(
                code: .no, message: "Domain (\(shown)) not found.\nDefaults have not been changed.", isPlain: true)
        case .notArray(let key):
            return Failure(
                code: .badInput,
                message: "Value for key \(Printable.escape(key.string)) is not an array; cannot append.  "
                    + "Leaving defaults unchanged.")
        case .notDictionary(let key):
            return Failure(
                code: .badInput,
                message: "Value for key \(Printable.escape(key.string)) is not a dictionary; cannot append.  "
                    + "Leaving defaults unchanged.")
        case .emptyKey:
            return Failure(
                code: .badInput,
                message: "A key is empty, and no policy could name it.  Leaving defaults unchanged.")
        case .unknownPolicy(let reason, _):
            return Failure(code: .inputOutput, message: PolicyKnowledge.sentence(of: reason))
        case .storage(let error): return unwritten(.of(error), shown)
        }
    }

    /// Appends Apple's line about a failed write to its reason; not if the file does not parse.
    static func unwritten(_ failure: Failure, _ shown: String) -> Failure {
        guard failure.code == .inputOutput else { return failure }
        return Failure(code: failure.code, message: "\(failure.message)\nCould not write domain \(shown); exiting")
    }
}
