import Foundation

/// The files of one package while they are gathered.
struct PackageTree {
    /// The package.
    let kind: PackageKind
    /// The folder that becomes `/`.
    let folder: URL
    /// What all packages have in common.
    private let build: PackageBuild

    /// Begins a package with its copyright, its changelog and the findings of lintian that are overridden.
    static func begin(_ kind: PackageKind, in work: URL, _ build: PackageBuild) throws -> PackageTree {
        let tree = PackageTree(kind: kind, folder: work.appending(path: kind.name), build: build)
        let files = build.sources.appending(path: "Sources/Commands/debian-package/files")
        try tree.install(files.appending(path: "copyright"), as: "usr/share/doc/\(kind.name)/copyright")
        try tree.install(
            files.appending(path: "\(kind.name).lintian-overrides"), as: "usr/share/lintian/overrides/\(kind.name)")
        let date = try Tool.run("date", "--utc", "--rfc-email", "--date=@\(build.epoch)")
        let log = "usr/share/doc/\(kind.name)/changelog"
        try tree.write(
            """
            managed-defaults (\(build.version)) unstable; urgency=medium

              * Made from the commit that the version names.

             -- \(PackageKind.maintainer)  \(date)

            """, as: log)
        try Tool.run("gzip", "-9n", tree.folder.appending(path: log).path)
        return tree
    }

    /// Copies a file; scripts keep that they can be run.
    func install(_ source: URL, as path: String) throws {
        let target = folder.appending(path: path)
        let isScript = FileManager.default.isExecutableFile(atPath: source.path) && source.pathExtension != "so"
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: source, to: target)
        try FileManager.default.setAttributes([.posixPermissions: isScript ? 0o755 : 0o644], ofItemAtPath: target.path)
    }

    /// Copies the files of a folder, without what tools left in it.
    func installFolder(_ source: URL, as path: String) throws {
        for name in try FileManager.default.subpathsOfDirectory(atPath: source.path).sorted() {
            let file = source.appending(path: name)
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder)
            if !isFolder.boolValue, !name.hasPrefix("__pycache__") { try install(file, as: "\(path)/\(name)") }
        }
    }

    /// Copies folders of `Examples`.
    func installExamples(_ names: [String]) throws {
        for name in names {
            try installFolder(
                build.sources.appending(path: "Examples/\(name)"), as: "usr/share/doc/\(kind.name)/examples/\(name)")
        }
    }

    /// Writes a file.
    func write(_ text: String, as path: String) throws {
        let target = folder.appending(path: path)
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: target, atomically: false, encoding: .utf8)
    }

    /// Makes a link.
    func link(_ path: String, to destination: String) throws {
        let target = folder.appending(path: path)
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: target.path, withDestinationPath: destination)
    }

    /// Writes a file for dpkg.
    func control(_ name: String, _ text: String) throws {
        let control = controlFolder
        try FileManager.default.createDirectory(at: control, withIntermediateDirectories: true)
        try text.write(to: control.appending(path: name), atomically: false, encoding: .utf8)
    }

    /// The folder for dpkg, which stays beside the files until they are packed.
    private var controlFolder: URL {
        folder.deletingLastPathComponent().appending(path: "\(kind.name).DEBIAN")
    }

    /// Makes the Debian package, and returns it.
    func pack() throws -> URL {
        let size = try Tool.run("du", "--summarize", "--apparent-size", "--block-size=1024", folder.path)
            .prefix { $0 != "\t" }
        let libraries = try linked.map(dependencies) ?? ""
        let architecture = kind.isForAll ? "all" : build.architecture
        try control(
            "control",
            kind.control(
                version: build.version, size: String(size), architecture: architecture, libraries: libraries))
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted().filter { name in
            let type = try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)[.type]
            return type as? FileAttributeType == .typeRegular
        }
        let sums = try names.map { name in
            "\(try Tool.run("md5sum", folder.appending(path: name).path).prefix { $0 != " " })  \(name)\n"
        }
        try control("md5sums", sums.joined())
        let scripts = build.sources.appending(path: "Sources/Commands/debian-package/maintainer")
        for name in ["postinst", "prerm", "postrm", "triggers"] {
            let script = scripts.appending(path: "\(kind.name).\(name)")
            if !FileManager.default.fileExists(atPath: script.path) { continue }
            let target = controlFolder.appending(path: name)
            try FileManager.default.copyItem(at: script, to: target)
            let mode = name == "triggers" ? 0o644 : 0o755
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: target.path)
        }
        try Tool.run("chmod", "-R", "u=rwX,go=rX", folder.path, controlFolder.path)
        try FileManager.default.moveItem(at: controlFolder, to: folder.appending(path: "DEBIAN"))
        let file = build.output.appending(path: "\(kind.name)_\(build.version)_\(architecture).deb")
        try Tool.run(
            "dpkg-deb", "--root-owner-group", "-Zxz", "--threads-max=1", "--build", folder.path, file.path,
            environment: ["SOURCE_DATE_EPOCH": build.epoch])
        return file
    }

    /// The file whose libraries the package needs; `nil` without one.
    private var linked: String? {
        switch kind {
        case .library: "usr/lib/\(build.multiarch)/libmanaged-defaults.so.1.0.0"
        case .gnustep: "\(PackageBuild.bundle)/ManagedDefaults"
        case .administration, .development, .python, .page: nil
        }
    }

    /// The packages of the libraries that a file needs, other than those that are made here.
    private func dependencies(of file: String) throws -> String {
        let stage = folder.deletingLastPathComponent().appending(path: "\(kind.name).shlibdeps")
        try FileManager.default.createDirectory(
            at: stage.appending(path: "debian"), withIntermediateDirectories: true)
        try "Source: managed-defaults\n\nPackage: \(kind.name)\nArchitecture: any\n".write(
            to: stage.appending(path: "debian/control"), atomically: false, encoding: .utf8)
        let own = folder.deletingLastPathComponent().appending(
            path: "\(PackageKind.library.name)/usr/lib/\(build.multiarch)")
        let answer = try Tool.run(
            "sh", "-c", "cd \"$1\" && dpkg-shlibdeps -O --ignore-missing-info -l\"$2\" -e\"$3\"", "sh", stage.path,
            own.path, folder.appending(path: file).path)
        guard let line = answer.split(separator: "\n").first(where: { $0.hasPrefix("shlibs:Depends=") }) else {
            throw PackageFailure(description: "dpkg-shlibdeps named no library: \(answer)")
        }
        return String(line.dropFirst("shlibs:Depends=".count))
    }
}
