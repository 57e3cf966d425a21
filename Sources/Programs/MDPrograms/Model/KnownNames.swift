package import MDPlatform
package import MDPolicyModel
package import MDPropertyList

/// The names of policies that programs listed when root asked them last, each with the version of the program.
package struct KnownNames: Sendable {
    /// What a program listed.
    private struct Listing {
        let version: Digest
        var names: Set<Key>
    }

    /// The file.
    package static let path = "\(StorePath.home)/known-policies"
    /// The first line; the number at its end grows with every change of the format.
    private static let header = "managed-defaults known policies 1"
    /// The most bytes of the file, and the most names of a program.
    package static let (sizeLimit, countLimit) = (1 << 20, 5_000)

    private var listings: [Key: Listing] = [:]

    package init() {}

    /// Reads the file of a machine; empty if there is none.
    ///
    /// - Throws: why it is not taken: others than root could have written it, or it is damaged.
    package init(root: Root) throws(StoredFileError) {
        self.init()
        let bytes: [UInt8]
        do throws(TrustError) {
            bytes = try root.readTrusted(KnownNames.path, limit: KnownNames.sizeLimit).bytes
        } catch {
            if error.isMissing { return }
            throw StoredFileError("\(error)")
        }
        self = try KnownNames(bytes)
    }

    /// Parses the file.
    package init(_ bytes: [UInt8]) throws(StoredFileError) {
        var (all, program): ([Key: Listing], Key?) = ([:], nil)
        try ChecksummedLines.read(bytes, headers: [KnownNames.header]) { line in
            let fields = line.fields
            if fields[0] == "program", fields.count == 3 {
                guard let name = ChecksummedLines.unescape(fields[1]), let version = Digest(hex: fields[2]) else {
                    return false
                }
                program = Key(name)
                return all.updateValue(Listing(version: version, names: []), forKey: Key(name)) == nil
            }
            guard fields[0] == "policy", fields.count == 2, let name = ChecksummedLines.unescape(fields[1]), let program
            else { return false }
            return all[program]?.names.insert(Key(name)).inserted == true
        }
        listings = all
    }

    /// The bytes of the file.
    package var encoded: [UInt8] {
        var lines = ChecksummedLines(header: KnownNames.header)
        for (program, listing) in listings.sorted(by: { $0.key < $1.key }) {
            lines.add(["program", ChecksummedLines.escape(program.string), listing.version.hex])
            for name in listing.names.sorted() { lines.add(["policy", ChecksummedLines.escape(name.string)]) }
        }
        return lines.sealed
    }

    /// Writes the file.
    package func save(root: Root) throws(SystemError) {
        try root.replace(KnownNames.path, with: encoded, mode: 0o644)
    }

    /// What a version of a program listed; empty if it was not asked.
    package func names(of program: some Program, version: Digest?) -> Set<Key> {
        guard let version, let listing = listings[Key(program.name)], listing.version == version else { return [] }
        return listing.names
    }

    /// Takes what a program listed; names that are too long or too many are left out.
    ///
    /// - Returns: whether that is another list than before.
    package mutating func set(_ names: [Key], of program: some Program, version: Digest) -> Bool {
        let taken = Set(names.lazy.filter { (1...100).contains($0.string.utf8.count) }.prefix(KnownNames.countLimit))
        if taken.isEmpty || taken == self.names(of: program, version: version) { return false }
        listings[Key(program.name)] = Listing(version: version, names: taken)
        return true
    }
}
