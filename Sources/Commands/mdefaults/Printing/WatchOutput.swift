import MDEngine
import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPropertyList

/// The output of `watch`: all that counts, or what differs from what was printed last.
struct WatchOutput {
    /// The console and the options.
    private let context: Context
    /// The domain.
    private let domain: Key
    /// The key; `nil` for all.
    private let key: Key?
    /// The document that was printed last.
    private var document: [UInt8] = []
    /// The lines that were printed last, by key.
    private var lines: [Key: String] = [:]
    /// Why printing ended.
    private(set) var failure: Failure?

    /// Makes an output.
    init(_ context: Context, _ domain: Key, _ key: Key?) {
        (self.context, self.domain, self.key) = (context, domain, key)
    }

    /// Prints what differs.
    mutating func print(_ session: UserSession) {
        let search = session.searchList(application: domain)
        let unknown = session.resultant.knowledge.failure(in: SearchOrder(ofOther: domain).forcingDomains)
        do throws(Failure) {
            if context.options.json {
                let new = json(session, search, unknown)
                if new == document { return }
                document = new
                try context.console.write(TerminalText.json(new))
                try context.console.line()
            } else {
                try printLines(session, search, unknown)
            }
            try context.console.flush()
        } catch {
            failure = error
        }
    }

    /// The document.
    private func json(_ session: UserSession, _ search: SearchList, _ unknown: String?) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.field("domain", domain.string)
        if let key { json.field("key", key.string) }
        if let unknown {
            if key != nil { json.field("forced", true) }
            json.field("unknown", unknown)
        } else if let key {
            write(key, session, search, to: &json)
        } else {
            json.member("settings")
            json.beginObject()
            for key in search.keys {
                json.member(key.string)
                json.beginObject()
                write(key, session, search, to: &json)
                json.endObject()
            }
            json.endObject()
            if search.layers.contains(where: { $0.seal != nil && $0.domain == domain }) { json.field("sealed", true) }
        }
        json.endObject()
        return json.utf8
    }

    /// Writes the members of a key.
    private func write(_ key: Key, _ session: UserSession, _ search: SearchList, to json: inout JSONWriter) {
        if var entry = session.rule(of: key, application: domain).entry {
            entry.metadata.isSensitive = isHidden(key, session)
            json.field("forced", true)
            json.details(of: entry, in: session.machine.root, isSealed: entry.isFromSeal)
        } else {
            json.field("forced", false)
            json.value(search.lookUp(key).value, isSensitive: isHidden(key, session))
        }
    }

    /// Prints a line for each key whose line differs.
    private mutating func printLines(
        _ session: UserSession, _ search: SearchList, _ unknown: String?
    ) throws(Failure) {
        var new: [Key: String] = [:]
        let keys = unknown == nil ? key.map({ [$0] }) ?? search.keys : []
        for key in keys {
            let entry = session.rule(of: key, application: domain).entry
            let value = search.lookUp(key).value
            let text =
                value.map { isHidden(key, session) ? ValueText.sensitive : ValueText.line($0) }.map { " = " + $0 }
                ?? " has no value"
            let origin = entry.map { " (forced by \($0.origin.place(in: session.machine.root)))" } ?? ""
            new[key] = Printable.escape(key.string) + text + origin
        }
        if let unknown { new[""] = PolicyKnowledge.sentence(of: unknown) }
        for (key, line) in new.sorted(by: { $0.key < $1.key }) where lines[key] != line {
            try context.console.line(line)
        }
        for key in lines.keys.sorted() where new[key] == nil && unknown == nil && key != "" {
            try context.console.line("\(Printable.escape(key.string)) has no value")
        }
        // What was printed before is printed again, or taken back, once policy is known.
        if unknown != nil { for key in lines.keys where new[key] == nil { new[key] = "" } }
        lines = new
    }

    /// Whether the value of a key is not shown among others.
    private func isHidden(_ key: Key, _ session: UserSession) -> Bool {
        self.key == nil
            && session.resultant.isSensitive(key, in: SearchOrder(ofOther: domain).forcingDomains)
    }
}
