import Audit
package import Engine
import Platform
package import Policy
package import Preferences
import PropertyList

/// Reads the preference files of one user and keeps what lies beneath forced keys.
///
/// Nothing is written, locked or set aside.
package struct HomeReader: Sendable {
    /// The user's folder of preference files.
    let preferences: PreferencesDirectory
    /// What policy says for the user.
    let resultant: ResultantSet
    /// What is remembered of entries that were set once; `nil` where nobody asks.
    let setOnceFile: SetOnceFile?
    /// The file of records that wait, under the root.
    let spool: String?
    /// The most bytes of that file that are read, twice as many as are written.
    private static let spoolLimit = 2 << 20

    /// Makes a reader.
    package init(
        preferences: PreferencesDirectory, resultant: ResultantSet, setOnceFile: SetOnceFile? = nil,
        spool: String? = nil
    ) {
        self.setOnceFile = setOnceFile
        self.spool = spool
        self.preferences = preferences
        self.resultant = resultant
    }

    /// Reads every domain of the user, for any host and for this one.
    ///
    /// Complexity: O(size of the files).
    package func read() -> HomeReading {
        var reading = HomeReading()
        if let setOnceFile {
            do {
                (reading.marks, reading.furtherMarks) = bounded(try setOnceFile.marks())
            } catch {
                reading.problems.append(HomeReader.problem(.system(error)))
            }
        }
        let lines = spooledLines()
        reading.waiting = lines?.count
        reading.dropped = spooledDrops()
        // Who has no marks needs no records of them.
        if !reading.marks.isEmpty {
            reading.spooled = (lines ?? []).compactMap { try? AuditRecord(line: Array($0)).setOnceMark }
        }
        var domains: Set<Key> = [DomainName.global]
        domains.formUnion(resultant.forced.keys)
        domains.formUnion(resultant.constraints.keys)
        domains.formUnion(resultant.seals.keys)
        do {
            domains.formUnion(try preferences.domains())
            domains.formUnion(try domainsOfThisHost())
        } catch {
            reading.problems.append(HomeReader.problem(error))
            // Without the right to list the folder every file in it would say the same again.
            return reading
        }
        for domain in domains.sorted() {
            for host in [HostScope.thisHost, .anyHost] {
                do {
                    guard let stored = try preferences.read(domain, host: host) else { continue }
                    keep(stored, of: domain, isThisHost: host == .thisHost, in: &reading)
                } catch {
                    if case .invalidDomain = error { continue }
                    reading.problems.append(HomeReader.problem(error))
                }
            }
        }
        return reading
    }

    /// Marks, each once: all that policy can have made, and of others so many that no report becomes long by them.
    ///
    /// The user can write what they like into the file.
    private func bounded(_ marks: [SetOnceMark]) -> (kept: [SetOnceMark], others: Int) {
        var seen: Set<SetOnceMark> = []
        var (kept, strange): ([SetOnceMark], [SetOnceMark]) = ([], [])
        for mark in marks.map(\.plain) where seen.insert(mark).inserted {
            if resultant.setOnce[mark.domain]?[mark.key]?.origin.policy == mark.policy.string {
                kept.append(mark)
            } else {
                strange.append(mark)
            }
        }
        return (
            kept.suffix(HomeReader.markLimit) + strange.suffix(HomeReader.markLimit),
            max(kept.count - HomeReader.markLimit, 0) + max(strange.count - HomeReader.markLimit, 0)
        )
    }

    /// The most marks of either kind; no policy sets as many keys once.
    private static let markLimit = 4_096

    /// The domains that have a file for this host; the global domain, whose name begins with a dot, is read anyway.
    private func domainsOfThisHost() throws(PreferencesError) -> [Key] {
        let names: [String]
        do {
            names = try preferences.root.names(in: preferences.directory + "/ByHost")
        } catch {
            guard error.isMissing else { throw .system(error) }
            return []
        }
        // Foundation on Linux has an empty host identifier: `<domain>..plist`.
        let suffixes = [preferences.machineID.map { ".\($0).plist" }, "..plist"].compactMap(\.self)
        return names.compactMap { name in
            guard !name.hasPrefix("."), let suffix = suffixes.first(where: { name.hasSuffix($0) }) else { return nil }
            return Key(String(name.dropLast(suffix.count)))
        }
    }

    /// The records that wait in the spool, a line each; `nil` where there is one and it cannot be read.
    private func spooledLines() -> [ArraySlice<UInt8>]? {
        guard let spool else { return [] }
        do throws(SystemError) {
            // Who writes the spool refuses a link, so what one leads to is none.
            guard try preferences.root.status(spool, followingLinks: false).kind == .regular else { return nil }
            return try preferences.root.read(spool, limit: HomeReader.spoolLimit).bytes.split(separator: 0x0a).filter {
                $0.first == UInt8(ascii: "{") && $0.last == UInt8(ascii: "}")
            }
        } catch {
            return error.isMissing ? [] : nil
        }
    }

    /// How many attempts did not fit into the spool, as the file beside it says, which is the user's own.
    private func spooledDrops() -> Int {
        guard let spool else { return 0 }
        let path = spool.dropLast(".jsonl".count) + "-dropped.jsonl"
        guard let status = try? preferences.root.status(String(path), followingLinks: false), status.kind == .regular,
            let bytes = try? preferences.root.read(String(path), limit: AuditRecord.longestLine).bytes,
            let record = try? AuditRecord(line: Array(bytes.prefix { $0 != 0x0a })), record.kind == .drop
        else { return 0 }
        return min(max(record.count ?? 0, 0), HomeReading.largestCount)
    }

    /// Keeps the values that a forced entry hides: of the domain itself, and of NSGlobalDomain, which decides everywhere.
    private func keep(_ stored: StoredDomain, of domain: Key, isThisHost: Bool, in reading: inout HomeReading) {
        let forcedDomains = domain == DomainName.global ? [domain] : [domain, DomainName.global]
        for (key, value) in stored.values.sorted(by: { $0.key < $1.key }) {
            // A value in the domain's own entry wins over NSGlobalDomain's, so only the first counts.
            guard let entry = resultant.decidingEntry(for: key, in: forcedDomains) else {
                let verdict = resultant.constraint(of: key, in: forcedDomains)?.entry.constraint.verdict(on: value)
                if let verdict, verdict != .allowed {
                    reading.outside.append(
                        HomeReading.Outside(
                            domain: domain, key: key, value: value, file: stored.path, isThisHost: isThisHost))
                }
                continue
            }
            let hidden = HiddenValue(
                domain: domain, value: value, file: stored.path, isThisHost: isThisHost,
                isEqual: entry.value == value)
            reading.stored.append(HomeReading.Stored(forcedDomain: entry.domain, key: key, value: hidden))
        }
    }

    /// What a failure means for a report.
    private static func problem(_ error: PreferencesError) -> HomeProblem {
        switch error {
        case .damaged(let path, let error):
            return HomeProblem(
                file: path, position: error.position, message: "the preference file is damaged: \(error.message)",
                kind: .file)
        case .system(let error):
            return HomeProblem(
                file: error.path, position: nil, message: "cannot be read: \(error.text)",
                kind: error.isPermission ? .permission : .file)
        case .refused(let path, let reason):
            return HomeProblem(
                file: path, position: nil, message: "is not used as a preference file: it \(reason)",
                kind: .file)
        default:
            var text = error.description
            if text.hasSuffix(".") { text.removeLast() }
            return HomeProblem(file: "", position: nil, message: text, kind: .file)
        }
    }
}
