package import MDPlatform
package import MDPolicyModel
package import MDPropertyList

/// What programs said of their policy when root asked them last.
///
/// Only root's `programs check` writes it, under the lock of the policy record, with what it asked as a user of its own: what
/// a process of a user says counts for nothing here. It has keys, results and the programs' words, and no values.
package struct TestimonyRecord: Hashable, Sendable {
    /// What a program was asked about: some audience's policy.
    package struct Question: Hashable, Sendable {
        /// The word for the program.
        let program: Key
        /// The digest of the policy.
        let policy: Digest

        package init(_ program: any Program, _ policy: ProgramPolicy) {
            self.init(program: Key(program.name), policy: policy.digest)
        }

        fileprivate init(program: Key, policy: Digest) {
            (self.program, self.policy) = (program, policy)
        }
    }

    /// A key of a domain; of a sealed domain the key is empty.
    package struct Place: Hashable, Sendable {
        let domain: Key
        let key: Key

        package init(domain: Key, key: Key) {
            (self.domain, self.key) = (domain, key)
        }
    }

    /// What a program says of a key.
    package enum Word: Hashable, Sendable {
        /// It has the value, and users cannot change it; or it has it as a default, as policy recommends.
        case confirmed
        /// It does not, in its own words.
        case denied(String)
    }

    /// What a program said.
    package struct Answers: Hashable, Sendable {
        /// The version of the program that was asked.
        let version: Digest
        /// When it was asked.
        package let time: Timestamp
        /// What it said of each key; nothing of a key that it does not speak of.
        fileprivate(set) var words: [Place: Word] = [:]
        /// Whether the program could not be asked.
        fileprivate(set) var isFailure = false

        package init(version: Digest, time: Timestamp, words: [Place: Word] = [:], isFailure: Bool = false) {
            (self.version, self.time, self.words, self.isFailure) = (version, time, words, isFailure)
        }
    }

    private var answers: [Question: Answers] = [:]

    /// The file.
    package static let path = "\(StorePath.home)/testimony"
    /// The first line; the number at its end grows with every change of the format.
    private static let header = "managed-defaults testimony 2"
    /// The first line of a record without programs that could not be asked.
    private static let earlierHeader = "managed-defaults testimony 1"
    /// The most bytes of the file that are written and read.
    package static let sizeLimit = 16 << 20
    /// The most bytes of a program's words about one key.
    package static let wordLimit = 300

    package init() {}

    /// Reads the record of a machine; empty if there is none.
    ///
    /// - Throws: why it is not taken: others than root could have written it, or it is damaged.
    package init(root: Root) throws(StoredFileError) {
        self.init()
        let bytes: [UInt8]
        do throws(TrustError) {
            bytes = try root.readTrusted(TestimonyRecord.path, limit: TestimonyRecord.sizeLimit).bytes
        } catch {
            if error.isMissing { return }
            throw StoredFileError("\(error)")
        }
        self = try TestimonyRecord(bytes)
    }

    /// Parses the record.
    package init(_ bytes: [UInt8]) throws(StoredFileError) {
        var (all, asked): ([Question: Answers], Question?) = ([:], nil)
        try ChecksummedLines.read(bytes, headers: [TestimonyRecord.header, TestimonyRecord.earlierHeader]) { line in
            let fields = line.fields
            if fields[0] == "program", fields.count == 5 {
                guard let name = ChecksummedLines.unescape(fields[1]), let policy = Digest(hex: fields[2]),
                    let version = Digest(hex: fields[3]), let time = Int64(fields[4])
                else { return false }
                let question = Question(program: Key(name), policy: policy)
                asked = question
                let answers = Answers(version: version, time: Timestamp(microseconds: time))
                return all.updateValue(answers, forKey: question) == nil
            }
            if fields == ["failed"], let asked, all[asked]?.words.isEmpty == true, all[asked]?.isFailure == false {
                all[asked]?.isFailure = true
                return true
            }
            guard let asked, all[asked]?.isFailure == false, let (place, word) = TestimonyRecord.word(fields) else {
                return false
            }
            return all[asked]?.words.updateValue(word, forKey: place) == nil
        }
        answers = all
    }

    /// Reads the line of a key.
    private static func word(_ fields: [String]) -> (Place, Word)? {
        guard fields.count >= 3, let domain = ChecksummedLines.unescape(fields[1]),
            let key = fields[2] == "-" ? "" : ChecksummedLines.unescape(fields[2])
        else { return nil }
        let place = Place(domain: Key(domain), key: Key(key))
        switch (fields[0], fields.count) {
        case ("confirmed", 3): return (place, .confirmed)
        case ("denied", 4):
            guard let words = ChecksummedLines.unescape(fields[3]), words.utf8.count <= wordLimit else { return nil }
            return (place, .denied(words))
        default: return nil
        }
    }

    /// The bytes of the record; what goes beyond their limit is left out, the oldest answers first.
    package var encoded: [UInt8] {
        var lines = ChecksummedLines(header: TestimonyRecord.header)
        var size = 1_024
        for (question, answers) in answers.sorted(by: TestimonyRecord.isBefore) {
            var own = [
                [
                    "program", ChecksummedLines.escape(question.program.string), question.policy.hex,
                    answers.version.hex, "\(answers.time.microseconds)",
                ]
            ]
            if answers.isFailure { own.append(["failed"]) }
            for (place, word) in answers.words.sorted(by: { $0.key < $1.key }) {
                let key = place.key.string.isEmpty ? "-" : ChecksummedLines.escape(place.key.string)
                let fields = [ChecksummedLines.escape(place.domain.string), key]
                switch word {
                case .confirmed: own.append(["confirmed"] + fields)
                case .denied(let words): own.append(["denied"] + fields + [ChecksummedLines.escape(words)])
                }
            }
            size += own.joined().reduce(0) { $0 + $1.utf8.count + 1 }
            if size > TestimonyRecord.sizeLimit { break }
            for fields in own { lines.add(fields) }
        }
        return lines.sealed
    }

    /// Whether answers are written before others: the newer ones, of equal age in a fixed order.
    private static func isBefore(_ left: (Question, Answers), _ right: (Question, Answers)) -> Bool {
        if left.1.time != right.1.time { return left.1.time.microseconds > right.1.time.microseconds }
        return left.0.program == right.0.program
            ? left.0.policy.hex < right.0.policy.hex : left.0.program < right.0.program
    }

    /// Writes the record.
    package func save(root: Root) throws(SystemError) {
        try root.replace(TestimonyRecord.path, with: encoded, mode: 0o644)
    }

    // MARK: Questions

    /// What a program said about a policy, if it is the same version of the program; `nil` if it was not asked.
    package func answers(of program: any Program, about policy: ProgramPolicy, version: Digest?) -> Answers? {
        guard let version, let found = answers[Question(program, policy)], found.version == version, !found.isFailure
        else { return nil }
        return found
    }

    /// When a version of a program could not be asked about a policy; `nil` if it was not tried.
    package func failure(of question: Question, version: Digest?) -> Timestamp? {
        guard let version, let found = answers[question], found.version == version, found.isFailure else { return nil }
        return found.time
    }

    /// Takes what a program said, or that it could not be asked; `nil` if that is unknown.
    package mutating func set(_ answers: Answers?, for question: Question) { self.answers[question] = answers }

    /// Leaves out what was said about other policies.
    package mutating func keep(_ questions: Set<Question>) { answers = answers.filter { questions.contains($0.key) } }
}

extension TestimonyRecord.Place: Comparable {
    package static func < (left: Self, right: Self) -> Bool {
        left.domain == right.domain ? left.key < right.key : left.domain < right.domain
    }
}

extension TestimonyRecord.Answers {
    /// How many entries of a policy it confirmed and denied.
    package func counts(of policy: ProgramPolicy) -> (confirmed: Int, denied: Int) {
        policy.entries.reduce(into: (0, 0)) { counts, entry in
            switch word(of: entry) {
            case .confirmed: counts.0 += 1
            case .denied: counts.1 += 1
            case nil: break
            }
        }
    }

    /// What the program says of an entry; `nil` if it does not speak of it.
    package func word(of entry: ProgramEntry) -> TestimonyRecord.Word? {
        words[TestimonyRecord.Place(domain: entry.domain, key: entry.key)]
    }

    /// Takes what a program testifies.
    ///
    /// - Parameters:
    ///   - testimony: the testimony.
    ///   - version: the version of the program.
    ///   - time: when it was asked.
    ///   - isSecret: whether values of a key are never shown, and with them what the program says of them.
    package init(
        _ testimony: Testimony, version: Digest, time: Timestamp, hiding isSecret: (ProgramEntry) -> Bool
    ) {
        self.init(version: version, time: time)
        for answer in testimony.answers {
            let place = TestimonyRecord.Place(domain: answer.entry.domain, key: answer.entry.key)
            switch answer.result {
            case .enforced, .isDefault: words[place] = .confirmed
            case .unknown, .notKnown: continue
            case .differs, .unsupported, .firstState, .error:
                words[place] = .denied(isSecret(answer.entry) ? "what it says is not shown" : answer.words)
            }
        }
    }
}

extension WitnessAnswer {
    /// What the program says of an entry that is not in force in it, as a clause.
    fileprivate var words: String {
        if !note.isEmpty {
            // One line of it, without its full stop.
            var (words, size) = (String.UnicodeScalarView(), 0)
            for scalar in note.unicodeScalars {
                size += UTF8.width(scalar)
                if scalar == "\n" || size > TestimonyRecord.wordLimit { break }
                words.append(scalar)
            }
            if words.last == "." { words.removeLast() }
            if !words.isEmpty { return String(words) }
        }
        switch result {
        case .unsupported: return "it does not carry this out"
        case .error: return "it says that there is an error"
        default: return value == nil ? "it has no value" : "it has another value"
        }
    }
}
