package import MDPlatform
import MDPolicyFormats
package import MDPolicyModel

/// The status of a path when a table was compiled; as long as it is the same, the table is valid for the path.
package struct FileFingerprint: Hashable, Sendable {
    /// The fields of the status that must stay the same.
    package enum Extent: UInt8 {
        /// Device, inode, kind, owner and mode: for directories on the way to another path, whose other names may
        /// change.
        case identity = 1
        /// Also size and the times of modification and change: for files, and for directories whose names count.
        case content
        /// The path must not exist.
        case absence
    }

    /// The path beneath the root, without a slash at its beginning; `.` is the root.
    package let path: String
    /// The fields that count.
    let extent: Extent
    /// The status; `nil` if the path does not exist.
    package let status: FileStatus?

    /// Reads the status of a path; a missing path becomes ``Extent/absence``.
    package init(_ path: String, _ extent: Extent, root: Root) throws(SystemError) {
        self.path = path
        status = try root.statusInPlace(path)
        self.extent = status == nil ? .absence : extent
    }

    /// Makes the fingerprint of a file that was opened by its path.
    package init(_ path: String, of status: FileStatus) {
        (self.path, extent, self.status) = (path, .content, status)
    }

    /// The time of the last change, in nanoseconds since 1970; `nil` if times do not count.
    package var changed: Int64? { extent == .content ? status?.changed : nil }

    /// Whether two fingerprints are equal in the fields that count.
    package func agrees(with other: FileFingerprint) -> Bool {
        guard path == other.path, extent == other.extent else { return false }
        var (own, others): ([UInt64], [UInt64]) = ([], [])
        eachField { own.append($0) }
        other.eachField { others.append($0) }
        return own == others
    }

    /// Whether the status of the path is still the same.
    package func isCurrent(root: Root) -> Bool {
        (try? FileFingerprint(path, extent, root: root)).map { $0.agrees(with: self) } ?? false
    }

    /// Calls a function with the fields that count, in the order of the table.
    private func eachField(_ body: (UInt64) -> Void) {
        guard let status else { return }
        body(status.device)
        body(status.inode)
        body(UInt64(status.owner))
        body(UInt64(status.mode))
        body(FileFingerprint.number(of: status.kind))
        if extent == .identity { return }
        body(UInt64(bitPattern: Int64(status.size)))
        body(UInt64(bitPattern: status.modified))
        body(UInt64(bitPattern: status.changed))
    }

    /// The number of a kind of file in the table.
    private static func number(of kind: FileKind) -> UInt64 {
        switch kind {
        case .regular: 1
        case .directory: 2
        case .link: 3
        default: 0
        }
    }

    /// Appends the fingerprint to a table.
    package func write(to writer: inout TableWriter) {
        writer.byte(extent.rawValue)
        // Written in the form that the kernel needs, so that no string is made when it is compared.
        writer.path(path)
        eachField { writer.long($0) }
    }

    /// Reads the next fingerprint of a table and compares it with the present status.
    ///
    /// With `expected`, it must be that of this directory, which must be trusted.
    static func stillHolds(
        _ reader: inout TableReader, as expected: (path: String, extent: Extent)?, root: Root
    ) throws(StoredFileError) -> Bool {
        guard let extent = Extent(rawValue: try reader.byte()) else {
            throw StoredFileError("a witness is of no known kind")
        }
        let (status, isKnown) = try reader.status(of: expected?.path, root: root)
        if expected.map({ extent != $0.extent && extent != .absence }) ?? false {
            throw StoredFileError("it has other witnesses")
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
    /// Reads a path of the table and its present status.
    ///
    /// - Parameters:
    ///   - expected: the required path; `nil` for any.
    ///   - root: the root of the path.
    /// - Returns: the result of ``Root/statusInPlace(_:)``.
    /// - Throws: an error if it is another path, or malformed.
    fileprivate mutating func status(
        of expected: String?, root: Root
    ) throws(StoredFileError) -> (status: FileStatus?, isKnown: Bool) {
        let range = try run()
        let (slash, first, end) = (range.lowerBound, range.lowerBound + 1, range.upperBound - 1)
        guard range.count > 2, pages.byte(at: slash) == UInt8(ascii: "/"), pages.byte(at: first) != UInt8(ascii: "/"),
            pages.byte(at: end) == 0
        else { throw StoredFileError("a path is none") }
        if let expected, !pages.holds(expected, first..<end) { throw StoredFileError("it has other witnesses") }
        return pages.status(of: range, root: root)
    }
}

/// The fingerprints of everything that policy depends on, besides the policy files, at one moment.
package struct Fingerprints {
    /// The directories, each after its parents, then the other files.
    package let fingerprints: [FileFingerprint]
    /// The time before the first status was read, in nanoseconds since 1970.
    package let time: Int64
    /// The daemon's revision at that moment; 0 without a daemon.
    package let generation: UInt64

    /// The directories on the way to the policy files, and those whose names count.
    package static let directories: [(path: String, extent: FileFingerprint.Extent)] = [
        (".", .identity),
        ("etc", .identity), ("etc/managed-defaults", .identity), ("etc/managed-defaults/policies.d", .content),
        ("run", .identity), ("run/managed-defaults", .identity), ("run/managed-defaults/policies.d", .content),
        ("var", .identity), ("var/lib", .identity), ("var/lib/managed-defaults", .identity),
    ]
    /// The files beside the policy files.
    private static let files = [
        "etc/managed-defaults/tags", String(SignatureVerifier.ssh.trustPath.dropFirst()),
        String(SignatureVerifier.cms.trustPath.dropFirst()), "etc/hostname", "etc/passwd", "etc/group",
        String(StorePath.record.dropFirst()),
    ]

    /// Reads the status of all paths.
    ///
    /// - Throws: an error if a status cannot be read, or a path is unusual (a link, or not trusted); then there can be
    ///   no table.
    package init(root: Root) throws(StoredFileError) {
        time = Clock.now().microseconds * 1_000
        generation = GenerationFile.current(root: root) ?? 0
        var fingerprints: [FileFingerprint] = []
        do throws(SystemError) {
            for (path, extent) in Fingerprints.directories {
                fingerprints.append(try FileFingerprint(path, extent, root: root))
            }
            for path in Fingerprints.files { fingerprints.append(try FileFingerprint(path, .content, root: root)) }
        } catch {
            throw StoredFileError(error.description)
        }
        self.fingerprints = fingerprints
        let rule = TrustRule(root: root)
        for (number, fingerprint) in fingerprints.enumerated() {
            guard let status = fingerprint.status else { continue }
            let isDirectory = number < Fingerprints.directories.count
            let objection =
                status.kind != (isDirectory ? .directory : .regular)
                ? "is no \(isDirectory ? "directory" : "regular file") itself"
                : isDirectory ? rule.objection(to: status) : nil
            if let objection { throw StoredFileError("\(root.display("/\(fingerprint.path)")) \(objection)") }
        }
    }

    /// The least age of a change, in nanoseconds, at which a status shows that it was the last one.
    ///
    /// The kernel stamps files with a clock that ticks every 4 to 10 ms: two changes within one tick have one stamp.
    package static let settlingTime: Int64 = 20_000_000

    /// The longest pause after which a change in this moment is old enough, in microseconds.
    package static let settlingPause = settlingTime / 1_000 + 1_000

    /// Whether nothing changed between two moments, besides one file.
    package func agrees(with other: Fingerprints, besides path: String? = nil) -> Bool {
        let (own, others) = (without(path), other.without(path))
        return own.count == others.count && zip(own, others).allSatisfy { $0.agrees(with: $1) }
    }

    /// The fingerprints of all paths besides one, which is given as beneath the root with a slash at its beginning.
    private func without(_ path: String?) -> [FileFingerprint] {
        guard let path else { return fingerprints }
        return fingerprints.filter { "/\($0.path)" != path }
    }

    /// The time until the last change of every file is old enough, in microseconds.
    package func microsecondsUntilSettled(_ more: [FileFingerprint]) -> Int64 {
        let newest = (fingerprints + more).compactMap(\.changed).max() ?? .min
        let (due, overflow) = newest.addingReportingOverflow(Fingerprints.settlingTime)
        let (rest, isFar) = due.subtractingReportingOverflow(time)
        guard !overflow, !isFar, rest >= 0 else { return 0 }
        return rest / 1_000 + 1_000
    }

    /// Whether the last change of every file, besides one, was old enough when its status was read.
    ///
    /// Two changes within one tick of the kernel's clock have one stamp, so a change in the last tick may not have been
    /// the last one.
    package func isSettled(_ more: [FileFingerprint], besides path: String? = nil) -> Bool {
        let (limit, overflow) = time.subtractingReportingOverflow(Fingerprints.settlingTime)
        return !overflow && (without(path) + more).allSatisfy { ($0.changed ?? .min) <= limit }
    }
}
