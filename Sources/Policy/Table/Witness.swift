import Platform

/// What the kernel said of a path when a table was compiled; while it says the same, the table speaks for the path.
struct Witness: Hashable, Sendable {
    /// How much of what the kernel says must stay the same.
    enum Extent: UInt8 {
        /// Device, inode, kind, owner and mode: for directories that are only passed through, whose other names may come
        /// and go.
        case identity = 1
        /// Size and the times of modification and change as well: for files, and for directories whose names count.
        case content
        /// Nothing has this name.
        case absence
    }

    /// The path beneath the root, without a slash at its beginning; `.` is the root.
    let path: String
    /// How much counts.
    let extent: Extent
    /// What the kernel said; `nil` for what is absent.
    let status: FileStatus?

    /// Asks the kernel about a path; a name that is missing becomes an absence.
    init(_ path: String, _ extent: Extent, root: Root) throws(SystemError) {
        self.path = path
        status = try root.statusInPlace(path)
        self.extent = status == nil ? .absence : extent
    }

    /// Takes over what the kernel said of a file that was opened by its path.
    init(_ path: String, of status: FileStatus) {
        (self.path, extent, self.status) = (path, .content, status)
    }

    /// The last change that the witness vouches for, in nanoseconds since 1970; `nil` where times do not count.
    var changed: Int64? { extent == .content ? status?.changed : nil }

    /// Whether the status is that of another moment of the same thing, as far as it counts.
    func agrees(with other: Witness) -> Bool {
        guard path == other.path, extent == other.extent else { return false }
        var (own, others): ([UInt64], [UInt64]) = ([], [])
        eachField { own.append($0) }
        other.eachField { others.append($0) }
        return own == others
    }

    /// Calls a function with the numbers that count, in the order of the table.
    private func eachField(_ body: (UInt64) -> Void) {
        guard let status else { return }
        body(status.device)
        body(status.inode)
        body(UInt64(status.owner))
        body(UInt64(status.mode))
        body(Witness.number(of: status.kind))
        if extent == .identity { return }
        body(UInt64(bitPattern: Int64(status.size)))
        body(UInt64(bitPattern: status.modified))
        body(UInt64(bitPattern: status.changed))
    }

    /// The number that stands for a kind of file in the table.
    private static func number(of kind: FileKind) -> UInt64 {
        switch kind {
        case .regular: 1
        case .directory: 2
        case .link: 3
        default: 0
        }
    }

    /// Appends the witness to a table.
    func write(to writer: inout TableWriter) {
        writer.byte(extent.rawValue)
        // With what the kernel wants around it, so that nobody has to make a text of it.
        writer.path(path)
        eachField { writer.long($0) }
    }

    /// Reads the next witness of a table and asks the kernel whether it still says the same.
    ///
    /// With `expected`, it must be about that directory, which must be trusted.
    static func stillHolds(
        _ reader: inout TableReader, as expected: (path: String, extent: Extent)?, root: Root
    ) throws(TableError) -> Bool {
        guard let extent = Extent(rawValue: try reader.byte()) else {
            throw TableError("a witness is of no known kind")
        }
        let (status, isKnown) = try reader.status(of: expected?.path, root: root)
        if expected.map({ extent != $0.extent && extent != .absence }) ?? false {
            throw TableError("it has other witnesses")
        }
        guard isKnown else { return false }
        guard let status else { return extent == .absence }
        if expected != nil, !CompiledTable.isTrusted(status, root: root) { return false }
        if extent == .absence { return false }
        guard try reader.long() == status.device, try reader.long() == status.inode,
            try reader.long() == UInt64(status.owner), try reader.long() == UInt64(status.mode),
            try reader.long() == number(of: status.kind)
        else { return false }
        if extent == .identity { return true }
        let (size, modified, changed) = (try reader.long(), try reader.long(), try reader.long())
        return size == UInt64(bitPattern: Int64(status.size)) && modified == UInt64(bitPattern: status.modified)
            && changed == UInt64(bitPattern: status.changed)
    }
}

extension TableReader {
    /// Takes a path and asks the kernel about it.
    ///
    /// - Parameters:
    ///   - expected: the path that it must be; `nil` for any.
    ///   - root: where it is.
    /// - Returns: what the kernel says, as of ``Root/statusInPlace(_:)``.
    /// - Throws: where it is another path, or none.
    fileprivate mutating func status(
        of expected: String?, root: Root
    ) throws(TableError) -> (status: FileStatus?, isKnown: Bool) {
        let range = try run()
        let (slash, first, end) = (range.lowerBound, range.lowerBound + 1, range.upperBound - 1)
        guard range.count > 2, pages.byte(at: slash) == UInt8(ascii: "/"), pages.byte(at: first) != UInt8(ascii: "/"),
            pages.byte(at: end) == 0
        else { throw TableError("a path is none") }
        if let expected, !pages.holds(expected, first..<end) { throw TableError("it has other witnesses") }
        return pages.status(of: range, root: root)
    }
}
