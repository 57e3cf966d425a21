import Foundation
import MDReport
import MDTestSupport
import Testing

/// The keys that may sign the report of a machine; needs ssh-keygen.
@Suite(.enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/ssh-keygen"), "needs ssh-keygen"))
struct ReportSignersTests {
    private static let report = Array("{\n  \"schema\": 1}".utf8)

    /// A signature of the report, and the public key that made it.
    private func signed(in folder: String) throws -> (signature: [UInt8], key: String) {
        let path = "\(folder)/key"
        let run = try SpawnedProgram.run("/usr/bin/ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path])
        #expect(run.code == 0)
        let key = try String(contentsOfFile: path + ".pub", encoding: .utf8).split(separator: " ").prefix(2)
        return (try ReportSignature.sign(Self.report, key: path), key.joined(separator: " "))
    }

    @Test func `a report is signed by its own machine or by a collector, and by nobody else`() throws {
        let (signature, key) = try signed(in: Scratch.lockedFolder())
        func check(_ principals: String, of host: String = "pc1.school.example") -> ReportSignature.Finding {
            ReportSignature.check(
                Self.report, signature: signature,
                signers: ReportSigners(Array("# signers\n\(principals) \(key)\nzz \(key.dropLast(3))xyz\n".utf8)),
                host: host)
        }
        #expect(check("pc1.school.example") == .good(signer: "pc1.school.example"))
        #expect(check("pc1") == .good(signer: "pc1"))
        #expect(check("PC1") == .good(signer: "PC1"))
        #expect(check("\"pc9,pc1\"") == .good(signer: "pc1"))
        #expect(check("collector@school.example") == .good(signer: "collector@school.example"))
        #expect(check("pc1 namespaces=\"managed-defaults-report\"") == .good(signer: "pc1"))
        let foreign = "it is signed by pc2, and says it is of pc1.school.example"
        #expect(check("pc2") == .bad(foreign))
        // A pattern names no machine, and a principal with another domain is another machine.
        for principals in ["pc*", "*", "collector", "pc1.other.example"] {
            guard case .bad = check(principals) else {
                Issue.record("\(principals) signs for pc1")
                continue
            }
        }
        guard case .bad = check("pc1 namespaces=\"file\"") else {
            Issue.record("a key for another purpose signs")
            return
        }
    }

    @Test func `a key on several lines signs for each of them`() throws {
        let (signature, key) = try signed(in: Scratch.lockedFolder())
        let signers = ReportSigners(Array("pc2 \(key)\npc1 \(key)\n".utf8))
        for host in ["pc1", "pc2"] {
            #expect(
                ReportSignature.check(Self.report, signature: signature, signers: signers, host: host)
                    == .good(signer: host))
        }
        #expect(ReportSignature.check(Self.report, signature: nil, signers: signers, host: "pc1") == .unsigned)
        #expect(ReportSigners.isHost("pc1", "PC1.school.example") && !ReportSigners.isHost("pc1.a", "pc1.b"))
    }
}
