package import MDPlatform
package import MDPropertyList

/// Xfce's settings: channels of properties, which `xfconfd` reads from the machine's file and then from the user's.
///
/// A domain is a channel, `org.xfce.xfconf.xfce4-panel`; a key is the path (``SlashPath``) of a property without its first
/// slash, `panels/dark-mode`. A number of another type than `int` and `double` is a dictionary with the type as its only
/// key, `{"uint": 48}`. A sealed domain locks the channel, and the user's file is not read.
///
/// A property is locked for all but some users (`unlocked`); the service takes no part of the user's file for it.
///
/// Source: <https://docs.xfce.org/xfce/xfconf/start>
package struct XfceSettings: Program {
    package let name = "xfconf"
    package let title = "Xfce (xfconf)"
    package let executables = [XfceSettings.tool]
    package let processes = ["xfconfd"]
    package let reach = ProgramReach.instance(folder: XfceSettings.folder)
    package let weakness = "a user gets around it by an own xfconfd with another XDG_CONFIG_DIRS"

    /// The folder of the machine's channels.
    private static let folder = "/etc/xdg/xfce4/xfconf/xfce-perchannel-xml"
    /// What a domain begins with.
    private static let prefix = "org.xfce.xfconf."
    /// The tool that reads and writes properties.
    static let tool = "/usr/bin/xfconf-query"

    package init() {}

    package var domains: [Key] { [Key(XfceSettings.prefix)] }

    package func takes(_ domain: Key) -> Bool { XfceSettings.channel(of: domain) != nil }

    /// The name of a domain's channel.
    static func channel(of domain: Key) -> String? {
        guard domain.string.utf8.starts(with: prefix.utf8) else { return nil }
        let name = String(Substring(domain.string.utf8.dropFirst(prefix.utf8.count)))
        return XfceProperties.isName(name) && name.utf8.first != UInt8(ascii: ".") ? name : nil
    }

    package func render(_ policy: ProgramPolicy, for audience: Audience, in root: Root) -> ProgramRendering {
        var rendering = ProgramRendering()
        for (domain, entries) in Dictionary(grouping: policy.entries, by: \.domain).sorted(by: { $0.key < $1.key }) {
            guard let channel = XfceSettings.channel(of: domain) else { continue }
            let seal = entries.first { $0.level == .sealed }
            var properties = XfceProperties(isSealed: seal != nil)
            for entry in entries where entry.level != .sealed {
                guard let clause = properties.add(entry) else { continue }
                rendering.findings.append(ProgramFinding(.unsupported, program: self, entry, "\(title) \(clause)"))
            }
            if let seal {
                rendering.findings.append(
                    ProgramFinding(
                        .unsupported, program: self, seal,
                        "\(title) forgets a property that policy does not list at the next login, and until then a user can"
                            + " set it"))
            }
            if properties.isEmpty { continue }
            rendering.files.append(
                ProgramFile(
                    "\(XfceSettings.folder)/\(channel).xml",
                    .channel(opening: properties.opening(channel), properties.lines, isShared: seal == nil)))
        }
        rendering.findings += MissingPictures.findings(in: policy, for: self, root)
        return rendering
    }

    package func rivals(of policy: ProgramPolicy, in root: Root) -> [ProgramFinding] {
        Set(policy.entries.map(\.domain)).sorted().compactMap { domain in
            guard let path = XfceSettings.channel(of: domain).map({ "\(XfceSettings.folder)/\($0).xml" }),
                let bytes = try? root.read(path, limit: PlainJSON.sizeLimit).bytes
            else { return nil }
            let entries = policy.entries.filter { $0.domain == domain }
            guard let clause = XfceProperties.objection(toForeign: bytes, beside: entries.map(\.key)) else {
                return nil
            }
            return ProgramFinding(.rival, program: name, path: path, clause)
        }
    }

    package var witness: (any Witness)? { XfceSettingsWitness() }
}
