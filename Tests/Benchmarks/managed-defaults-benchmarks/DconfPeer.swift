import Foundation
import MDTestSupport

/// libdconf and `dconf update`, measured in the same run.
///
/// `Tests/Benchmarks/run` compiles the program that opens libdconf, and names it in `DCONF_BENCHMARK`.
struct DconfPeer {
    /// The program; `nil` if it was not compiled.
    private let program = ProcessInfo.processInfo.environment["DCONF_BENCHMARK"]
    /// The folder of the databases.
    let folder: String

    /// The name of the database that a live reader is tried with: libdconf notices a change of system databases only.
    private static let liveName = "managed-defaults-benchmark"
    /// The folder of the system databases.
    private static let systemFolder = "/etc/dconf/db"
    /// Whether `dconf update` is there.
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/dconf") }

    /// Writes the sources of a database, and compiles it.
    ///
    /// - Returns: whether dconf is installed.
    func compile(keys: Int, files: Int) throws -> Bool {
        guard DconfPeer.isInstalled else { return false }
        let sources = folder + "/policy.d"
        try FileManager.default.createDirectory(atPath: sources, withIntermediateDirectories: true)
        for file in 0..<files {
            let entries = (0..<max(1, keys / files)).map { "Key\($0)='value \($0) of \(file)'" }
            try Data("[org/example/d\(file)]\n\(entries.joined(separator: "\n"))\n".utf8).write(
                to: URL(fileURLWithPath: "\(sources)/\(1000 + file)"))
        }
        try update(folder)
        return true
    }

    /// Runs `dconf update`.
    func update(_ folder: String) throws {
        let result = try SpawnedProgram.run(
            "/usr/bin/dconf", ["update", folder], environment: ["PATH": "/usr/bin:/bin", "HOME": self.folder])
        guard result.code == 0 else { throw BenchmarkLab.Failure.wrongValues }
    }

    /// Microseconds of opening a client and reading one key, in a process that did so before.
    ///
    /// - Returns: `nil` if libdconf or the program is missing.
    func openingTime(key: String, domain: String) throws -> Double? {
        guard let program, DconfPeer.isInstalled else { return nil }
        let result = try SpawnedProgram.run(
            program, ["open", "/\(domain.split(separator: ".").joined(separator: "/"))/\(key)", "201"],
            environment: try environment("file-db:\(folder)/policy"))
        if result.code == 2 { return nil }
        guard result.code == 0, let time = Double(result.output.split(separator: "\n").joined()) else {
            throw BenchmarkLab.Failure.wrongValues
        }
        return time
    }

    /// A figure for a table, or why there is none.
    static func column(_ time: Double?) -> String {
        time.map { Benchmarks.number($0, 15) } ?? "  libdconf is not installed, or DconfBenchmark not compiled"
    }

    /// The environment that names a program's databases: a user's, which does not exist, and another.
    private func environment(_ database: String) throws -> [String: String] {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let profile = folder + "/profile"
        try Data("user-db:user\n\(database)\n".utf8).write(to: URL(fileURLWithPath: profile))
        return [
            "PATH": "/usr/bin:/bin", "HOME": folder, "XDG_RUNTIME_DIR": folder, "DCONF_PROFILE": profile,
        ]
    }

    /// Milliseconds between the change of a source and the moment at which a reader that asks all the time sees it, with
    /// `dconf update` of five hundred files in between.
    ///
    /// - Returns: `nil` if dconf is not installed, or system databases cannot be written.
    func propagationTime() throws -> Double? {
        let (sources, database) = (
            "\(DconfPeer.systemFolder)/\(DconfPeer.liveName).d", "\(DconfPeer.systemFolder)/\(DconfPeer.liveName)"
        )
        guard let program, DconfPeer.isInstalled,
            FileManager.default.isWritableFile(atPath: DconfPeer.systemFolder),
            !FileManager.default.fileExists(atPath: sources)
        else { return nil }
        defer {
            for path in [sources, database] { try? FileManager.default.removeItem(atPath: path) }
        }
        for path in [sources, folder] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        var times: [Double] = []
        for round in 0..<6 {
            let source = URL(fileURLWithPath: sources + "/1000")
            try Data("[org/example/d0]\nKey7='round \(round)'\n".utf8).write(to: source)
            if round == 0 {
                try update(DconfPeer.systemFolder)
                continue
            }
            try Data("[org/example/d0]\nKey7='before \(round)'\n".utf8).write(to: source)
            try update(DconfPeer.systemFolder)
            let output = folder + "/changes"
            for name in [output, folder + "/nothing"] { try Data().write(to: URL(fileURLWithPath: name)) }
            let reader = try SpawnedProgram(
                program, ["wait", "/org/example/d0/Key7"],
                environment: try environment("system-db:\(DconfPeer.liveName)"), folder: "/",
                streams: (input: folder + "/nothing", output: output, error: folder + "/nothing"))
            /// The lines that the reader has printed.
            func lines() throws -> [Substring] {
                try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
            }
            let limit = PropagationBenchmark.now() + 60e9
            while try lines().isEmpty, PropagationBenchmark.now() < limit { usleep(1_000) }
            let start = PropagationBenchmark.now()
            try Data("[org/example/d0]\nKey7='after \(round)'\n".utf8).write(to: source)
            try update(DconfPeer.systemFolder)
            guard try reader.code(within: 60) == 0, let end = try lines().last.flatMap({ Double($0) }) else {
                throw BenchmarkLab.Failure.wrongValues
            }
            times.append((end - start) / 1e6)
        }
        return Benchmarks.median(times)
    }
}
