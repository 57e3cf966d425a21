package import MDPlatform
package import MDPropertyList
import MDTools

/// Xfce's kiosk mode: which capabilities of its programs users have, in one file of groups.
///
/// A domain is `org.xfce.kiosk`, a key a module and a capability of it, `xfce4-session/Shutdown`. A boolean allows or
/// denies it to all; an array of user names, and of groups after a percent sign, allows it to these.
///
/// Source: <https://docs.xfce.org/xfce/xfce4-session/advanced>
package struct XfceKiosk: Program {
    package let name = "xfce"
    package let title = "Xfce's kiosk mode"
    package let executables = ["/usr/bin/xfce4-session", XfceKiosk.tool]
    package let processes = ["xfce4-session"]
    package let reach = ProgramReach.instance(folder: XfceKiosk.folder)

    /// The folder of the file.
    private static let folder = "/etc/xdg/xfce4/kiosk"
    /// The tool that asks Xfce's library.
    fileprivate static let tool = "/usr/sbin/xfce4-kiosk-query"

    package init() {}

    package var domains: [Key] { ["org.xfce.kiosk"] }

    package func render(_ policy: ProgramPolicy, for audience: Audience, in root: Root) -> ProgramRendering {
        var (rendering, modules) = (ProgramRendering(), [Key: [String]]())
        for entry in policy.entries {
            let names = SlashPath(entry.key).names
            guard case .forced(let value) = entry.level else {
                let clause =
                    if case .recommended = entry.level {
                        "\(title) has no defaults: who has a capability cannot be changed by users"
                    } else {
                        "\(title) \(entry.level.unsupported)"
                    }
                rendering.findings.append(ProgramFinding(.unsupported, program: self, entry, clause))
                continue
            }
            guard names.count == 2, names.allSatisfy(XfceKiosk.isWord), let text = XfceKiosk.text(of: value) else {
                rendering.findings.append(
                    ProgramFinding(
                        .unsupported, program: self, entry,
                        "\(title) has keys MODULE/CAPABILITY, with a boolean or an array of users and %groups"))
                continue
            }
            modules[Key(names[0]), default: []].append("\(names[1])=\(text)")
        }
        if modules.isEmpty { return rendering }
        let lines = modules.sorted { $0.key < $1.key }.flatMap { ["[\($0.key.string)]"] + $0.value }
        rendering.files = [ProgramFile("\(XfceKiosk.folder)/kioskrc", .block(lines))]
        return rendering
    }

    /// The users that have a capability; `nil` if the file cannot name them.
    private static func text(of value: Value) -> String? {
        if case .boolean(let isAllowed) = value { return isAllowed ? "ALL" : "NONE" }
        guard let names = value.stringArrayValue, names.allSatisfy(isWord) else { return nil }
        return names.isEmpty ? "NONE" : names.joined(separator: ",")
    }

    /// Whether a text is a name in the file, and no other syntax of it.
    private static func isWord(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                byte > 0x20 && byte < 0x7f && ![0x23, 0x2c, 0x3b, 0x3d, 0x5b, 0x5d].contains(byte)
            }
    }

    package var witness: (any Witness)? { XfceWitness() }
}

/// Xfce's library, asked for the capabilities of the user.
struct XfceWitness: Witness {
    func testify(
        about policy: ProgramPolicy, for audience: Audience, at place: borrowing WitnessPlace
    ) throws(WitnessError) -> Testimony {
        var testimony = Testimony()
        for entry in policy.entries {
            let names = SlashPath(entry.key).names
            let alone = XfceKiosk().render(ProgramPolicy([entry]), for: audience, in: .system)
            guard names.count == 2, !alone.files.isEmpty, case .forced(let wanted) = entry.level else {
                testimony.answers.append(
                    WitnessAnswer(entry, .unsupported, note: alone.findings.first?.message ?? ""))
                continue
            }
            let output = try place.output(XfceKiosk.tool, names)
            testimony.answers.append(XfceWitness.answer(entry, wanted, output ?? []))
        }
        return testimony
    }

    /// What the tool prints about one capability, as an answer.
    static func answer(_ entry: ProgramEntry, _ wanted: Value, _ output: [UInt8]) -> WitnessAnswer {
        let text = String(decoding: output, as: UTF8.self)
        let isAllowed = TextSearch.isPresent("= ALLOWED", in: text)
        guard isAllowed || TextSearch.isPresent("= DENIED", in: text) else { return WitnessAnswer(entry, .unknown) }
        // Of a list the tool says only whether this user is in it.
        guard case .boolean = wanted else { return WitnessAnswer(entry, .unknown, value: .boolean(isAllowed)) }
        return WitnessAnswer(entry, wanted == .boolean(isAllowed) ? .enforced : .differs, value: .boolean(isAllowed))
    }
}
