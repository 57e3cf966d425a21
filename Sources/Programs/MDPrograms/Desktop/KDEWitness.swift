import MDPlatform
import MDPropertyList

/// KConfig, asked by `kreadconfig5` or `kreadconfig6` for each key: for a user who has stored nothing, and for one who has
/// stored something else.
struct KDEWitness: Witness {
    let program: KDE

    /// The tools, the first that is installed is asked.
    private static let tools = ["/usr/bin/kreadconfig6", "/usr/bin/kreadconfig5"]
    /// What a user without a value gets.
    private static let nothing = "(managed-defaults: none)"
    /// What the second user has stored.
    private static let other = "managed-defaults-other"

    func testify(
        about policy: ProgramPolicy, for audience: Audience, at place: borrowing WitnessPlace
    ) throws(WitnessError) -> Testimony {
        guard let tool = KDEWitness.tools.first(where: { Root.system.mayExist($0) }) else {
            throw WitnessError("it cannot be asked: there is no \(KDEWitness.tools.joined(separator: " and no "))")
        }
        try KDEWitness.store(policy, at: place)
        var testimony = Testimony()
        for entry in policy.entries {
            let alone = program.render(ProgramPolicy([entry]), for: audience, in: .system)
            let path = SlashPath(entry.key).names
            if entry.level == .sealed || path.last == "*" {
                // Whatever key the user has there.
                let group = entry.level == .sealed ? ["managed-defaults"] : Array(path.dropLast())
                let found = try read(entry, group + ["managed-defaults"], "other", tool, at: place)
                let isHidden = found == KDEWitness.nothing
                testimony.answers.append(
                    WitnessAnswer(
                        entry, isHidden ? .enforced : .differs, note: isHidden ? "" : "a key of the user's counts"))
                continue
            }
            if alone.files.isEmpty {
                testimony.answers.append(
                    WitnessAnswer(entry, .unsupported, note: alone.findings.first?.message ?? ""))
                continue
            }
            let first = try read(entry, path, "empty", tool, at: place)
            let second = try read(entry, path, "other", tool, at: place)
            testimony.answers.append(KDEWitness.answer(entry, first, second))
        }
        return testimony
    }

    /// What a user without a value and one with another value get, as an answer.
    static func answer(_ entry: ProgramEntry, _ first: String, _ second: String) -> WitnessAnswer {
        let isFree = second == other
        switch entry.level {
        case .forced(let value), .recommended(let value):
            let isMet = KConfigLines.plainText(of: value) == first
            let shown = first == nothing ? nil : isMet ? value : KDE.value(first, like: value)
            if !isMet { return WitnessAnswer(entry, .differs, value: shown) }
            guard case .forced = entry.level else { return WitnessAnswer(entry, .isDefault, value: shown) }
            return isFree
                ? WitnessAnswer(entry, .differs, value: shown, note: "the user may change it")
                : WitnessAnswer(entry, .enforced, value: shown)
        case .absent:
            if first != nothing { return WitnessAnswer(entry, .differs, value: .string(first)) }
            return isFree
                ? WitnessAnswer(entry, .differs, note: "the user may set it") : WitnessAnswer(entry, .enforced)
        default: return WitnessAnswer(entry, .unknown)
        }
    }

    /// Writes the files of the second user: another value for each key.
    private static func store(_ policy: ProgramPolicy, at place: borrowing WitnessPlace) throws(WitnessError) {
        var files: [String: [String]] = [:]
        for entry in policy.entries {
            guard let name = KDE.file(of: entry.domain) else { continue }
            var path = SlashPath(entry.key).names
            if entry.level == .sealed { path = ["managed-defaults", "managed-defaults"] }
            if path.last == "*" { path = path.dropLast() + ["managed-defaults"] }
            guard let header = KConfigLines.line(of: path, other) else { continue }
            files[name, default: []] += header
        }
        do throws(SystemError) {
            for folder in ["empty", "other"] {
                try Root.system.createDirectory(place.path("\(folder)/.config"), mode: 0o700)
            }
            for (name, lines) in files {
                let text = lines.map { $0 + "\n" }.joined()
                try Root.system.replace(
                    place.path("other/.config/\(name)"), with: Array(text.utf8), mode: 0o600, durable: false)
            }
        } catch {
            throw WitnessError(error)
        }
    }

    /// Asks the tool for a key.
    private func read(
        _ entry: ProgramEntry, _ path: [String], _ home: String, _ tool: String, at place: borrowing WitnessPlace
    ) throws(WitnessError) -> String {
        let group = path.count > 1 ? path.dropLast() : ["<default>"]
        let words =
            ["--file", KDE.file(of: entry.domain) ?? "", "--default", KDEWitness.nothing]
            + group.flatMap { ["--group", $0] } + ["--key", path.last ?? ""]
        guard let output = try place.output(tool, words, variables: ["HOME=\(place.path(home))"]) else {
            throw WitnessError("its tool \(tool) fails")
        }
        return String(decoding: output.last == 0x0a ? output.dropLast() : output[...], as: UTF8.self)
    }
}

extension KConfigLines {
    /// The lines with which a file has a value for a key; `nil` if it cannot have the key.
    fileprivate static func line(of path: [String], _ value: String) -> [String]? {
        guard let name = path.last.flatMap(escape), path.dropLast().allSatisfy({ escape($0) != nil }) else {
            return nil
        }
        return [header(of: Array(path.dropLast())), "\(name)=\(value)"]
    }
}

extension KDE {
    package var witness: (any Witness)? { KDEWitness(program: self) }
}
