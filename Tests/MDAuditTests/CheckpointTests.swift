import Foundation
import MDAuditLog
import MDPlatform
import Testing

/// Tests the text of a checkpoint.
struct CheckpointTests {
    /// A checkpoint.
    private let checkpoint = Checkpoint(
        origin: "managed-defaults/lab-01/00112233445566778899aabbccddeeff", size: 40, root: SHA256.hash([]))

    @Test func `the text has three lines and an empty one, and reads back`() {
        #expect(
            checkpoint.text
                == "managed-defaults/lab-01/00112233445566778899aabbccddeeff\n40\n"
                + "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n")
        #expect(Checkpoint(text: Array(checkpoint.text.utf8)) == checkpoint)
        #expect(checkpoint.logID == "00112233445566778899aabbccddeeff")
    }

    @Test func `no text that differs in one byte is the same checkpoint, and no shorter text is one`() {
        let bytes = Array(checkpoint.text.utf8)
        for index in bytes.indices {
            #expect(Checkpoint(text: Array(bytes[..<index])) == nil)
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                #expect(Checkpoint(text: changed) != checkpoint)
            }
        }
    }

    @Test(arguments: [
        "", "\n\n\n\n", "x\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n",
        "managed-defaults/h/00112233445566778899aabbccddeeff\n01\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n",
        "managed-defaults/h/00112233445566778899aabbccddeeff\n+1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n",
        "managed-defaults/h/00112233445566778899aabbccddeeff\n99999999999999999999\n"
            + "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n",
        "managed-defaults/h/00112233445566778899aabbccddeeff\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\nx",
        "managed-defaults/h/00112233445566778899aabbccddeeff\n1\n47DEQpj8HBSa+/TImW+5\n\n",
    ])
    func `other texts are refused`(text: String) {
        #expect(Checkpoint(text: Array(text.utf8)) == nil)
    }

    @Test func `a new origin names the host harmlessly and never repeats`() {
        let origin = Checkpoint.newOrigin(host: "lab 1+ü/\n")
        #expect(origin.hasPrefix("managed-defaults/lab_1____/"))
        #expect(origin != Checkpoint.newOrigin(host: "lab 1+ü/\n"))
        let checkpoint = Checkpoint(origin: origin, size: 0, root: SHA256.hash([]))
        #expect(Checkpoint(text: Array(checkpoint.text.utf8)) == checkpoint)
    }
}

/// Compares the incremental tree with the recursive definition of RFC 6962, here and in Python.
struct MerkleTreeTests {
    /// The root by the recursive definition.
    private func naiveRoot(_ lines: ArraySlice<[UInt8]>) -> Digest {
        guard lines.count > 1 else {
            return lines.first.map { SHA256.hash([0] + $0) } ?? SHA256.hash([])
        }
        var left = 1
        while left * 2 < lines.count { left *= 2 }
        let middle = lines.startIndex + left
        return SHA256.hash([1] + naiveRoot(lines[..<middle]).bytes + naiveRoot(lines[middle...]).bytes)
    }

    @Test func `every size up to 200 has the root of the recursive definition`() {
        let lines = (0..<200).map { [UInt8]("line \($0 &* 31)".utf8) }
        var tree = MerkleTree()
        #expect(tree.root == SHA256.hash([]))
        for (index, line) in lines.enumerated() {
            tree.append(line: line)
            #expect(tree.size == index + 1)
            #expect(tree.root == naiveRoot(lines[...index]))
            #expect(tree.frontier.count == tree.size.nonzeroBitCount)
        }
    }

    @Test func `the roots are those that another implementation finds`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/merkle-roots.txt")
        var expected: [Int: String] = [:]
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            expected[try #require(Int(words[0]))] = String(words[1])
        }
        #expect(expected.count == 139)
        var tree = MerkleTree()
        var compared = 0
        for size in 0...1024 {
            if size > 0 { tree.append(line: [UInt8]("record \(size)".utf8)) }
            guard let root = expected[size] else { continue }
            #expect(tree.root.hex == root, "size \(size)")
            compared += 1
        }
        #expect(compared == expected.count)
    }

    @Test func `a tree goes on from its kept state, and a state that cannot be one is refused`() throws {
        var whole = MerkleTree()
        for size in 0..<50 {
            var resumed = try #require(MerkleTree(size: whole.size, frontier: whole.frontier))
            #expect(resumed == whole)
            resumed.append(line: [7])
            whole.append(line: [7])
            #expect(resumed.root == whole.root, "size \(size)")
        }
        #expect(MerkleTree(size: 3, frontier: [SHA256.hash([])]) == nil)
        #expect(MerkleTree(size: -1, frontier: []) == nil)
    }
}
