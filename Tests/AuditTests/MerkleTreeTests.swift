import Audit
import Foundation
import Platform
import Testing

/// The incremental tree against the recursive definition of RFC 6962, here and in Python.
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

    @Test("Every size up to 200 has the root of the recursive definition")
    func recursiveDefinition() {
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

    @Test("The roots are those that another implementation finds")
    func fixture() throws {
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

    @Test("A tree goes on from its kept state, and a state that cannot be one is refused")
    func keptState() throws {
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
