import Foundation
import MDTestSupport
import Testing

@testable import soak

/// The soak, short, and the check that it relies on.
struct SoakTests {
    @Test func `threads and processes see only what can be`() throws {
        let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = (bundle as NSString).deletingLastPathComponent + "/soak"
        let result = try SpawnedProgram.run(
            program, ["run", ProcessInfo.processInfo.environment["SOAK_SECONDS"] ?? "1"])
        #expect(result.code == 0, "\(result.output)\(result.error)")
    }

    /// A history of one key: `w1=5@10-20` is a write of 5 by process 1 from 10 to 20.
    private func violations(_ text: String) -> Int {
        let operations = text.split(separator: " ").map { word -> Deed in
            let numbers = word.dropFirst().split { !$0.isNumber }.compactMap { Int64($0) }
            return Deed(
                word.first == "w" ? .write : .read, process: Int(numbers[0]), key: 0, value: numbers[1],
                begin: numbers[2], end: numbers[3])
        }
        return History(operations: operations, arrival: 100).violations.count
    }

    @Test(arguments: [
        "r0=0@1-2", "w0=5@10-20 r0=5@15-16", "w0=5@10-20 r0=0@15-16", "w0=5@10-20 r0=5@21-22 r1=0@30-40 r1=5@50-60",
        "w0=5@10-20 w0=6@15-25 r0=5@26-30", "w0=5@10-20 w0=6@30-40 r1=5@130-135", "w0=5@10-20 w0=0@30-40 r0=0@41-42",
        "w0=5@10-20 w1=6@30-40 r0=6@50-60 r1=5@50-60", "w0=5@10-20 w0=6@12-22 r0=5@13-14 r0=6@15-16",
    ])
    func `what can be is accepted`(_ history: String) {
        #expect(violations(history) == 0)
    }

    @Test(arguments: [
        "r0=5@1-2", "r0=5@1-2 w0=5@3-4", "w0=5@10-20 r0=0@21-22", "w0=5@10-20 w0=6@30-40 r0=5@41-42",
        "w0=5@10-20 w0=6@200-210 r1=5@400-410", "w0=5@10-20 r1=0@200-210", "w0=5@10-20 w0=0@30-40 r0=5@41-42",
        "w0=5@1-2 w1=6@3-4 r2=5@5-6 r2=6@7-8 r2=6@9-10 r2=5@11-12",
    ])
    func `what cannot be is found`(_ history: String) {
        #expect(violations(history) > 0)
    }
}
