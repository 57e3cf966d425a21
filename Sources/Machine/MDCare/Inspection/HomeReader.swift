import MDAuditRecord
import MDEngine
import MDPlatform
package import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
package import MDPreferences
import MDPrograms
import MDPropertyList

/// Reads the preference files of one user, for the values of forced and constrained keys, and what programs have stored in
/// files of their own.
///
/// Writes, locks and renames nothing.
package struct HomeReader: Sendable {
    /// The user's folder of preference files.
    let preferences: PreferencesDirectory
    /// The resultant set of the user.
    let resultant: ResultantSet
    /// The spool, as a path under the root; `nil` to leave it out.
    let spool: String?
    /// What of the spool is in the log.
    let taken: SpoolRegister.Taken
    /// The most bytes of the spool to read, twice as many as are written.
    private static let spoolLimit = 2 << 20
    /// The time for the files of programs; the preference files are read in the rest of the home's.
    private static let storeMicroseconds: Int64 = 2_000_000
    /// The most problems that are named; a user can make any number.
    static let problemLimit = 64

    /// Makes a reader.
    package init(preferences: PreferencesDirectory, resultant: ResultantSet, spool: String? = nil) {
        self.init(preferences: preferences, resultant: resultant, spool: spool, taken: SpoolRegister.Taken())
    }

    /// Makes a reader for a user from whose spool something was taken.
    init(preferences: PreferencesDirectory, resultant: ResultantSet, spool: String?, taken: SpoolRegister.Taken) {
        self.taken = taken
        self.spool = spool
        self.preferences = preferences
        self.resultant = resultant
    }

    /// Reads every domain of the user, for any host and for this one.
    ///
    /// Complexity: O(size of the files).
    package func read() -> HomeInspection {
        var inspection = inspect()
        let rest = inspection.problems.dropFirst(HomeReader.problemLimit)
        if rest.isEmpty { return inspection }
        let message =
            rest.count == 1
            ? "1 more file or folder could not be read" : "\(rest.count) more files and folders could not be read"
        let kind = rest.first { $0.kind == .permission }?.kind ?? .file
        inspection.problems.removeLast(rest.count)
        inspection.problems.append(HomeProblem(file: "", position: nil, message: message, kind: kind))
        return inspection
    }

    private func inspect() -> HomeInspection {
        var inspection = HomeInspection()
        inspection.waiting = spooledRecords()
        inspection.dropped = spooledDrops()
        addProgramStores(to: &inspection)
        var domains: Set<Key> = [DomainName.global]
        domains.formUnion(resultant.forced.keys)
        domains.formUnion(resultant.constraints.keys)
        domains.formUnion(resultant.seals.keys)
        do {
            domains.formUnion(try preferences.domains())
            domains.formUnion(try domainsOfThisHost())
        } catch {
            inspection.problems.append(problem(error))
            // Without permission to list the folder every file in it would have the same problem.
            return inspection
        }
        for domain in domains.sorted() {
            for host in [HostScope.thisHost, .anyHost] {
                do {
                    guard let stored = try preferences.read(domain, host: host) else { continue }
                    add(stored, of: domain, isThisHost: host == .thisHost, to: &inspection)
                } catch {
                    if case .invalidDomain = error { continue }
                    inspection.problems.append(problem(error))
                }
            }
        }
        return inspection
    }

    /// Adds what other programs have stored in the home for keys that policy locks in them.
    private func addProgramStores(to inspection: inout HomeInspection) {
        guard let home = preferences.home else { return }
        var store = UserStore(
            home: home, in: preferences.root, until: Clock.monotonicMicroseconds() + HomeReader.storeMicroseconds)
        for program in ProgramCatalog.all {
            let policy = ProgramPolicy(of: resultant, for: program)
            if policy.isEmpty { continue }
            let program: any Program = program.prepared(for: preferences.root)
            for setting in program.stored(for: policy, in: &store) {
                let hidden = HiddenValue(
                    domain: setting.domain, value: setting.value, file: setting.file, isThisHost: false,
                    isEqual: setting.isEqual, foreigner: foreigner(setting.file))
                inspection.stored.append(
                    HomeInspection.Stored(forcedDomain: setting.domain, key: setting.key, value: hidden))
            }
        }
        inspection.problems += store.problems.map { problem in
            HomeProblem(
                file: problem.file, position: problem.position, message: problem.message,
                kind: kind(isPermission: problem.isPermission))
        }
    }

    /// The owner of a program's file that does not belong to the owner of the home; preference files of others are not read.
    private func foreigner(_ file: String) -> UInt32? {
        guard preferences.root.isSystem else { return nil }
        let owner = (try? preferences.root.status(file, followingLinks: true))?.owner
        return owner == preferences.owner ? nil : owner
    }

    /// The domains with a file for this host, without the global domain, whose file name begins with a dot.
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

    /// The number of lines of the spool that may be records; `nil` if it exists and cannot be read.
    private func spooledRecords() -> Int? {
        guard let spool else { return 0 }
        do throws(SystemError) {
            // The writer of the spool refuses a link, so the target of one is not a spool.
            guard try preferences.root.status(spool, followingLinks: false).kind == .regular else { return nil }
            let bytes = try preferences.root.read(spool, limit: HomeReader.spoolLimit).bytes
            return bytes[taken.skip(in: bytes)...].split(separator: 0x0a).count {
                $0.first == UInt8(ascii: "{") && $0.last == UInt8(ascii: "}")
            }
        } catch {
            return error.isMissing ? 0 : nil
        }
    }

    /// The number of attempts that did not fit into the spool, as the user's own file beside it says.
    private func spooledDrops() -> Int {
        guard let spool else { return 0 }
        let path = spool.dropLast(".jsonl".count) + "-dropped.jsonl"
        guard let status = try? preferences.root.status(String(path), followingLinks: false), status.kind == .regular,
            let bytes = try? preferences.root.read(String(path), limit: AuditRecord.longestLine).bytes,
            let record = try? AuditRecord(line: Array(bytes.prefix { $0 != 0x0a })), record.kind == .drop
        else { return 0 }
        let count = min(max(record.count ?? 0, 0), HomeAccess.largestCount)
        guard let time = record.first ?? record.time else { return count }
        return taken.rest(of: SpoolContent.Overflow(first: time.microseconds, last: 0, count: count))
    }

    /// Adds the values for which the domain or NSGlobalDomain has a forced entry or a constraint.
    private func add(_ stored: StoredDomain, of domain: Key, isThisHost: Bool, to inspection: inout HomeInspection) {
        let domains = SearchOrder(ofOther: domain).forcingDomains
        for (key, value) in stored.values.sorted(by: { $0.key < $1.key }) {
            // An entry of the domain itself wins over one of NSGlobalDomain.
            let rule = resultant.rule(of: key, in: domains)
            guard let entry = rule.entry else {
                let verdict = rule.constraint?.entry.constraint.verdict(on: value)
                if let verdict, verdict != .allowed {
                    inspection.outside.append(
                        HomeInspection.Outside(
                            domain: domain, key: key, value: value, file: stored.path, isThisHost: isThisHost))
                }
                continue
            }
            let hidden = HiddenValue(
                domain: domain, value: value, file: stored.path, isThisHost: isThisHost,
                isEqual: entry.value == value)
            inspection.stored.append(HomeInspection.Stored(forcedDomain: entry.domain, key: key, value: hidden))
        }
    }

    /// The cause of a problem; a permission that the owner of the home lacks is the owner's doing.
    private func kind(isPermission: Bool) -> HomeProblem.Kind {
        isPermission && ![0, preferences.owner].contains(CurrentProcess.euid) ? .permission : .file
    }

    /// Converts an error of reading preferences.
    private func problem(_ error: PreferencesError) -> HomeProblem {
        switch error {
        case .damaged(let path, let error):
            return HomeProblem(
                file: path, position: error.position, message: "the preference file is damaged: \(error.message)",
                kind: .file)
        case .system(let error):
            return HomeProblem(
                file: error.path, position: nil, message: "cannot be read: \(error.text)",
                kind: kind(isPermission: error.isPermission))
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
