import Foundation
import PackagePlugin

/// Builds the packages: `swift package --allow-writing-to-package-directory debian-package`.
///
/// There are Debian packages for administrators (`managed-defaults`, and the page on Cockpit `cockpit-managed-defaults`), for
/// programs in other languages (`libmanaged-defaults1`, `python3-managed-defaults`), for their authors
/// (`libmanaged-defaults-dev`) and, where GNUstep's headers are, for its programs (`gnustep-managed-defaults`), and an archive
/// with the same files for other systems. The same commit at the same path makes the same bytes: times are that of the commit, or
/// SOURCE_DATE_EPOCH, and names are in order.
@main
struct DebianPackage: CommandPlugin {
    /// The programs, with their folders.
    private static let programs = [("mdefaults", "usr/bin"), ("mdefaultsd", "usr/sbin")]

    func performCommand(context: PluginContext, arguments: [String]) throws {
        var arguments = ArgumentExtractor(arguments)
        let sources = context.package.directoryURL
        let output = URL(
            fileURLWithPath: arguments.extractOption(named: "output").last ?? sources.path + "/.build/debian")
        let work = context.pluginWorkDirectoryURL.appending(path: "packages")
        try? FileManager.default.removeItem(at: work)
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        let build = try PackageBuild(sources: sources, output: output)

        let library = try build.built("managed-defaults", named: "libmanaged-defaults.so", packageManager)
        let administration = try PackageTree.begin(.administration, in: work, build)
        for (program, folder) in DebianPackage.programs {
            let built = try build.built(program, named: program, packageManager)
            let target = administration.folder.appending(path: "\(folder)/\(program)")
            try build.linkStatically(program, besides: built, as: target)
        }
        try build.compileHelper(
            sources.appending(path: "Sources/Commands/mdefaults-names/main.c"),
            as: administration.folder.appending(path: "usr/libexec/managed-defaults/mdefaults-names"))
        try addServices(to: administration, from: sources)
        try addData(to: administration, from: sources)
        let development = try PackageTree.begin(.development, in: work, build)
        try addManual(
            to: administration, development, from: sources, build, generator: context.tool(named: "manual-pages").url)
        try addCompletions(to: administration)

        let shared = try PackageTree.begin(.library, in: work, build)
        let folder = "usr/lib/\(build.multiarch)"
        let real = "\(folder)/libmanaged-defaults.so.1.0.0"
        try shared.install(library, as: real)
        try PackageBuild.strip(shared.folder.appending(path: real).path, "--strip-unneeded")
        try shared.link("\(folder)/libmanaged-defaults.so.1", to: "libmanaged-defaults.so.1.0.0")
        try shared.control("shlibs", "libmanaged-defaults 1 libmanaged-defaults1 (>= \(build.version))\n")

        try development.link("\(folder)/libmanaged-defaults.so", to: "libmanaged-defaults.so.1")
        try development.install(
            sources.appending(path: "Sources/Defaults/MDCInterface/include/managed-defaults.h"),
            as: "usr/include/managed-defaults.h")
        let description = try String(
            contentsOf: sources.appending(path: "Sources/Commands/debian-package/files/managed-defaults.pc"),
            encoding: .utf8)
        try development.write(
            description.replacingOccurrences(of: "@MULTIARCH@", with: build.multiarch)
                .replacingOccurrences(of: "@VERSION@", with: build.release),
            as: "\(folder)/pkgconfig/managed-defaults.pc")
        try development.install(
            sources.appending(path: "Sources/Defaults/ManagedDefaults/ManagedDefaults.docc/OtherLanguages.md"),
            as: "usr/share/doc/libmanaged-defaults-dev/OtherLanguages.md")
        try development.installExamples(["c", "shell", "gnustep", "node"])

        let python = try PackageTree.begin(.python, in: work, build)
        let modules = "usr/lib/python3/dist-packages"
        try python.installFolder(
            sources.appending(path: "Sources/Defaults/Python/managed_defaults"), as: "\(modules)/managed_defaults")
        try python.write(
            "Metadata-Version: 2.1\nName: managed-defaults\nVersion: \(build.release)\n",
            as: "\(modules)/managed_defaults-\(build.release).dist-info/METADATA")
        try python.installExamples(["python", "gtk"])

        let page = try PackageTree.begin(.page, in: work, build)
        try page.installFolder(
            sources.appending(path: "Sources/Commands/cockpit-managed-defaults"),
            as: "usr/share/cockpit/managed-defaults")

        var trees = [administration, shared, development, python, page]
        if build.hasGNUstep {
            let gnustep = try PackageTree.begin(.gnustep, in: work, build)
            let bundle = sources.appending(path: "Sources/Defaults/GNUstep")
            try build.compileBundle(
                bundle.appending(path: "ManagedDefaults.m"), with: shared.folder.appending(path: folder),
                as: gnustep.folder.appending(path: "\(PackageBuild.bundle)/ManagedDefaults"))
            try gnustep.install(
                bundle.appending(path: "Info-gnustep.plist"),
                as: "\(PackageBuild.bundle)/Resources/Info-gnustep.plist")
            let setting = "etc/GNUstep/GlobalDefaults/managed-defaults.plist"
            try gnustep.install(bundle.appending(path: "managed-defaults.plist"), as: setting)
            try gnustep.control("conffiles", "/\(setting)\n")
            trees.append(gnustep)
        } else {
            print("skipped: gnustep-managed-defaults needs libgnustep-base-dev and gobjc")
        }
        let archive = try build.archive(trees, in: work)
        for tree in trees { print(try tree.pack().path) }
        print(archive.path)
    }

    /// Adds the units, and what makes the service's user and folders.
    private func addServices(to tree: PackageTree, from sources: URL) throws {
        for program in ["mdefaults", "mdefaultsd"] {
            let folder = sources.appending(path: "Sources/Commands/\(program)/systemd")
            for file in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
                let source = folder.appending(path: file)
                let target =
                    switch source.pathExtension {
                    case "sysusers": "usr/lib/sysusers.d/\(program).conf"
                    case "tmpfiles": "usr/lib/tmpfiles.d/\(program).conf"
                    default: "usr/lib/systemd/system/\(file)"
                    }
                try tree.install(source, as: target)
            }
        }
        // Switched off until `programs enable`: the profile of PAM, and the environment that it gives sessions.
        let pam = sources.appending(path: "Sources/Commands/mdefaults/pam")
        try tree.install(pam.appending(path: "managed-defaults"), as: "usr/share/pam-configs/managed-defaults")
        try tree.install(
            pam.appending(path: "session-environment"), as: "usr/share/managed-defaults/session-environment")
    }

    /// Adds what common settings mean to programs, the schema, the ready sets and the articles.
    private func addData(to tree: PackageTree, from sources: URL) throws {
        let policies = sources.appending(path: "Policies")
        for name in ["browsers.json", "chromium-policies.tsv", "desktops.json", "services.json"] {
            try tree.install(
                policies.appending(path: "programs/\(name)"), as: "usr/share/managed-defaults/programs/\(name)")
        }
        try tree.install(
            policies.appending(path: "policy.schema.json"), as: "usr/share/managed-defaults/policy.schema.json")
        for name in try FileManager.default.contentsOfDirectory(atPath: policies.path).sorted() {
            let set = policies.appending(path: name)
            if name != "programs", FileManager.default.fileExists(atPath: set.appending(path: "README.md").path) {
                try tree.installFolder(set, as: "usr/share/managed-defaults/sets/\(name)")
            }
        }
        let articles = sources.appending(path: "Sources/Commands/mdefaults/mdefaults.docc")
        for name in try FileManager.default.contentsOfDirectory(atPath: articles.path).sorted()
        where name.hasSuffix(".md") && !["mdefaults.md", "AddingAProgram.md"].contains(name) {
            try tree.install(articles.appending(path: name), as: "usr/share/doc/managed-defaults/\(name)")
        }
    }

    /// Makes the manual pages of the articles and of what the command says of its verbs; those of the C interface go to
    /// another package, with a link for each function.
    private func addManual(
        to tree: PackageTree, _ development: PackageTree, from sources: URL, _ build: PackageBuild, generator: URL
    ) throws {
        let verbs = tree.folder.deletingLastPathComponent().appending(path: "verbs.json")
        let command = tree.folder.appending(path: "usr/bin/mdefaults").path
        try Data(try Tool.output(command, "help", "--json")).write(to: verbs)
        let pages = tree.folder.appending(path: "usr/share/man")
        try FileManager.default.createDirectory(at: pages, withIntermediateDirectories: true)
        try Tool.run(
            generator.path, sources.appending(path: "Sources/Commands/mdefaults/mdefaults.docc").path, verbs.path,
            build.day,
            "mdefaults \(build.release)", pages.path)
        for section in try FileManager.default.contentsOfDirectory(atPath: pages.path).sorted() {
            let folder = pages.appending(path: section)
            for page in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
                try Tool.run("gzip", "-9n", folder.appending(path: page).path)
            }
        }
        let interface = "usr/share/man/man3"
        try development.install(
            pages.appending(path: "man3/managed-defaults.3.gz"), as: "\(interface)/managed-defaults.3.gz")
        try FileManager.default.removeItem(at: pages.appending(path: "man3"))
        let functions = try String(
            contentsOf: sources.appending(path: "Sources/Defaults/MDInterface/symbols"), encoding: .utf8)
        for function in functions.split(separator: "\n") {
            try development.link("\(interface)/\(function).3.gz", to: "managed-defaults.3.gz")
        }
    }

    /// Adds the scripts by which shells complete command lines, where each shell looks for them.
    private func addCompletions(to tree: PackageTree) throws {
        let places = [
            "bash": "usr/share/bash-completion/completions/mdefaults",
            "zsh": "usr/share/zsh/vendor-completions/_mdefaults",
            "fish": "usr/share/fish/vendor_completions.d/mdefaults.fish",
        ]
        for (shell, place) in places {
            let script = try Tool.output(
                tree.folder.appending(path: "usr/bin/mdefaults").path, "completions", shell)
            try tree.write(String(decoding: script, as: UTF8.self), as: place)
        }
    }
}
