import Foundation
import PackagePlugin

/// What all packages of one run have in common, and the building of what is in them.
struct PackageBuild {
    /// The sources.
    let sources: URL
    /// The folder that gets the packages.
    let output: URL
    /// The version: 0.1 with the number of the commits and the last one's digest.
    let version: String
    /// The version of the command, as it prints it.
    let release = "0.1.0"
    /// The time of the commit, or SOURCE_DATE_EPOCH, in seconds since 1970.
    let epoch: String
    /// The day of that time.
    let day: String
    /// Debian's name of this machine's architecture.
    let architecture: String
    /// The name of that architecture in paths of libraries.
    let multiarch: String

    /// Asks git and dpkg.
    init(sources: URL, output: URL) throws {
        self.sources = sources
        self.output = output
        let count = try Tool.run("git", "-C", sources.path, "rev-list", "--count", "HEAD")
        let digest = try Tool.run("git", "-C", sources.path, "rev-parse", "--short=8", "HEAD")
        version = "0.1~\(count)+g\(digest)"
        let given = ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"]
        epoch = try given ?? Tool.run("git", "-C", sources.path, "log", "-1", "--format=%ct")
        day = try Tool.run("date", "--utc", "--date=@\(epoch)", "+%Y-%m-%d")
        architecture = try Tool.run("dpkg", "--print-architecture")
        multiarch = try Tool.run("dpkg-architecture", "--query=DEB_HOST_MULTIARCH")
    }

    /// Builds a product with the runtime of Swift inside of it, and returns the file.
    func built(_ product: String, named name: String, _ manager: PackageManager) throws -> URL {
        var parameters = PackageManager.BuildParameters(configuration: .release)
        parameters.otherSwiftcFlags = ["-static-stdlib"]
        let result = try manager.build(.product(product), parameters: parameters)
        guard result.succeeded, let artifact = result.builtArtifacts.first(where: { $0.url.lastPathComponent == name })
        else { throw PackageFailure(description: "\(product) could not be built:\n\(result.logText)") }
        return artifact.url
    }

    /// Links the objects of a program that was built once more, so that it needs no dynamic loader.
    ///
    /// SwiftPM links all programs of a package in the same way, and this one must not reach tests and libraries. The tables
    /// for unwinding are left out, a seventh of the program: nothing in it throws as C++ does, and debuggers find the callers
    /// by frame pointers.
    ///
    /// - Parameters:
    ///   - program: the name of the program.
    ///   - built: the program as SwiftPM linked it, beside which lies the list of its objects.
    ///   - target: the file to make.
    /// - Throws: what the linker said; Debian's libc6-dev and libstdc++-dev have the static libraries that it needs.
    func linkStatically(_ program: String, besides built: URL, as target: URL) throws {
        let objects = built.deletingLastPathComponent().appending(path: "\(program).product/Objects.LinkFileList")
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        let script = target.deletingLastPathComponent().appending(path: "\(program).ld")
        try Data("SECTIONS { /DISCARD/ : { *(.eh_frame) } } INSERT AFTER .text;\n".utf8).write(to: script)
        defer { try? FileManager.default.removeItem(at: script) }
        try Tool.run(
            "swiftc", "-static-executable", "-emit-executable", "-o", target.path, "@\(objects.path)", "-use-ld=lld",
            // As SwiftPM has it: an executable's entry has the name of its module.
            "-Xlinker", "--defsym=main=\(program)_main", "-Xlinker", "--gc-sections", "-Xlinker", "--no-export-dynamic",
            "-Xlinker", "--no-eh-frame-hdr", "-Xlinker", "-T", "-Xlinker", script.path, "-lm")
        try PackageBuild.strip(target.path, "--strip-all")
    }

    /// Compiles the program that asks name services, which are libraries of the C library: the only program that is linked
    /// dynamically, and with nothing but the C library.
    ///
    /// - Throws: what the compiler said.
    func compileHelper(_ source: URL, as target: URL) throws {
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Tool.run(
            "clang", "-std=c17", "-O2", "-Wall", "-Werror", "-D_FORTIFY_SOURCE=2", "-fstack-protector-strong", "-fPIE",
            "-pie", "-Wl,-z,relro,-z,now", "-o", target.path, source.path)
        try PackageBuild.strip(target.path, "--strip-all")
    }

    /// The folder of the bundle for GNUstep in its package.
    static let bundle = "usr/lib/GNUstep/Bundles/ManagedDefaults.bundle"

    /// Whether a bundle for GNUstep can be compiled here: its headers are there, and GCC's part for Objective-C.
    var hasGNUstep: Bool {
        let files = FileManager.default
        let compiler = try? Tool.run("gcc", "-print-prog-name=cc1obj")
        return files.fileExists(atPath: "/usr/include/GNUstep/Foundation/Foundation.h")
            && files.isExecutableFile(atPath: compiler ?? "")
    }

    /// Compiles the bundle for GNUstep against the shared library in a folder.
    func compileBundle(_ source: URL, with library: URL, as target: URL) throws {
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        // The arguments of gnustep-config without its warnings, search paths in the home, and debug information.
        try Tool.run(
            "gcc", "-std=gnu11", "-O2", "-fPIC", "-shared", "-pthread", "-Wall", "-Werror", "-Wno-import",
            "-fstack-protector-strong", "-fexceptions", "-fobjc-exceptions", "-fconstant-string-class=NSConstantString",
            "-DGNUSTEP", "-DGNUSTEP_BASE_LIBRARY=1", "-DGNU_RUNTIME=1", "-D_NATIVE_OBJC_EXCEPTIONS",
            "-isystem", "/usr/include/GNUstep",
            "-I", sources.appending(path: "Sources/Defaults/MDCInterface/include").path,
            "-o", target.path, source.path, "-Wl,-z,relro,-z,now", "-L", library.path,
            "-l:libmanaged-defaults.so.1", "-lgnustep-base", "-lobjc")
        try PackageBuild.strip(target.path, "--strip-unneeded")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: target.path)
    }

    /// Removes from a program or library what running it does not need.
    ///
    /// The compiler's hashes of modules, and the identifier of the build that is computed from them, differ from build to
    /// build of the same sources.
    static func strip(_ path: String, _ option: String) throws {
        try Tool.run(
            "strip", option, "--remove-section=.comment", "--remove-section=.swift_modhash",
            "--remove-section=.note.gnu.build-id", path)
    }

    /// Makes an archive of the files of all packages.
    func archive(_ trees: [PackageTree], in work: URL) throws -> URL {
        let name = "managed-defaults-\(version)-\(architecture)"
        let folder = work.appending(path: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for tree in trees { try Tool.run("cp", "-a", tree.folder.path + "/.", folder.path) }
        try Tool.run("chmod", "-R", "u=rwX,go=rX", folder.path)
        let file = output.appending(path: "\(name).tar.xz")
        try Tool.run(
            "tar", "--create", "--sort=name", "--mtime=@\(epoch)", "--owner=0", "--group=0", "--numeric-owner",
            "--format=gnu", "--use-compress-program=xz -6 -T1", "--file", file.path, "--directory", work.path, name)
        return file
    }
}

/// Runs tools.
enum Tool {
    /// Runs a tool and returns what it printed, without the last line feed.
    @discardableResult
    static func run(_ tool: String, _ arguments: String..., environment: [String: String] = [:]) throws -> String {
        String(decoding: try output(tool, arguments, environment), as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    /// Runs a tool and returns what it printed.
    static func output(_ tool: String, _ arguments: String...) throws -> Data { try output(tool, arguments, [:]) }

    /// Runs a tool in the language of its authors; what it says is shown only if it fails.
    private static func output(
        _ tool: String, _ arguments: [String], _ environment: [String: String]
    ) throws -> Data {
        let process = Process()
        let (output, messages) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [tool] + arguments
        process.standardOutput = output
        process.standardError = messages
        process.environment = ProcessInfo.processInfo.environment.merging(["LC_ALL": "C.UTF-8"]) { $1 }
            .merging(environment) { $1 }
        try process.run()
        // Both pipes are read at once: a tool that fills one of them would wait for ever.
        let said = Said()
        let thread = Thread { said.finish(messages.fileHandleForReading.readDataToEndOfFile()) }
        thread.start()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw PackageFailure(
                description: "\(tool) \(arguments.joined(separator: " ")): exit \(process.terminationStatus)\n"
                    + said.text)
        }
        return bytes
    }

    /// What a tool said on standard error.
    private final class Said: @unchecked Sendable {
        /// Guards the text until it is complete.
        private let done = DispatchSemaphore(value: 0)
        /// The text.
        private var bytes = Data()

        /// Hands over all of it.
        func finish(_ bytes: Data) {
            self.bytes = bytes
            done.signal()
        }

        /// Waits for all of it.
        var text: String {
            done.wait()
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}

/// Why a package could not be made, as a sentence.
struct PackageFailure: Error, CustomStringConvertible {
    /// The sentence.
    let description: String
}
