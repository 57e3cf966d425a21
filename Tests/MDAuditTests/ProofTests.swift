import Foundation
import MDAuditRecord
import MDPlatform
import MDTestSupport
import Testing

@testable import MDAuditLog
@testable import MDAuditReading

/// Proofs, checked by the verifier's side of RFC 9162, which shares no code with the prover.
struct ProofTests {
    /// The root that a proof of inclusion leads to (RFC 9162, 2.1.3.2); `nil` if it has a wrong length.
    private func root(leaf: Digest, index: Int, size: Int, _ proof: [Digest]) -> Digest? {
        var (fn, sn, hash) = (index, size - 1, leaf)
        for next in proof {
            if sn == 0 { return nil }
            if fn & 1 == 1 || fn == sn {
                hash = MerkleTree.node(next, hash)
                while fn & 1 == 0, fn != 0 { (fn, sn) = (fn >> 1, sn >> 1) }
            } else {
                hash = MerkleTree.node(hash, next)
            }
            (fn, sn) = (fn >> 1, sn >> 1)
        }
        return sn == 0 ? hash : nil
    }

    /// Whether a proof of consistency joins two roots (RFC 9162, 2.1.4.2).
    private func joins(_ old: (Int, Digest), _ new: (Int, Digest), _ proof: [Digest]) -> Bool {
        if old.0 == new.0 { return proof.isEmpty && old.1 == new.1 }
        var path = proof[...]
        if old.0.nonzeroBitCount == 1 { path = [old.1] + proof }
        guard let first = path.popFirst() else { return false }
        var (fn, sn, one, two) = (old.0 - 1, new.0 - 1, first, first)
        while fn & 1 == 1 { (fn, sn) = (fn >> 1, sn >> 1) }
        for next in path {
            if sn == 0 { return false }
            if fn & 1 == 1 || fn == sn {
                (one, two) = (MerkleTree.node(next, one), MerkleTree.node(next, two))
                while fn & 1 == 0, fn != 0 { (fn, sn) = (fn >> 1, sn >> 1) }
            } else {
                two = MerkleTree.node(two, next)
            }
            (fn, sn) = (fn >> 1, sn >> 1)
        }
        return sn == 0 && one == old.1 && two == new.1
    }

    @Test(arguments: [1, 2, 3, 7, 8, 9, 16, 21, 31]) func `every record and every earlier state is proven`(_ size: Int)
        throws
    {
        let machine = try TemporaryMachine()
        try SegmentTests.append(machine, [size])
        var prover = try LogProver(root: machine.root)
        var tree = MerkleTree()
        var roots = [tree.root]
        let records = try AuditLog(root: machine.root).records().records
        for record in records {
            tree.append(line: record.encoded())
            roots.append(tree.root)
        }
        #expect(prover.checkpoint.size == size)
        for record in records {
            let proof = try prover.inclusion(of: record.seq)
            let leaf = MerkleTree.leaf(record.encoded())
            #expect(root(leaf: leaf, index: record.seq - 1, size: size, proof) == roots[size])
        }
        for old in 1...size {
            for new in old...size {
                let proof = try prover.consistency(from: old, to: new)
                #expect(joins((old, roots[old]), (new, roots[new]), proof), "\(old) to \(new)")
            }
            #expect(try prover.root(at: old) == roots[old])
        }
        #expect(throws: ProofError.noSuchSize(size + 1, records: size)) { try prover.inclusion(of: size + 1) }
        #expect(throws: ProofError.noSuchSize(0, records: size)) { try prover.inclusion(of: 0) }
    }

    @Test func `what was deleted is not proven, and the rest is`() throws {
        let machine = try TemporaryMachine()
        try SegmentTests.append(machine, [8, 8, 8])
        let limits: LogLimits = {
            var limits = SegmentTests.limits()
            (limits.youngest, limits.bytes) = (-1, 2_500)
            return limits
        }()
        try SegmentTests.append(machine, [8, 3], limits)
        let roots = try #require(SegmentRoots(text: try machine.readLog("roots")))
        let deleted = try #require(roots.segments.last { $0.deleted != nil })
        var prover = try LogProver(root: machine.root)
        #expect(throws: ProofError.deleted(1...8)) { try prover.inclusion(of: 3) }
        #expect(throws: ProofError.deleted(1...8)) { try prover.consistency(from: 5, to: 20) }
        #expect(try prover.consistency(from: 8, to: 35).isEmpty == false)
        let proof = try prover.inclusion(of: deleted.last + 1)
        let record = try #require(try AuditLog(root: machine.root).records().records.first)
        #expect(record.seq == deleted.last + 1)
        let leaf = MerkleTree.leaf(record.encoded())
        #expect(root(leaf: leaf, index: deleted.last, size: 35, proof) == prover.checkpoint.root)
    }

    @Test func `a log that is not what its checkpoint covers proves nothing`() throws {
        let machine = try TemporaryMachine()
        try SegmentTests.append(machine, [20])
        var bytes = try machine.readLog("current.jsonl")
        bytes[40] ^= 1
        try machine.writeLog("current.jsonl", bytes)
        #expect(throws: ProofError.altered) { try LogProver(root: machine.root) }
        #expect(throws: ProofError.self) { try LogProver(root: try TemporaryMachine().root) }
    }
}
