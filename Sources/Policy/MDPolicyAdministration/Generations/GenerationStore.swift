package import MDPlatform
import MDPolicyCore
import MDPolicyFormats
package import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// The stored generations: a manifest each, and shared bytes named by their digest.
package struct GenerationStore: Sendable {
    /// The number of generations that are retained by default.
    package static let standardLimit = 20
    /// The greatest number of generations that can be retained.
    package static let greatestLimit = 1_000

    let root: Root
    /// The numbers of the existing manifests, ascending.
    package let numbers: [Int]
    /// Why the generations could not be listed; `nil` if they could, or if there are none yet.
    package let failure: TrustError?

    package init(root: Root) {
        self.root = root
        do {
            numbers = try root.trustedNames(in: StorePath.generations).compactMap(GenerationStore.number).sorted()
            failure = nil
        } catch {
            numbers = []
            failure = error.isMissing && !root.mayExist(StorePath.generations) ? nil : error
        }
    }

    /// The faults that prevent a generation from being restored, each as a clause with a path for messages.
    ///
    /// Complexity: all stored bytes are read.
    package var faults: [(path: String, reason: String)] {
        if let failure { return [(root.display(StorePath.generations), failure.description)] }
        var faults: [(path: String, reason: String)] = []
        var known: [Digest: Bool] = [:]
        for number in numbers {
            let path = root.display(GenerationStore.path(number))
            do throws(StoredFileError) {
                let generation = try generation(number)
                for digest in generation.objects.sorted(by: { $0.hex < $1.hex }) where known[digest] == nil {
                    known[digest] = (try? object(digest)) != nil
                }
                let lost = generation.objects.count { known[$0] == false }
                if lost > 0 {
                    faults.append((path, "\(lost) of the files that generation \(number) kept cannot be used"))
                }
            } catch {
                faults.append((path, error.description))
            }
        }
        return faults
    }

    /// Reads a manifest.
    ///
    /// - Throws: why it cannot be used, as a clause.
    package func generation(_ number: Int) throws(StoredFileError) -> Generation {
        let path = GenerationStore.path(number)
        let bytes: [UInt8]
        do throws(TrustError) {
            bytes = try root.readTrusted(path, limit: Generation.sizeLimit).bytes
        } catch {
            if error.isMissing { throw StoredFileError("there is no generation \(number)") }
            throw StoredFileError("the manifest of generation \(number) cannot be used: \(error)")
        }
        do throws(StoredFileError) {
            let generation = try Generation(decoding: bytes)
            guard generation.number == number else { throw StoredFileError("it is that of another generation") }
            return generation
        } catch {
            throw StoredFileError("the manifest of generation \(number) is damaged: \(error)")
        }
    }

    /// The newest generation whose manifest can be read.
    package var newest: Generation? {
        for number in numbers.reversed() {
            if let generation = try? generation(number) { return generation }
        }
        return nil
    }

    /// Reads stored bytes and verifies their digest.
    func file(_ digest: Digest) throws(TrustError) -> TrustedFile {
        let path = GenerationStore.path(digest)
        let file = try root.readTrusted(path, limit: PolicyFile.limits.bytes)
        guard SHA256.hash(file.bytes) == digest else {
            // EBADMSG: the bytes do not match the digest.
            throw .system(
                SystemError(
                    operation: "read", path: root.display(path), code: 74,
                    reason: "its bytes do not have the digest in its name"))
        }
        return file
    }

    /// Returns stored bytes.
    ///
    /// - Throws: why they cannot be used, as a clause.
    package func object(_ digest: Digest) throws(StoredFileError) -> [UInt8] {
        do throws(TrustError) {
            return try file(digest).bytes
        } catch {
            throw StoredFileError("what the generation kept cannot be used: \(error)")
        }
    }

    /// The path of a manifest.
    static func path(_ number: Int) -> String { "\(StorePath.generations)/\(number).manifest" }

    /// The path of stored bytes.
    static func path(_ digest: Digest) -> String { "\(StorePath.objects)/\(digest.hex)" }

    /// Whether a name is that of a manifest.
    static func isManifest(_ name: String) -> Bool { number(of: name) != nil }

    /// The number in the name of a manifest; `nil` for any other name.
    private static func number(of name: String) -> Int? {
        let suffix = ".manifest".utf8
        guard name.utf8.count > suffix.count, name.utf8.suffix(suffix.count).elementsEqual(suffix) else { return nil }
        let digits = name.utf8.dropLast(suffix.count)
        guard digits.count <= 12, digits.first != UInt8(ascii: "0"), let number = Int(String(Substring(digits))),
            number > 0
        else { return nil }
        return number
    }
}

extension GenerationStore {
    /// Returns those of some digests whose bytes are stored undamaged.
    func whole(_ digests: Set<Digest>) -> Set<Digest> {
        guard let directory = try? root.trustedDirectory(StorePath.objects), let names = try? directory.names() else {
            return []
        }
        var whole: Set<Digest> = []
        for name in names {
            guard let digest = Digest(hex: name), digests.contains(digest), digest.hex == name,
                let content = try? directory.read(name, limit: PolicyFile.limits.bytes),
                SHA256.hash(content.bytes) == digest
            else { continue }
            whole.insert(digest)
        }
        return whole
    }

    /// Stores the bytes of a generation, then its manifest.
    ///
    /// The bytes are synced to disk before the manifest is written.
    ///
    /// - Parameters:
    ///   - generation: the manifest.
    ///   - bytes: its bytes that are not stored yet.
    /// - Throws: the system's error; the generation then does not exist.
    func store(_ generation: Generation, _ bytes: [Digest: [UInt8]]) throws(SystemError) {
        try root.createDirectory(StorePath.objects, mode: 0o755)
        for (digest, content) in bytes.sorted(by: { $0.key.hex < $1.key.hex }) {
            // All users can read policy, and so they can read earlier policy.
            try root.replace(GenerationStore.path(digest), with: content, mode: 0o644, syncsDirectory: false)
        }
        // All names are on disk before the manifest that refers to them.
        try root.syncDirectory(StorePath.objects)
        try root.replace(GenerationStore.path(generation.number), with: generation.encoded(), mode: 0o644)
    }

    /// Removes the oldest manifests, and bytes that no manifest needs any more.
    ///
    /// No bytes are removed while a manifest cannot be read, because the bytes that it needs are unknown.
    func prune(retaining limit: Int) throws(SystemError) {
        let store = GenerationStore(root: root)
        // A machine whose directory never had a file has no generations.
        if store.numbers.isEmpty { return }
        for number in store.numbers.dropLast(max(limit, 1)) { try root.remove(GenerationStore.path(number)) }
        var needed: Set<Digest> = []
        for number in store.numbers.suffix(max(limit, 1)) {
            guard let generation = try? store.generation(number) else { return }
            needed.formUnion(generation.objects)
        }
        for name in try root.names(in: StorePath.objects) {
            if let digest = Digest(hex: name), needed.contains(digest) { continue }
            try root.remove("\(StorePath.objects)/\(name)")
        }
    }
}
