import MDPolicyModel
import MDPropertyList

/// The sections of a compiled table that came after those of its header, by their numbers.
///
/// The range of ``TableSection/broken`` lists them, sixteen bytes each: number, count, offset and length. A reader skips
/// a number that it does not know, and a table of an earlier writer lists none.
enum LaterSection: UInt32 {
    /// The ``TableFormat/version`` of the writer in four bytes, and its version of ManagedDefaults.
    case writer = 1
    /// The domains that a reader without some version would decide wrongly: each name, the least version of a reader in
    /// four bytes, and the version of ManagedDefaults that has it.
    ///
    /// Their groups may have items that earlier readers do not know.
    case needs
    /// The files whose heads a reader without some version does not understand: the index of each and the version, four
    /// bytes each. ``needs`` has all of their domains.
    case laterFiles
}

/// What the later sections of a table say to a reader of this version.
struct LaterSections {
    /// The version of the writer.
    private(set) var writer = TableFormat.leastReader
    /// The domains that a newer reader is needed for, each with the sentence that says so, as a clause.
    private(set) var unknownDomains: [Key: String] = [:]
    /// The files that a newer reader is needed for.
    private(set) var unknownFiles: Set<Int> = []

    /// Reads the sections in a list.
    init(_ pages: TablePages, _ list: TableRange) throws(StoredFileError) {
        if list.length == 0 { return }
        var reader = try TableReader(pages, list)
        while !reader.isAtEnd {
            let (section, count) = (LaterSection(rawValue: try reader.word()), try reader.fixedIndex())
            let range = try reader.range()
            guard let section else { continue }
            var content = try TableReader(pages, range)
            switch section {
            case .writer: writer = try content.word()
            case .needs:
                for _ in 0..<count {
                    let (domain, least) = (Key(try content.text()), try content.word())
                    let version = try content.text()
                    guard least > TableFormat.version else { continue }
                    unknownDomains[domain] = "its policy \(EngineVersion.need(of: version))"
                }
            case .laterFiles:
                for _ in 0..<count {
                    let (file, least) = (try content.fixedIndex(), try content.word())
                    if least > TableFormat.version { unknownFiles.insert(file) }
                }
            }
        }
    }
}
