import Foundation
import Testing

/// Sessions in which `mdefaults` is used as Apple's `defaults` is.
struct TranscriptTests {
    /// The kept sessions.
    static let names = [
        "arrays", "delete", "domains", "find", "forced", "global", "help", "hosts", "import-export", "paths",
        "programs",
        "read", "rename", "types", "usage", "values",
    ]

    @Test(arguments: names) func `answers as in the kept session`(_ name: String) throws {
        let file = "Transcripts/\(name).txt"
        let kept = try String(contentsOfFile: Golden.folder + "/" + file, encoding: .utf8)
        var transcript = Transcript(in: try Lab())
        try Golden.expect(try transcript.play(kept), file)
    }

    @Test func `no kept session is left out`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Golden.folder + "/Transcripts")
        #expect(Set(files) == Set(Self.names.map { $0 + ".txt" }))
    }
}
