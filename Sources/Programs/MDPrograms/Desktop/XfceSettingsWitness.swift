import MDPlatform
import MDPropertyList
import MDTools

/// `xfconfd` on a bus of its own, asked by `xfconf-query` for each property, before and after an attempt to set it.
struct XfceSettingsWitness: Witness {
    /// The tool that starts a bus, which starts the service.
    private static let bus = "/usr/bin/dbus-run-session"
    /// What the attempt sets.
    private static let other = "managed-defaults-other"
    /// Reads a property, sets it and reads it again; a property without a value is byte 2, and byte 1 ends each.
    private static let script = """
        r() { /usr/bin/xfconf-query -c "$c" -p "$p" 2>/dev/null || printf '\\002'; printf '\\001'; }
        c=$1 p=$2; r; /usr/bin/xfconf-query -c "$c" -p "$p" -n -t string -s "$3" >/dev/null 2>&1; r
        """

    func testify(
        about policy: ProgramPolicy, for audience: Audience, at place: borrowing WitnessPlace
    ) throws(WitnessError) -> Testimony {
        let program = XfceSettings()
        var testimony = Testimony()
        for entry in policy.entries {
            let isSeal = entry.level == .sealed
            let rendering = program.render(ProgramPolicy([entry]), for: audience, in: .system)
            guard let channel = XfceSettings.channel(of: entry.domain), !rendering.files.isEmpty else {
                testimony.answers.append(
                    WitnessAnswer(entry, .unsupported, note: rendering.findings.first?.message ?? ""))
                continue
            }
            let path = isSeal ? "managed-defaults" : SlashPath(entry.key).names.joined(separator: "/")
            let output = try place.output(
                XfceSettingsWitness.bus,
                [
                    "--", "/bin/sh", "-c", XfceSettingsWitness.script, "sh", channel, "/\(path)",
                    XfceSettingsWitness.other,
                ],
                variables: ["XDG_CONFIG_HOME=\(place.path("xfce"))"])
            testimony.answers.append(XfceSettingsWitness.answer(entry, output ?? []))
        }
        return testimony
    }

    /// What the tool prints of a property before and after the attempt, as an answer.
    static func answer(_ entry: ProgramEntry, _ output: [UInt8]) -> WitnessAnswer {
        let parts = output.split(separator: 1, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return WitnessAnswer(entry, .unknown) }
        let (first, second) = (lines(parts[0]), lines(parts[1]))
        let isFree = second == [other]
        switch entry.level {
        case .forced(let value), .recommended(let value):
            guard let first else { return WitnessAnswer(entry, .differs) }
            if first != texts(value) {
                return WitnessAnswer(entry, .differs, value: .string(first.joined(separator: ",")))
            }
            guard case .forced = entry.level else { return WitnessAnswer(entry, .isDefault, value: value) }
            return isFree
                ? WitnessAnswer(entry, .differs, value: value, note: "the user may change it")
                : WitnessAnswer(entry, .enforced, value: value)
        case .absent, .sealed:
            if let first { return WitnessAnswer(entry, .differs, value: .string(first.joined(separator: ","))) }
            return isFree
                ? WitnessAnswer(entry, .differs, note: "the user may set it") : WitnessAnswer(entry, .enforced)
        default: return WitnessAnswer(entry, .unknown)
        }
    }

    /// A printed value, each element of an array a line; `nil` if there is none.
    private static func lines(_ bytes: ArraySlice<UInt8>) -> [String]? {
        if bytes.first == 2 { return nil }
        let text = bytes.last == 0x0a ? bytes.dropLast() : bytes
        let lines = text.split(separator: 0x0a, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard lines.count > 1, TextSearch.isPresent("Value is an array with ", in: lines[0]), lines[1].isEmpty else {
            return [lines.joined(separator: "\n")]
        }
        return Array(lines.dropFirst(2))
    }

    /// A value as the tool prints it.
    private static func texts(_ value: Value) -> [String] {
        switch value {
        case .array(let elements): elements.flatMap(texts)
        case .dictionary(let members): members.values.flatMap(texts)
        case .string(let text): [text]
        case .boolean(let isTrue): [isTrue ? "true" : "false"]
        case .integer(let number): [number.description]
        case .real(let number): [fixed(number)]
        default: []
        }
    }

    /// A number with six decimal places, as the tool prints it.
    private static func fixed(_ number: Double) -> String {
        let scaled = (number.magnitude * 1_000_000).rounded()
        guard scaled < 1e15, let whole = Int64(exactly: scaled) else { return "\(number)" }
        let digits = "\(whole % 1_000_000)"
        return (number.sign == .minus ? "-" : "") + "\(whole / 1_000_000)."
            + String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }
}
