import Platform

/// What everything that policy depends on, besides the policy files, looked like at one moment.
struct WitnessList {
    /// The directories, each after those above it, then the other files.
    let witnesses: [Witness]
    /// When the kernel began to be asked, in nanoseconds since 1970.
    let time: Int64
    /// The daemon's generation at that moment; 0 without a daemon.
    let generation: UInt64

    /// The directories that are only passed through, or whose names count.
    static let directories: [(path: String, extent: Witness.Extent)] = [
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

    /// Asks the kernel.
    ///
    /// - Throws: what does not answer, or is not what it is on an ordinary machine; then there can be no table.
    init(root: Root) throws(TableError) {
        time = Clock.now().microseconds * 1_000
        generation = WatchedGeneration.current(root: root) ?? 0
        var witnesses: [Witness] = []
        do throws(SystemError) {
            for (path, extent) in WitnessList.directories {
                witnesses.append(try Witness(path, extent, root: root))
            }
            for path in WitnessList.files { witnesses.append(try Witness(path, .content, root: root)) }
        } catch {
            throw TableError(error.description)
        }
        self.witnesses = witnesses
        let rule = TrustRule(root: root)
        for (number, witness) in witnesses.enumerated() {
            guard let status = witness.status else { continue }
            let isDirectory = number < WitnessList.directories.count
            let objection =
                status.kind != (isDirectory ? .directory : .regular)
                ? "is no \(isDirectory ? "directory" : "regular file") itself"
                : isDirectory ? rule.objection(to: status) : nil
            if let objection { throw TableError("\(root.display("/\(witness.path)")) \(objection)") }
        }
    }

    /// How much older than the look a change must be for the look to have seen the last one, in nanoseconds.
    ///
    /// The kernel stamps files with a clock that ticks every 4 to 10 ms: two changes within one tick have one stamp.
    private static let settlingTime: Int64 = 20_000_000

    /// Whether nothing changed between two moments.
    func agrees(with other: WitnessList) -> Bool {
        witnesses.count == other.witnesses.count
            && zip(witnesses, other.witnesses).allSatisfy { $0.agrees(with: $1) }
    }

    /// How long it takes until every change that a witness vouches for lies far enough in the past, in microseconds.
    func microsecondsUntilSettled(_ more: [Witness]) -> Int64 {
        let newest = (witnesses + more).compactMap(\.changed).max() ?? .min
        let (due, overflow) = newest.addingReportingOverflow(WitnessList.settlingTime)
        let (rest, isFar) = due.subtractingReportingOverflow(time)
        guard !overflow, !isFar, rest >= 0 else { return 0 }
        return rest / 1_000 + 1_000
    }

    /// Whether every change that a witness vouches for was over before the kernel was asked.
    ///
    /// Two changes within one tick of the kernel's clock have one stamp, so the last tick cannot be vouched for.
    func isSettled(_ more: [Witness]) -> Bool {
        let (limit, overflow) = time.subtractingReportingOverflow(WitnessList.settlingTime)
        return !overflow && (witnesses + more).allSatisfy { ($0.changed ?? .min) <= limit }
    }
}
