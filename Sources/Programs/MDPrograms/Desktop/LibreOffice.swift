package import MDPlatform
package import MDPropertyList

/// LibreOffice: one file of its registry, beside those that its packages bring.
///
/// A domain is a component of the registry, `org.libreoffice.Office.Common` for `org.openoffice.Office.Common`; a key is
/// the path in it, `Save/Document/AutoSave` (``SlashPath``).
///
/// Of the registry, LibreOffice reads `*.xcd` first, and does not start if one is damaged; then every `*.xcu` below
/// `data`, each as far as its first error. So the file lies in `data`, is checked against the schema of the installed
/// packages, and has the settings that cannot be checked at its end.
package struct LibreOffice: Program {
    package let name = "libreoffice"
    package let title = "LibreOffice"
    package let executables = ["/usr/lib/libreoffice/program/soffice.bin"]
    package let sandboxes = [Sandbox.flatpak("org.libreoffice.LibreOffice")] + Sandbox.snap("libreoffice")
    package let versionFiles = ["/usr/lib/libreoffice/program/versionrc"]
    package let processes = ["soffice.bin"]
    package let reach = ProgramReach.instance(folder: LibreOffice.folder)
    package let weakness =
        "a user who starts it with CONFIGURATION_LAYERS, in the environment or behind -env:, chooses what it reads"

    /// The folder of settings beside the packages' own.
    private static let folder = "\(LibreOfficeSchema.folder)/data"
    /// The file in it.
    private static let file = "zz-managed-defaults.xcu"
    /// What a domain begins with, in place of the registry's own `org.openoffice.`.
    private static let prefix = "org.libreoffice."
    /// The types of settings on the machine; `nil` before ``prepared(for:)``.
    private let schema: LibreOfficeSchema.Source?

    package init() { schema = nil }

    private init(_ root: Root) { schema = LibreOfficeSchema.Source(root) }

    package func prepared(for root: Root) -> LibreOffice { LibreOffice(root) }

    package var domains: [Key] { [Key(LibreOffice.prefix)] }

    package func render(_ policy: ProgramPolicy, for audience: Audience, in root: Root) -> ProgramRendering {
        var rendering = ProgramRendering()
        if policy.isEmpty { return rendering }
        let schema = (self.schema ?? LibreOfficeSchema.Source(root)).schema
        // What was not checked comes last: an error there costs nothing else.
        var (checked, unchecked): ([String], [String]) = ([], [])
        for entry in policy.entries {
            let setting = RegistrySetting(entry)
            let place = schema.place(component: setting.component, path: setting.path)
            switch item(setting, entry.level, place) {
            case .success(let item): if place == .unchecked { unchecked.append(item) } else { checked.append(item) }
            case .failure(let obstacle):
                rendering.findings.append(
                    ProgramFinding(.unsupported, program: self, entry, "\(title) \(obstacle.clause)"))
            }
        }
        let items = checked + unchecked
        if items.isEmpty { return rendering }
        let text = ([LibreOffice.head] + items + ["</oor:items>\n"]).joined(separator: "\n")
        rendering.files = [
            ProgramFile("\(LibreOffice.folder)/\(LibreOffice.file)", .bytes(Array(text.utf8)))
        ]
        return rendering
    }

    /// How the file begins.
    private static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema"\
         xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
        """

    /// A setting of the registry.
    private struct RegistrySetting {
        /// The component, as the registry names it.
        let component: String
        /// The names of the nodes in it, the setting's own last.
        let path: [String]

        init(_ entry: ProgramEntry) {
            let name = entry.domain.string.utf8.dropFirst(LibreOffice.prefix.utf8.count)
            component = "org.openoffice." + String(Substring(name))
            path = SlashPath(entry.key).names
        }
    }

    /// The component of the registry and the names of the nodes in it that an entry means.
    static func path(of entry: ProgramEntry) -> [String] {
        let setting = RegistrySetting(entry)
        return [setting.component] + setting.path
    }

    /// Why an entry cannot be said, as a clause after the program's name.
    private struct Obstacle: Error {
        let clause: String
    }

    /// One entry as an item of the file.
    private func item(
        _ setting: RegistrySetting, _ level: ProgramEntry.Level, _ place: LibreOfficeSchema.Place
    ) -> Result<String, Obstacle> {
        if place == .unknown { return .failure(Obstacle(clause: "has no such setting")) }
        var known: LibreOfficeSchema.Property?
        if case .property(let property) = place { known = property }
        let (value, isFinal): (Value?, Bool)
        switch level {
        case .forced(let forced): (value, isFinal) = (forced, true)
        case .recommended(let recommended): (value, isFinal) = (recommended, false)
        case .absent: (value, isFinal) = (nil, true)
        default: return .failure(Obstacle(clause: level.unsupported))
        }
        let type: LibreOfficeSchema.ValueType
        var content = "<value xsi:nil=\"true\"/>"
        if let value {
            guard let fitting = LibreOfficeSchema.ValueType(value, as: known?.type) else {
                let wanted = known.map { "wants \($0.type.noun) here, and this is of" } ?? "has no values of the"
                return .failure(Obstacle(clause: "\(wanted) type \(value.typeName)"))
            }
            guard let text = fitting.text(of: value) else {
                return .failure(Obstacle(clause: "cannot read a value with control characters"))
            }
            (type, content) = (fitting, "<value>\(text)</value>")
        } else {
            type = known?.type ?? .any
            if known?.isNillable == false {
                return .failure(Obstacle(clause: "always has a value for this setting, which the user may change"))
            }
        }
        let names = [setting.component] + setting.path
        guard let name = setting.path.last.flatMap(XMLEscape.attribute), !setting.path.contains(""),
            names.allSatisfy({ XMLEscape.attribute($0) != nil })
        else { return .failure(Obstacle(clause: "has no setting of this name")) }
        var text = "<item oor:path=\"/\(XMLEscape.attribute(setting.component) ?? "")\">"
        for node in setting.path.dropLast() {
            text += "<node oor:name=\"\(XMLEscape.attribute(node) ?? "")\" oor:op=\"fuse\">"
        }
        text += "<prop oor:name=\"\(name)\" oor:op=\"fuse\""
        if known == nil || known?.type == .any { text += " oor:type=\"\(type.rawValue)\"" }
        text += isFinal ? " oor:finalized=\"true\">" : ">"
        text += content + "</prop>"
        for _ in setting.path.dropLast() { text += "</node>" }
        return .success(text + "</item>")
    }

    package func rivals(of policy: ProgramPolicy, in root: Root) -> [ProgramFinding] {
        if policy.isEmpty { return [] }
        let ours = Set(policy.entries.compactMap { RegistrySetting($0).path.last.map { Key($0) } })
        return ((try? root.names(in: LibreOffice.folder)) ?? []).compactMap { name in
            guard Key(name) != Key(LibreOffice.file), name.utf8.suffix(4).elementsEqual(".xcu".utf8) else { return nil }
            let path = "\(LibreOffice.folder)/\(name)"
            guard let bytes = try? root.read(path, limit: PlainJSON.sizeLimit).bytes else { return nil }
            var (tags, shared) = (XMLTags(bytes), Set<Key>())
            while let tag = tags.next() {
                if tag.name == "prop", let name = tag.attribute("oor:name") { shared.insert(Key(String(name))) }
            }
            shared.formIntersection(ours)
            if shared.isEmpty { return nil }
            let names = shared.sorted().map(\.string).joined(separator: ", ")
            return ProgramFinding(
                .rival, program: self.name, path: path,
                "the file may decide \(names): \(title) reads it before or after the one of policy, in no fixed order")
        }
    }
}
