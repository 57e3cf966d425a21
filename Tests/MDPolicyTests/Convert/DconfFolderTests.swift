import MDPropertyList
import Testing

@testable import MDPolicyAdministration

/// To which domains keyfiles of dconf are carried over.
struct DconfFolderTests {
    /// The domain that a line of a keyfile is carried over to, with what is said of it.
    private static func converted(_ line: String, schemas: [DconfSchema] = []) throws -> (
        domains: [Key], losses: [String]
    ) {
        var options = ConversionOptions(kind: .keyfile)
        options.schemas = schemas
        let conversion = try Conversion([ConversionInput(path: "db", bytes: Array(line.utf8))], options)
        return (conversion.domains, conversion.losses)
    }

    @Test(
        arguments: [
            ("system/proxy", "mode", "org.gnome.system.proxy"), ("org/gnome/shell", "x", "org.gnome.shell"),
            ("org/gnome/control-center", "x", "org.gnome.Settings"), ("org/mate/panel/general", "x", "org.mate.panel"),
            ("org/mate/desktop/background", "picture-filename", "org.mate.background"),
            ("org/gnome/evolution/mail", "x", "org.gnome.evolution.mail"),
            ("desktop/ibus/general", "x", "org.freedesktop.ibus.general"),
            ("org/gnome/settings-daemon/plugins/power", "x", "org.gnome.settings-daemon.plugins.power"),
            (
                "org/gnome/settings-daemon/plugins/media-keys/custom-keybindings/custom0", "name",
                "org.gnome.settings-daemon.plugins.media-keys.custom-keybinding:"
                    + "|org|gnome|settings-daemon|plugins|media-keys|custom-keybindings|custom0|"
            ),
            (
                "org/gnome/terminal/legacy/profiles:/:b1dc", "font",
                "org.gnome.Terminal.Legacy.Profile:|org|gnome|terminal|legacy|profiles:|:b1dc|"
            ),
        ] as [(String, String, String)])
    func `a folder of dconf is the schema whose keys lie in it`(_ folder: String, _ key: String, _ domain: String)
        throws
    {
        let found = try Self.converted("[\(folder)]\n\(key)=1\n")
        #expect(found.domains == [Key(domain)] && found.losses == [])
    }

    @Test func `installed schemas decide before the table`() throws {
        let schemas = [
            DconfSchema(id: "org.x.Tool", folder: "/org/x/tool/", keys: ["a"]),
            DconfSchema(id: "org.x.OtherTool", folder: "/org/x/tool/", keys: ["b"]),
            DconfSchema(id: "org.x.tool.list.item", folder: nil, keys: ["name"]),
            DconfSchema(id: "org.x.tool.entry", folder: nil, keys: ["name"]),
            DconfSchema(id: "org.gnome.shell", folder: "/org/gnome/Shell/", keys: ["x"]),
        ]
        for (line, domain) in [
            ("[org/x/tool]\na=1", "org.x.Tool"), ("[org/x/tool]\nb=1", "org.x.OtherTool"),
            ("[org/x/tool/list/7]\nname=1", "org.x.tool.list.item:|org|x|tool|list|7|"),
        ] as [(String, Key)] {
            let found = try Self.converted(line, schemas: schemas)
            #expect(found.domains == [domain] && found.losses == [], "\(line)")
        }
        for (line, domains, loss) in [
            ("[org/x/tool]\nc=1", ["org.x.Tool"], "\"c\": the schema org.x.Tool has no key c"),
            (
                "[org/gnome/shell]\nx=1", [],
                "\"x\" is left out: the keys of the schema org.gnome.shell lie in /org/gnome/Shell/, so no program reads"
                    + " those in /org/gnome/shell/"
            ),
        ] as [(String, [Key], String)] {
            let found = try Self.converted(line, schemas: schemas)
            #expect(found.domains == domains && found.losses == ["db:2:1: \(loss)"], "\(line)")
        }
    }

    @Test(
        arguments: [
            (
                "[org/x/y]\na=1", ["org.x.y"],
                "no schema that is known here has keys in /org/x/y/, so the domain org.x.y is a guess"
            ),
            (
                "[org/gnome/system/proxy]\nmode='none'", [],
                "the keys of the schema org.gnome.system.proxy lie in /system/proxy/, so no program reads those in"
                    + " /org/gnome/system/proxy/"
            ),
            (
                "[org/gnome/evolution]\nversion='1'", ["org.gnome.evolution"],
                "\"version\": org.gnome.evolution or org.gnome.Evolution.DefaultSources has this key: only the installed schemas"
                    + " say which"
            ),
            ("[org/x:y/z]\na=1", [], "no schema can have keys in /org/x:y/z/"),
            ("[a/b]\nx=1\n[org.x.y]\na=1", ["a.b", "org.x.y"], "no schema of the name org.x.y is known here"),
            (
                "[org.gnome.desktop.background:ubuntu]\npicture-uri='a'", ["org.gnome.desktop.background"],
                "\"picture-uri\" holds in the desktops [org.gnome.desktop.background:ubuntu] only, and here in all"
            ),
        ] as [(String, [Key], String)])
    func `what is no known schema's is said at its line`(_ text: String, _ domains: [Key], _ said: String) throws {
        let found = try Self.converted(text)
        #expect(found.domains == domains)
        #expect(found.losses.last?.hasSuffix(said) == true, "\(found.losses)")
    }

    @Test func `the table names each schema once`() {
        let lines = DconfFolders.table.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(lines.allSatisfy { $0.count >= 3 && ($0[1] == "=" || $0[1].hasPrefix("/") && $0[1].hasSuffix("/")) })
        let ids = lines.flatMap { line in line.dropFirst(2).map { $0 == "." ? line[0] : "\(line[0]).\($0)" } }
        #expect(ids.count == Set(ids).count && ids.count > 350)
    }
}
