import Foundation
import PackagePlugin

/// Builds the Debian package: `swift package debian-package`.
///
/// It contains the command and the audit service, both linked statically, their units, the user and the folders of the
/// service. The same commit at the same path makes the same bytes, if SOURCE_DATE_EPOCH is the same, or unset, when it is
/// the time of the commit.
@main
struct DebianPackage: CommandPlugin {
    /// The programs of the package, with their folders.
    private static let programs = [("mdefaults", "usr/bin"), ("mdefaultsd", "usr/sbin")]

    func performCommand(context: PluginContext, arguments: [String]) throws {
        var arguments = ArgumentExtractor(arguments)
        let package = context.package.directoryURL
        let output = URL(
            fileURLWithPath: arguments.extractOption(named: "output").last ?? package.path + "/.build/debian")
        let tree = context.pluginWorkDirectoryURL.appending(path: "tree")
        try? FileManager.default.removeItem(at: tree)
        for (program, folder) in DebianPackage.programs {
            let built = try build(program)
            let target = tree.appending(path: "\(folder)/\(program)")
            try install(built, as: target, mode: 0o755)
            try run("strip", "--strip-all", "--remove-section=.comment", target.path)
        }
        try installUnits(of: package, in: tree)
        try installProfile(of: package, in: tree)
        let version = try self.version(of: package)
        let size = try run("du", "--summarize", "--apparent-size", "--block-size=1024", tree.path).prefix { $0 != "\t" }
        let control = tree.appending(path: "DEBIAN")
        try FileManager.default.createDirectory(at: control, withIntermediateDirectories: true)
        try DebianPackage.control(version: version, size: String(size), architecture: try architecture()).write(
            to: control.appending(path: "control"), atomically: true, encoding: .utf8)
        for script in ["postinst", "prerm", "postrm"] {
            try install(
                package.appending(path: "Sources/debian-package/maintainer/\(script)"),
                as: control.appending(path: script), mode: 0o755)
        }
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        let file = output.appending(path: "managed-defaults_\(version)_\(try architecture()).deb")
        try run(
            "dpkg-deb", "--root-owner-group", "-Zxz", "--build", tree.path, file.path,
            epoch: try commitTime(of: package))
        print(file.path)
    }

    /// Builds a program as it is installed, and returns it.
    private func build(_ program: String) throws -> URL {
        var parameters = PackageManager.BuildParameters(configuration: .release)
        parameters.otherSwiftcFlags = ["-static-stdlib"]
        let result = try packageManager.build(.product(program), parameters: parameters)
        guard result.succeeded,
            let artifact = result.builtArtifacts.first(where: { $0.url.lastPathComponent == program })
        else {
            throw PackageFailure(description: "\(program) could not be built:\n\(result.logText)")
        }
        return artifact.url
    }

    /// Copies the units, and what makes the service's user and folders.
    private func installUnits(of package: URL, in tree: URL) throws {
        for program in ["mdefaults", "mdefaultsd"] {
            let folder = package.appending(path: "Sources/\(program)/systemd")
            for file in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
                let source = folder.appending(path: file)
                let target =
                    switch source.pathExtension {
                    case "sysusers": "usr/lib/sysusers.d/\(program).conf"
                    case "tmpfiles": "usr/lib/tmpfiles.d/\(program).conf"
                    default: "usr/lib/systemd/system/\(file)"
                    }
                try install(source, as: tree.appending(path: target), mode: 0o644)
            }
        }
    }

    /// Copies the profile of PAM, which `programs enable` switches on, the environment that it gives sessions,
    /// and what common settings mean to programs.
    private func installProfile(of package: URL, in tree: URL) throws {
        let files = [
            "managed-defaults": "usr/share/pam-configs/managed-defaults",
            "session-environment": "usr/share/managed-defaults/session-environment",
        ]
        for (name, target) in files {
            try install(
                package.appending(path: "Sources/mdefaults/pam/\(name)"), as: tree.appending(path: target), mode: 0o644)
        }
        for name in ["browsers.json", "desktops.json"] {
            try install(
                package.appending(path: "Policies/programs/\(name)"),
                as: tree.appending(path: "usr/share/managed-defaults/programs/\(name)"), mode: 0o644)
        }
    }

    /// Copies a file with a mode.
    private func install(_ source: URL, as target: URL, mode: Int) throws {
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        try FileManager.default.copyItem(at: source, to: target)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: target.path)
    }

    /// The version: 0.1 with the number of the commits and the last one's digest.
    private func version(of package: URL) throws -> String {
        let count = try run("git", "-C", package.path, "rev-list", "--count", "HEAD")
        let digest = try run("git", "-C", package.path, "rev-parse", "--short=8", "HEAD")
        return "0.1~\(count)+g\(digest)"
    }

    /// The time of the last commit, for dpkg-deb.
    private func commitTime(of package: URL) throws -> String {
        if let set = ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"] { return set }
        return try run("git", "-C", package.path, "log", "-1", "--format=%ct")
    }

    /// Debian's name of this machine's architecture.
    private func architecture() throws -> String { try run("dpkg", "--print-architecture") }

    /// The description of the package for dpkg.
    private static func control(version: String, size: String, architecture: String) -> String {
        """
        Package: managed-defaults
        Version: \(version)
        Architecture: \(architecture)
        Maintainer: ManagedDefaults maintainers <maintainers@managed-defaults.example>
        Installed-Size: \(size)
        Depends: libc6 (>= 2.36), libgcc-s1, libstdc++6, systemd (>= 249), init-system-helpers (>= 1.52)
        Recommends: openssl
        Section: admin
        Priority: optional
        Description: forced settings for applications, with an audit log
         An administrator puts policy files into /etc/managed-defaults. They define values
         that come before those of every user. The command says what is in force and from
         which file and line, and the service records attempts to override a forced value.

        """
    }

    /// Runs a tool and returns what it printed, without the last line feed.
    @discardableResult
    private func run(_ tool: String, _ arguments: String..., epoch: String? = nil) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [tool] + arguments
        process.standardOutput = output
        if let epoch {
            process.environment = ProcessInfo.processInfo.environment.merging(["SOURCE_DATE_EPOCH": epoch]) { $1 }
        }
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw PackageFailure(
                description: "\(tool) \(arguments.joined(separator: " ")): exit \(process.terminationStatus)")
        }
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
}

/// Why the package could not be made, as a sentence.
struct PackageFailure: Error, CustomStringConvertible {
    let description: String
}
