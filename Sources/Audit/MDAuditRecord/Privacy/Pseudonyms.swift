package import MDPlatform
import MDPropertyList

/// Puts pseudonyms in place of people into records, just before they become lines of the log.
///
/// Equal people have equal pseudonyms as long as the key lasts. Root and the users of services, below uid 1000, are no
/// people and keep their names.
package final class Pseudonyms: Sendable {
    /// The key; `nil` if it can neither be read nor made: then people are left out.
    private let key: PseudonymKey?
    /// The people and what names them.
    private let people: PeopleInText

    /// The files that were read, and what came of them.
    private struct Cached {
        /// The states of the file of the mode, the key and the lists of users; `nil` for one that is not there.
        var files: [FileStatus?]
        /// What to do with records; `nil` to leave them as they are.
        var pseudonyms: Pseudonyms?
    }

    /// What was read, by the path of the root.
    private static let cache = Guarded<[Key: Cached]>(resettable: [:])

    /// Makes the pseudonyms of a key.
    package init(key: PseudonymKey?, people: PeopleInText) {
        (self.key, self.people) = (key, people)
    }

    /// What to do with the records of a machine now; `nil` to leave them as they are.
    ///
    /// Costs four looks at files if nothing changed.
    package static func current(of root: Root) -> Pseudonyms? {
        let place = Key(root.path)
        let files = states(root)
        if let known = cache.withLock({ $0[place] }), known.files == files, files[1] != nil || files[0] == nil {
            return known.pseudonyms
        }
        var pseudonyms: Pseudonyms?
        if PrivacyMode(of: root).isPseudonymous {
            let registered = ((try? PeopleRegister(root: root).all()) ?? []).map {
                Account(inDirectory: $0.name, uid: $0.uid, gid: .max, home: $0.home)
            }
            pseudonyms = Pseudonyms(
                key: PseudonymKey.readOrMake(in: root),
                people: PeopleInText(AccountDatabase(root: root).accounts + registered))
        }
        let known = Cached(files: states(root), pseudonyms: pseudonyms)
        cache.withLock { $0[place] = known }
        return pseudonyms
    }

    /// The states of the files.
    private static func states(_ root: Root) -> [FileStatus?] {
        [PrivacyMode.path, PseudonymKey.path, "/etc/passwd", PeopleRegister.path].map {
            try? root.status($0, followingLinks: true)
        }
    }

    /// The pseudonym of a user; `nil` if the user is not a person.
    package func person(uid: UInt32) -> String? {
        guard PeopleInText.isPerson(uid) else { return nil }
        return key?.pseudonym(.person, "\(uid)") ?? Pseudonyms.nobody
    }

    /// The text in place of a person if there is no key.
    private static let nobody = "unnamed"

    /// Puts pseudonyms into a record.
    package func apply(to record: inout AuditRecord) {
        var others: [(name: String, pseudonym: String)] = []
        if let uid = record.uid, let person = person(uid: uid) {
            (record.uid, record.user) = (nil, person)
        } else if record.uid == nil, let user = record.user {
            record.user = name(user)
        }
        if let login = record.auid, let person = person(uid: login) {
            record.auid = nil
            others.append(("login", person))
        }
        if let session = record.session {
            record.session = nil
            others.append(("session", pseudonym(.session, "\(record.boot ?? "")/\(session)")))
        }
        record.unit = record.unit.map { pseudonym(.unit, $0) }
        record.exe = record.exe.map(hide)
        record.note = record.note.map(hide)
        record.tried = record.tried.map { _ in .sensitive(hmac: nil) }
        record.forced = record.forced.map(Pseudonyms.impersonal)
        guard !others.isEmpty else { return }
        var json = JSONWriter()
        json.beginObject()
        for other in others { json.field(other.name, other.pseudonym) }
        json.endObject()
        record.extra.append(ExtraField(name: "pseudonyms", json: json.text))
    }

    /// A forced value without personal data: a text may have been made of a user's name or home.
    private static func impersonal(_ summary: ValueSummary) -> ValueSummary {
        switch summary {
        case .full(.boolean), .full(.integer), .full(.real), .full(.date): summary
        default: .sensitive(hmac: nil)
        }
    }

    /// The pseudonym of something.
    private func pseudonym(_ kind: PseudonymKind, _ text: String) -> String {
        key?.pseudonym(kind, text) ?? Pseudonyms.nobody
    }

    /// The pseudonym of a user that is known by name only.
    private func name(_ name: String) -> String {
        guard let uid = people.uid(named: name) else { return pseudonym(.name, name) }
        return person(uid: uid) ?? name
    }

    /// Replaces the homes, names and numbers of people in a text.
    private func hide(_ text: String) -> String {
        people.replacing(in: text) { found in
            switch found {
            case .uid(let uid): person(uid: uid)
            case .name(let name): pseudonym(.name, name)
            }
        }
    }
}
