package import MDPlatform
import MDPolicyFormats
package import MDPolicyModel
package import MDPolicyStore
package import MDPropertyList

/// Who besides root may start exams and grant keys: `/etc/managed-defaults/delegates.json`.
///
/// An entry with a mistake counts for nothing, and the others count without it: a mistake never gives more.
package struct Delegates: Sendable {
    /// People: users and the members of groups.
    package struct People: Hashable, Sendable {
        /// The names of users.
        package var users: [Key] = []
        /// The names of groups.
        package var groups: [Key] = []
        /// Whether everybody is meant.
        package var everybody = false
    }

    /// What some people may do.
    package struct Entry: Hashable, Sendable {
        /// The delegates.
        package var delegates = People()
        /// The names of the sets that they may start as an exam.
        package var sets: [Key] = []
        /// The keys that they may free, by domain.
        package var keys: [Key: [Key]] = [:]
        /// How many hours ahead an end may be.
        package var hours = 0
        /// Who may sit the exam, or get the grant.
        package var whom = People()
        /// The place in the file.
        package var position = Position.start

        package init() {}
    }

    /// The name of the file.
    static let name = "delegates.json"
    /// The path beneath a root.
    package static let path = "/etc/managed-defaults/\(name)"
    /// The most bytes of the file.
    static let sizeLimit = 65_536

    /// The entries without a mistake.
    package private(set) var entries: [Entry] = []
    /// What is wrong with the file.
    package private(set) var findings: [Diagnostic] = []

    /// Reads the file of a machine, by the rules of trust; without it there are no delegates.
    package init(of root: Root) {
        let shown = root.display(Delegates.path)
        do throws(TrustError) {
            let file = try root.readTrusted(Delegates.path, limit: Delegates.sizeLimit)
            self = Delegates(file.bytes, shownPath: shown)
        } catch {
            if error.isMissing, !root.mayExist(Delegates.path) { return }
            var code = LintCode.untrusted
            if case .system = error { code = .unreadable }
            findings = [Diagnostic(file: shown, code: code, message: "nobody is a delegate: \(error)")]
        }
    }

    /// Parses the file.
    package init(_ bytes: [UInt8], shownPath: String) {
        var parser: DelegateParser
        do throws(PropertyListError) {
            let document = try JSONReader.readPlain(
                SourceText(decoding: bytes), limits: Limits(bytes: Delegates.sizeLimit, depth: 8, objects: 10_000))
            parser = DelegateParser(document, shownPath: shownPath)
            parser.read(try document.rootEntries(), document.root)
        } catch {
            findings = [
                Diagnostic(
                    file: shownPath, position: error.position, code: LintCode(error.code), message: error.message)
            ]
            return
        }
        (entries, findings) = (parser.entries, parser.findings)
    }

    /// The names of all delegates, which recording verbs make ids of.
    package var names: NameResolver.Names {
        var names = NameResolver.Names([])
        for entry in entries {
            names.users.formUnion(entry.delegates.users)
            names.groups.formUnion(entry.delegates.groups)
        }
        return names
    }
}
