import Engine
import Platform
import Preferences
import PropertyList

/// Finds the value of a domain or of a key, and says where there is none.
struct Lookup {
    /// The domain or file.
    let place: DomainPlace
    /// The key; `nil` for the whole domain.
    let key: Key?

    /// Looks the value up and prints it.
    ///
    /// - Parameters:
    ///   - context: the machine and the console.
    ///   - print: prints the value.
    /// - Returns: success; 4 or 5 where the domain's own file could not be read.
    /// - Throws: exit 1 where there is no value, and why it could not be printed.
    func run(_ context: Context, _ print: (Value) throws(Failure) -> Void) throws(Failure) -> ExitCode {
        switch place {
        case .domain(let domain, let scope, let account):
            return try context.acting(for: account) { session throws(Failure) in
                let reader = DomainReader(session, scope: scope)
                let (value, problems, code) = look(in: reader, domain)
                if let value { try print(value) }
                for problem in problems { context.console.say(problem) }
                if value != nil || code != .success { return Context.Answer(code: code) }
                throw missing(
                    in: Printable.escape(DomainWord.title(domain)),
                    ofPair: Printable.escape(DomainWord.codeName(domain)))
            }.code
        case .file(let file):
            return try file.acting(context) { () throws(Failure) in
                guard let content = try file.read(), !content.values.isEmpty else {
                    throw missing(in: file.shown)
                }
                let value = key.map { content.values[$0] } ?? .dictionary(content.values)
                guard let value else { throw missing(in: file.shown, ofPair: file.shown) }
                try print(value)
                return Context.Answer(code: .success)
            }.code
        }
    }

    /// Looks the value up in a domain.
    private func look(in reader: DomainReader, _ domain: Key) -> (Value?, [String], ExitCode) {
        if let key {
            let found = reader.value(of: key, in: domain)
            return (found.value, found.problems, found.code)
        }
        let found = reader.values(of: domain)
        return (found.values.map { .dictionary($0) }, found.problems, found.code)
    }

    /// Apple's answer where there is no value.
    ///
    /// - Parameters:
    ///   - shown: the domain or file, escaped.
    ///   - pair: the same as it stands in a pair with a key; `nil` where not even the file is there.
    /// - Returns: exit 1 with the text.
    private func missing(in shown: String, ofPair pair: String? = nil) -> Failure {
        guard let key, let pair else {
            return Failure(code: .no, message: "Domain \(shown) does not exist", isPlain: true)
        }
        let text = "The domain/default pair of (\(pair), \(Printable.escape(key.string))) does not exist"
        return Failure(code: .no, message: text, isPlain: true)
    }
}
