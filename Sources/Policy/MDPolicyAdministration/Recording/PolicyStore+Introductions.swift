import MDPlatform
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

extension PolicyStore {
    /// Writes what brought each policy file as it is, if generations came since; under the lock.
    ///
    /// Readers have it from one small file, however many generations there are.
    func renewIntroductions(_ store: GenerationStore) throws(SystemError) {
        guard let newest = store.numbers.last, PolicyIntroductions.generation(in: root) != newest else { return }
        var known = PolicyIntroductions(root)
        // Generations that were removed are unknown.
        if known.generation > newest { known = PolicyIntroductions() }
        for number in store.numbers where number > known.generation {
            if let generation = try? store.generation(number) { add(generation, to: &known) }
        }
        known.generation = newest
        try root.replace(PolicyIntroductions.path, with: known.encoded, mode: 0o644)
    }

    /// Adds a generation; what it has as the one before keeps what brought it.
    private func add(_ generation: Generation, to known: inout PolicyIntroductions) {
        // A file changed by hand has no name and no reason.
        let isFound = generation.isFound
        let introduction = PolicyIntroduction(
            generation: generation.number, time: generation.time, by: isFound ? "" : name(of: generation),
            reason: isFound
                ? ""
                : String(
                    String.UnicodeScalarView(generation.note.unicodeScalars.prefix(PolicyIntroductions.reasonLimit))),
            isByHand: isFound)
        var files: [Key: PolicyIntroductions.Entry] = [:]
        for (name, entry) in generation.entries {
            guard let digest = entry.inForce else { continue }
            let earlier = known.files[name]
            files[name] =
                earlier?.digest == digest
                ? earlier : PolicyIntroductions.Entry(digest: digest, introduction: introduction)
        }
        known.files = files
    }

    /// The person who made a generation: the login user and, if it differs, the user of the process.
    private func name(of generation: Generation) -> String {
        let accounts = accounts ?? AccountDatabase(root: root)
        func name(_ uid: UInt32) -> String { accounts.account(uid: uid)?.name ?? "uid \(uid)" }
        guard let login = generation.loginUID, login != generation.uid else { return name(generation.uid) }
        return "\(name(login)) as \(name(generation.uid))"
    }
}

extension Generation {
    /// The note of `policy apply`, which keeps what it finds.
    static let applyNote = "apply"
    /// The beginning of the note of files that a verb found before it replaced them.
    static let foundNote = "found before "

    /// Whether no verb put its files there.
    var isFound: Bool { note == Generation.applyNote || note.utf8.starts(with: Generation.foundNote.utf8) }
}
