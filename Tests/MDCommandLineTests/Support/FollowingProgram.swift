import Foundation
import MDTestSupport
import Testing

/// A running command that follows something, whose output is read line by line.
struct FollowingProgram {
    /// The program.
    let program: SpawnedProgram
    /// The other end of its output.
    private let output: Int32

    /// Starts the program beside a machine's folder.
    init(_ lab: Lab, _ words: [String]) throws {
        for name in ["in", "err"] { try Data().write(to: URL(fileURLWithPath: "\(lab.folder)/\(name)")) }
        let pipe = lab.folder + "/out"
        try #require(mkfifo(pipe, 0o600) == 0)
        // Open for writing too, so that neither end waits for the other.
        output = open(pipe, O_RDWR | O_CLOEXEC)
        try #require(output >= 0)
        program = try SpawnedProgram(
            MDefaultsProcess.path, ["--root", "lab"] + words, environment: [:], folder: lab.folder,
            streams: (input: lab.folder + "/in", output: pipe, error: lab.folder + "/err"))
    }

    /// Reads a line; fails if none comes.
    func line() throws -> String {
        var bytes: [UInt8] = []
        while bytes.last != 0x0a {
            var wait = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            try #require(poll(&wait, 1, 120_000) == 1, "no line came")
            var byte: UInt8 = 0
            try #require(read(output, &byte, 1) == 1)
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The object in the next line.
    func object() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(try line().utf8)) as? [String: Any])
    }

    /// The number of the record in the next line.
    func number() throws -> Int? { try object()["seq"] as? Int }
}
