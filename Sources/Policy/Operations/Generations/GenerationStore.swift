package import Platform
import PropertyList

/// The generations of the sources that are kept: a manifest each, and the bytes once under their digest.
package struct GenerationStore: Sendable {
    /// How many generations are kept unless somebody asks for another number.
    package static let standardLimit = 20
    /// The most generations that can be kept.
    package static let greatestLimit = 1_000

    /// The root.
    let root: Root
    /// The numbers of the manifests that there are, ascending.
    package let numbers: [Int]
    /// Why the generations could not be listed; `nil` where they could, or where there are none yet.
    package let failure: TrustError?

    /// Lists the generations beneath a root.
    package init(root: Root) {
        self.root = root
        do {
            numbers = try root.trustedNames(in: StorePath.generations).compactMap(GenerationStore.number).sorted()
            failure = nil
        } catch {
            numbers = []
            failure = error.isMissing && !root.mayHave(StorePath.generations) ? nil : error
        }
    }

    /// What is wrong with the generations, a clause for each that cannot be put back as it was; `path` is shown to people.
    ///
    /// Complexity: everything that is kept is read.
    package var faults: [(path: String, reason: String)] {
        if let failure { return [(root.display(StorePath.generations), failure.description)] }
        var faults: [(path: String, reason: String)] = []
        var known: [Digest: Bool] = [:]
        for number in numbers {
            let path = root.display(GenerationStore.path(number))
            do throws(TableError) {
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
    package func generation(_ number: Int) throws(TableError) -> Generation {
        let path = GenerationStore.path(number)
        let bytes: [UInt8]
        do throws(TrustError) {
            bytes = try root.readTrusted(path, limit: Generation.sizeLimit).bytes
        } catch {
            if error.isMissing { throw TableError("there is no generation \(number)") }
            throw TableError("the manifest of generation \(number) cannot be used: \(error)")
        }
        do throws(TableError) {
            let generation = try Generation(decoding: bytes)
            guard generation.number == number else { throw TableError("it is that of another generation") }
            return generation
        } catch {
            throw TableError("the manifest of generation \(number) is damaged: \(error)")
        }
    }

    /// The newest generation whose manifest can be read.
    package var newest: Generation? {
        for number in numbers.reversed() {
            if let generation = try? generation(number) { return generation }
        }
        return nil
    }

    /// Reads bytes that a generation consists of, and holds them to their digest.
    func file(_ digest: Digest) throws(TrustError) -> TrustedFile {
        let path = GenerationStore.path(digest)
        let file = try root.readTrusted(path, limit: PolicyFile.limits.bytes)
        guard SHA256.hash(file.bytes) == digest else {
            // EBADMSG: what is there is not what was stored.
            throw .system(
                SystemError(
                    operation: "read", path: root.display(path), code: 74,
                    reason: "its bytes do not have the digest in its name"))
        }
        return file
    }

    /// The bytes that a generation consists of.
    ///
    /// - Throws: why they cannot be used, as a clause.
    package func object(_ digest: Digest) throws(TableError) -> [UInt8] {
        do throws(TrustError) {
            return try file(digest).bytes
        } catch {
            throw TableError("what the generation kept cannot be used: \(error)")
        }
    }

    /// The path of a manifest.
    static func path(_ number: Int) -> String { "\(StorePath.generations)/\(number).manifest" }

    /// The path of kept bytes.
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
